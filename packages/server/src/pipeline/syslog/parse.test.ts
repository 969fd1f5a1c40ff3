import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSyslog } from './parse.ts';

const now = Date.UTC(2026, 9, 8);

describe('RFC 5424', () => {
  it('reads header, structured data with escapes, and a message after a byte order mark', () => {
    const frame =
      '<165>1 2026-10-07T22:14:15.003+02:00 web01.example sshd 4242 ID47 [a@1 iut="3" q="x\\"y\\\\z\\]"][b@2] \ufeffFailed password';
    expect(parseSyslog(frame, now)).toEqual({
      '@timestamp': '2026-10-07T20:14:15.003Z',
      host: { hostname: 'web01.example', name: 'web01.example' },
      log: {
        syslog: {
          priority: 165,
          facility: { code: 20 },
          severity: { code: 5 },
          version: '1',
          hostname: 'web01.example',
          appname: 'sshd',
          procid: '4242',
          msgid: 'ID47',
          structured_data: { 'a@1': { iut: '3', q: 'x"y\\z]' }, 'b@2': {} },
        },
      },
      message: 'Failed password',
    });
  });

  it('omits nil values', () => {
    expect(parseSyslog('<34>1 - - - - - -', now)).toEqual({
      log: { syslog: { priority: 34, facility: { code: 4 }, severity: { code: 2 }, version: '1' } },
      message: '',
    });
    expect(parseSyslog('<34>1 - - su - - - hello', now)).toMatchObject({ log: { syslog: { appname: 'su' } }, message: 'hello' });
  });

  it('keeps broken structured data in the message', () => {
    expect(parseSyslog('<34>1 - h a - - [x y="z', now)).toMatchObject({ host: { name: 'h' }, message: '[x y="z' });
  });

  it('handles names of Object.prototype', () => {
    const made = parseSyslog('<34>1 - h a - - [__proto__ __proto__="x"] m', now);
    expect(JSON.stringify((made.log as { syslog: object }).syslog)).toContain(
      '"structured_data":{"__proto__":{"__proto__":"x"}}',
    );
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});

describe('RFC 3164', () => {
  const names = (frame: string, at = now) => {
    const made = parseSyslog(frame, at) as {
      '@timestamp'?: string;
      host?: { name: string };
      log: { syslog: Record<string, unknown> };
      message: string;
    };
    return [made['@timestamp'], made.host?.name, made.log.syslog.appname, made.log.syslog.procid, made.message];
  };

  it.each([
    [
      '<34>Oct  7 22:14:15 mymachine su: failed for lonvick',
      ['2026-10-07T22:14:15.000Z', 'mymachine', 'su', undefined, 'failed for lonvick'],
    ],
    ['<34>Oct 7 22:14:15 web01 sshd[42]: x', ['2026-10-07T22:14:15.000Z', 'web01', 'sshd', '42', 'x']],
    ['<34>Oct  7 22:14:15 sshd[42]: no host', ['2026-10-07T22:14:15.000Z', undefined, 'sshd', '42', 'no host']],
    [
      '<34>2026-10-07T22:14:15.123456+02:00 web01 CRON[1]: (root) CMD (x)',
      ['2026-10-07T20:14:15.123Z', 'web01', 'CRON', '1', '(root) CMD (x)'],
    ],
    ['<4>Oct  7 22:14:15 fw-1 kernel: [1.0] IN=eth0', ['2026-10-07T22:14:15.000Z', 'fw-1', 'kernel', undefined, '[1.0] IN=eth0']],
    [
      '<189>Oct  7 22:14:15 10.0.0.1 %SYS-5-CONFIG_I changed',
      ['2026-10-07T22:14:15.000Z', '10.0.0.1', undefined, undefined, '%SYS-5-CONFIG_I changed'],
    ],
    ['<13>sshd[9]: no time', [undefined, undefined, 'sshd', '9', 'no time']],
    ['<34>Dec 31 22:14:15 h a: last year', ['2025-12-31T22:14:15.000Z', 'h', 'a', undefined, 'last year']],
    [
      '<999>Oct  7 22:14:15 h a: bad priority',
      [undefined, undefined, undefined, undefined, '<999>Oct  7 22:14:15 h a: bad priority'],
    ],
    ['<>x', [undefined, undefined, undefined, undefined, '<>x']],
    ['just text', [undefined, undefined, undefined, undefined, 'just text']],
    ['<34>Oct  7 22:14:15 h a: trailing\r\n', ['2026-10-07T22:14:15.000Z', 'h', 'a', undefined, 'trailing']],
  ])('%j', (frame, expected) => expect(names(frame)).toEqual(expected));

  it('replaces U+0000, which no database accepts', () => {
    expect(parseSyslog('<13>a\0b', now).message).toBe('a\ufffdb');
  });

  it('loses no text and never throws', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom('', '<34>', '<34>1 ', '<34>1 - h a p m ', '<34>Oct  7 22:14:15 ', '<34>1 - h a p m ['),
        (rest, head) => {
          const frame = (head + rest).replaceAll('\0', '').replace(/[\r\n]+$/, '');
          const made = parseSyslog(frame, now);
          expect(frame.endsWith((made.message as string).replace(/^\ufeff/, ''))).toBe(true);
        },
      ),
    );
  });
});
