import { expect, test } from 'vitest';
import { paths, safePath, withQuery } from './paths.ts';

test('every address of the portal', () => {
  const query = { timeframe: 'lastMonth', severity: ['critical', 'high'], text: 'a b', page: undefined };
  const made = Object.fromEntries(
    Object.entries(paths).map(([name, make]) => [
      name,
      [(make as () => string)(), (make as (...all: unknown[]) => string)(10, query)],
    ]),
  );
  expect(made).toMatchInlineSnapshot(`
    {
      "alert": [
        "/apps/alert/undefined",
        "/apps/alert/10?timeframe=lastMonth&severity=critical,high&text=a+b",
      ],
      "alerts": [
        "/apps/alerts",
        "/apps/alerts/10?timeframe=lastMonth&severity=critical,high&text=a+b",
      ],
      "dashboard": [
        "/apps/dashboard",
        "/apps/dashboard/10?timeframe=lastMonth&severity=critical,high&text=a+b",
      ],
      "devices": [
        "/apps/devices",
        "/apps/devices/10?timeframe=lastMonth&severity=critical,high&text=a+b",
      ],
      "faq": [
        "/pages/faq",
        "/pages/faq",
      ],
      "home": [
        "/",
        "/",
      ],
      "login": [
        "/login",
        "/login",
      ],
      "logout": [
        "/logout",
        "/logout",
      ],
      "notFound": [
        "/pages/errors/error-404",
        "/pages/errors/error-404",
      ],
    }
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
