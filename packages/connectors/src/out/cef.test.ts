import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cefOf, extensionValue, headerValue } from './cef.ts';
import { frameOf } from './syslog.ts';
import type { Message } from './target.ts';

const message: Message = {
  id: '6f1c',
  event: 'case.opened',
  at: '2026-11-29T19:00:00.000Z',
  subject: 'case-12',
  stage: 'opened',
  severity: 'critical',
  sender: 'Harbor | Security',
  client: 'Alder',
  title: 'Password=guessing',
  facts: [['Status', 'Open']],
  url: 'https://portal.example/apps/case/12',
  data: {},
};

test('escapes headers and extensions each by its own rule', () => {
  expect(headerValue('a|b\\c=d\ne')).toBe('a\\|b\\\\c=d e');
  expect(extensionValue('a|b\\c=d\r\ne\u0000f')).toBe('a|b\\\\c\\=d\\ne f');
  expect(cefOf(message)).toBe(
    'CEF:0|Harbor \\| Security|Security portal|1|case.opened|Password=guessing|10|rt=1795978800000 externalId=6f1c cat=case.opened msg=Password\\=guessing request=https://portal.example/apps/case/12 cs1Label=Client cs1=Alder cs2Label=Subject cs2=case-12 cs3Label=Facts cs3=Status: Open',
  );
});

test('counts the octets of a frame, not its characters', () => {
  const frame = frameOf({ ...message, title: 'Söhne 😀' });
  const [count = '', ...rest] = frame.split(' ');
  expect(Number(count)).toBe(Buffer.byteLength(rest.join(' ')));
  expect(rest.join(' ')).toMatch(/^<130>1 2026-11-29T19:00:00\.000Z portal\.example portal - case\.opened - CEF:0\|/);
});

test('keeps seven header fields and one line for any text', () => {
  const unit = fc.constantFrom('|', '\\', '=', '\n', '\r', ' ', 'a', '\u202e', '\u2028', '\0', '😀');
  const parts = /^((?:\\.|[^\\|])*\|){7}(.*)$/u;
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
      const line = cefOf({ ...message, title: text, client: text, sender: text, facts: [[text, text]] });
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      const extensions = parts.exec(line)?.[2] ?? '';
      const keys = [...extensions.matchAll(/(?:^| )(\w+)=/g)].map(([, key]) => key);
      expect(keys).toEqual([
        'rt',
        'externalId',
        'cat',
        'msg',
        'request',
        'cs1Label',
        'cs1',
        'cs2Label',
        'cs2',
        'cs3Label',
        'cs3',
      ]);
    }),
    { numRuns: 200 },
  );
});
