// Service worker of notifications: shows what a push service brings, and opens its page of this portal on a click. It stores nothing and answers no
// request. src/features/settings/browserNotifications.ts registers it.
const home = `${self.location.origin}/`;
const textOf = (value) => (typeof value === 'string' ? value : '');

/** The page of a path; the home page for anything outside this portal. */
function pageOf(path) {
  try {
    const url = new URL(textOf(path), home);
    return url.origin === self.location.origin ? url.href : home;
  } catch {
    return home;
  }
}

function messageOf(data) {
  try {
    return data.json() ?? {};
  } catch {
    return {};
  }
}

async function open(page) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const same = windows.find(({ url }) => url === page);
  return same ? same.focus() : self.clients.openWindow(page);
}

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('push', (event) => {
  const { id, title, body, path } = messageOf(event.data);
  const shown = { body: textOf(body), tag: textOf(id), data: { page: pageOf(path) } };
  event.waitUntil(self.registration.showNotification(textOf(title) || 'New notification', shown));
});
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(pageOf(event.notification.data?.page)));
});
