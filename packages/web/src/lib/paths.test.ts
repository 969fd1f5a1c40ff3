import { expect, test } from 'vitest';
import { paths, withQuery } from './paths.ts';

const query = { timeframe: 'lastMonth', severity: ['critical', 'high'], text: 'a b', page: undefined };

test('every address of the portal', () => {
  expect([
    paths.home(),
    paths.login(),
    paths.logout(),
    paths.register(),
    paths.passwordReset('a_b-c'),
    paths.dashboard(),
    paths.dashboard(10, query),
    paths.alerts(),
    paths.alerts(0),
    paths.alerts('WS-01', query),
    paths.alert(7),
    paths.alert(7, { timeframe: 'lastMonth' }),
    paths.devices(),
    paths.devices(10, { type: ['server'], tag: [3, 4] }),
    paths.settings(),
    paths.users(),
    paths.users({ client: 10 }),
    paths.profile(),
    paths.profile(5, { client: 10 }),
    paths.clientDetails('general'),
    paths.clientDetails('branding', { client: 2 }),
    paths.newClient(),
    paths.audit(),
    paths.outbox({ client: 0 }),
    paths.faq(),
    paths.notFound(),
  ]).toMatchInlineSnapshot(`
    [
      "/",
      "/login",
      "/logout",
      "/register",
      "/passwordReset/a_b-c",
      "/apps/dashboard",
      "/apps/dashboard/10?timeframe=lastMonth&severity=critical,high&text=a+b",
      "/apps/alerts",
      "/apps/alerts/0",
      "/apps/alerts/WS-01?timeframe=lastMonth&severity=critical,high&text=a+b",
      "/apps/alert/7",
      "/apps/alert/7?timeframe=lastMonth",
      "/apps/devices",
      "/apps/devices/10?type=server&tag=3,4",
      "/apps/settings",
      "/apps/users",
      "/apps/users?client=10",
      "/apps/profile",
      "/apps/profile/5?client=10",
      "/apps/clientdetails/general",
      "/apps/clientdetails/branding?client=2",
      "/apps/clientdetails/create/general",
      "/apps/audit",
      "/apps/outbox?client=0",
      "/pages/faq",
      "/pages/errors/error-404",
    ]
  `);
});

test.each([
  [paths.alerts('WS 01/ä?#'), '/apps/alerts/WS%2001%2F%C3%A4%3F%23'],
  [paths.alerts(0), '/apps/alerts/0'],
  [withQuery('/a', { b: [], c: '', d: undefined }), '/a'],
  [withQuery('/a', { b: 'x,y:z&=' }), '/a?b=x,y:z%26%3D'],
])('%s', (made, expected) => {
  expect(made).toBe(expected);
});
