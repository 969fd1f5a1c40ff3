import { expect, test } from 'vitest';
import { paths, safePath, withQuery } from './paths.ts';

const query = { timeframe: 'lastMonth', severity: ['critical', 'high'], text: 'a b', page: undefined };

test('every address of the portal', () => {
  expect([
    paths.home(),
    paths.login(),
    paths.logout(),
    paths.dashboard(),
    paths.dashboard(10, query),
    paths.alerts(),
    paths.alerts(0),
    paths.alerts('WS-01', query),
    paths.alert(7),
    paths.alert(7, { timeframe: 'lastMonth' }),
    paths.devices(),
    paths.devices(10, { type: ['server'], tag: [3, 4] }),
    paths.faq(),
    paths.notFound(),
  ]).toMatchInlineSnapshot(`
    [
      "/",
      "/login",
      "/logout",
      "/apps/dashboard",
      "/apps/dashboard/10?timeframe=lastMonth&severity=critical,high&text=a+b",
      "/apps/alerts",
      "/apps/alerts/0",
      "/apps/alerts/WS-01?timeframe=lastMonth&severity=critical,high&text=a+b",
      "/apps/alert/7",
      "/apps/alert/7?timeframe=lastMonth",
      "/apps/devices",
      "/apps/devices/10?type=server&tag=3,4",
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

test.each([
  ['/apps/alerts/10?severity=high', true],
  ['/', true],
  ['/logins', true],
  ['//evil.example', false],
  ['/\\evil.example', false],
  ['https://evil.example/', false],
  ['javascript:alert(1)', false],
  ['/a\tb', false],
  ['/a\u0000', false],
  ['/login', false],
  ['/LOGIN?x', false],
  ['/logout', false],
  ['', false],
  [undefined, false],
  [`/${'a'.repeat(2000)}`, false],
])('safePath(%j): %s', (path, isSafe) => {
  expect(safePath(path)).toBe(isSafe ? path : undefined);
});
