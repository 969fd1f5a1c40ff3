import { expect, test } from 'vitest';
import { browserName } from './browserName.ts';

test.each([
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox 140 on Windows'],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
    'Chrome 141 on Linux',
  ],
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/141.0 Safari/537.36 Edg/141.0', 'Edge 141 on Windows'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Mobile/15E Safari/604.1',
    'Safari 18 on iOS',
  ],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['   ', 'Unknown browser'],
  ['<b>Firefox</b>', '<b>Firefox</b>'],
])('names %s', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name);
});
