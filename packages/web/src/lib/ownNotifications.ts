/** This browser’s subscription at its push service; none where the browser has no notifications. */
export const ownSubscription = async (): Promise<PushSubscription | null> =>
  (await (await navigator.serviceWorker?.getRegistration('/'))?.pushManager?.getSubscription()) ?? null;

/** Ends the notifications of this browser: its push service then refuses them, and the portal removes it. */
export const endOwnNotifications = async (): Promise<void> => void (await (await ownSubscription())?.unsubscribe());
