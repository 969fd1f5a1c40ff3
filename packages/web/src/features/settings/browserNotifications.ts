/** Notifications of this browser: its subscription at its push service, by the Push API. */
import { endOwnNotifications, ownSubscription } from '../../lib/ownNotifications.ts';

const script = '/notifications.js';

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(given: string): string };
}

let address: string | undefined;
/** The page’s policy allows this one script, which a policy of its own names. */
function scriptAddress(): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  address ??= trustedTypes?.createPolicy('notifications', { createScriptURL: () => script }).createScriptURL(script) ?? script;
  return address;
}

export const hasNotifications = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/** True once the person refused notifications of this site in the browser. */
export const isBlocked = (): boolean => Notification.permission === 'denied';

/** SHA-256 of the address at the push service, URL-safe base64; null without a subscription. */
export async function ownFingerprint(): Promise<string | null> {
  const own = await ownSubscription();
  if (!own) return null;
  return base64url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(own.endpoint)));
}

const base64url = (bytes: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Requests the permission, and subscribes in place of an earlier subscription. Throws an error for people. */
export async function subscribe(publicKey: string): Promise<{ endpoint: string; p256dh: string; auth: string }> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error('The browser blocks notifications of this site. Allow them in its settings.');
  await navigator.serviceWorker.register(scriptAddress(), { scope: '/' });
  const { pushManager } = await navigator.serviceWorker.ready;
  await endOwnNotifications();
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  const made = await pushManager.subscribe(options).catch((error: unknown) => {
    throw new Error(`The browser couldn’t reach its push service: ${error instanceof Error ? error.message : error}`);
  });
  return { endpoint: made.endpoint, p256dh: base64url(made.getKey('p256dh')), auth: base64url(made.getKey('auth')) };
}
