/**
 * A person turns notifications on in their browser; the service worker shows what a push service brings. The browser of the tests, without a window,
 * permits no notifications and reaches no push service: permission, subscription and the last step of showing are simulated, and messages come by the
 * protocol of the developer tools.
 */
import { createECDH, randomBytes } from 'node:crypto';
import type { BrowserContext, Page, Worker } from '@playwright/test';
import { expect, newUserToken, portal, test } from './fixtures.ts';

/** Replaces the permission, and the subscription at a push service, which stays for the tab. */
async function simulatePushService(context: BrowserContext): Promise<void> {
  const curve = createECDH('prime256v1');
  const given = {
    endpoint: `https://push.example/${randomBytes(12).toString('hex')}`,
    p256dh: [...curve.generateKeys()],
    auth: [...randomBytes(16)],
  };
  await context.addInitScript(({ endpoint, p256dh, auth }) => {
    const subscription = {
      endpoint,
      getKey: (name: string) => new Uint8Array(name === 'auth' ? auth : p256dh).buffer,
      unsubscribe: async () => {
        sessionStorage.removeItem('subscribed');
        return true;
      },
    };
    Object.defineProperty(Notification, 'permission', { value: 'granted' });
    Notification.requestPermission = async () => 'granted';
    Object.assign(PushManager.prototype, {
      getSubscription: async () => (sessionStorage.getItem('subscribed') ? subscription : null),
      subscribe: async () => {
        sessionStorage.setItem('subscribed', 'yes');
        return subscription;
      },
    });
  }, given);
}

/** Delivers a message to the service worker of the page. */
async function push(page: Page, data: string): Promise<void> {
  const tools = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) =>
    tools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => first && resolve(first.registrationId)),
  );
  await tools.send('ServiceWorker.enable');
  await tools.send('ServiceWorker.deliverPushMessage', { origin: portal.url, registrationId: await registered, data });
  await tools.detach();
}

interface Recorder {
  shown?: { title: string; options?: NotificationOptions }[];
  registration: { showNotification(title: string, options?: NotificationOptions): Promise<void> };
}

/** Has the service worker list its notifications in place of showing them. */
const recordShown = (worker: Worker) =>
  worker.evaluate(() => {
    const self = globalThis as unknown as Recorder;
    const shown: Recorder['shown'] = [];
    self.shown = shown;
    self.registration.showNotification = async (title, options) => void shown.push({ title, ...(options && { options }) });
  });
const listShown = (worker: Worker) => worker.evaluate(() => (globalThis as unknown as Recorder).shown);

test('a person turns notifications on, gets one of a case, and turns them off', async ({ asPersona, context }) => {
  await simulatePushService(context);
  const page = await asPersona('clientAdmin', '/apps/settings?tab=notifications', await newUserToken('push'));
  const card = page.getByRole('region', { name: 'Browsers' });

  await card.getByRole('button', { name: 'Turn on in this browser' }).click();
  const row = page.getByRole('listitem', { name: /Chrome/ });
  await expect(row).toContainText('(this browser)');
  await expect(page.getByRole('button', { name: 'Turn on in this browser' })).toHaveCount(0);

  const [worker] = context.serviceWorkers();
  await recordShown(worker!);
  const text = { id: 'a1', title: 'Case opened: #7 <b>Beacon</b>', body: 'Alder · high', path: '/apps/case/7' };
  await push(page, JSON.stringify(text));
  await push(page, JSON.stringify({ ...text, path: 'https://evil.example/' }));
  const shown = (to: string) => ({
    title: text.title,
    options: { body: text.body, tag: 'a1', data: { page: `${portal.url}${to}` } },
  });
  await expect.poll(() => listShown(worker!)).toEqual([shown('/apps/case/7'), shown('/')]);

  await row.getByRole('button', { name: /^Turn off/ }).click();
  await expect(page.getByRole('listitem', { name: /Chrome/ })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Turn on in this browser' })).toBeVisible();
  expect(await page.evaluate(() => sessionStorage.getItem('subscribed'))).toBeNull();
});

test('the portal can be installed under the name of its brand', async ({ page }) => {
  await page.goto('/');
  const tools = await page.context().newCDPSession(page);
  const { url, errors, data } = await tools.send('Page.getAppManifest');
  expect([url, errors]).toEqual([`${portal.url}/api/v1/brand/manifest`, []]);
  const { name } = await (await fetch(`${portal.url}/api/v1/brand`)).json();
  expect(JSON.parse(data!)).toMatchObject({ name, display: 'standalone' });
  const { installabilityErrors } = await tools.send('Page.getInstallabilityErrors');
  expect(installabilityErrors).toEqual([]);
});
