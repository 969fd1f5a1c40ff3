import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readList, stixValues } from './intelligence.formats.ts';
import { readIndicator } from './intelligence.values.ts';

const now = Date.parse('2026-05-04T00:00:00Z');
const read = (format: 'csv' | 'misp' | 'stix', content: unknown) =>
  readList(format, Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)), now);
const sha256 = 'E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855';

test.each([
  ['203.0.113.66', 'ip', '203.0.113.66'],
  ['203[.]0[.]113[.]66', 'ip', '203.0.113.66'],
  ['2001:0DB8:0000::0066', 'ip', '2001:db8::66'],
  ['[2001:db8::66]', 'ip', '2001:db8::66'],
  ['::ffff:203.0.113.66', 'ip', '203.0.113.66'],
  ['2001[:]db8[:][:]1', 'ip', '2001:db8::1'],
  ['Evil.Example.', 'domain', 'evil.example'],
  ['evil[.]example', 'domain', 'evil.example'],
  ['evil(dot)example', 'domain', 'evil.example'],
  ['bücher.example', 'domain', 'xn--bcher-kva.example'],
  [sha256, 'hash', sha256.toLowerCase()],
  ['d41d8cd98f00b204e9800998ecf8427e', 'hash', 'd41d8cd98f00b204e9800998ecf8427e'],
])('%s is %s %s', (text, kind, value) => expect(readIndicator(text)).toEqual({ kind, value }));

test.each([
  '',
  'localhost',
  '10.0.0.1',
  '127.0.0.1',
  '192.168.1.1',
  '::1',
  'fe80::1',
  '203.0.113.0/24',
  '1.2.3',
  '999.1.1.1',
  '01.2.3.4',
  'http://evil.example/x',
  'a b.example',
  '-x.example',
  'fe80::1%eth0',
  `${'a'.repeat(64)}.example`,
  'abc123',
  '<script>.example',
  'x'.repeat(100_000),
])('rejects %s', (text) => expect(readIndicator(text)).toEqual({ fault: expect.stringMatching(/^"/) }));

describe('CSV', () => {
  test('reads any header order, quotes, comments and line ends; duplicates keep the worse reputation', () => {
    const { indicators, skipped } = read(
      'csv',
      '\uFEFFkind,value,reputation\r\nip,"203.0.113.66",Malicious\n# a comment\n\ndomain,evil[.]example,suspicious\rip,203.0.113.66,benign\n"hash",' +
        sha256 +
        ',"MALICIOUS"',
    );
    expect(indicators).toEqual([
      { kind: 'ip', value: '203.0.113.66', reputation: 'Malicious' },
      { kind: 'domain', value: 'evil.example', reputation: 'Suspicious' },
      { kind: 'hash', value: sha256.toLowerCase(), reputation: 'Malicious' },
    ]);
    expect(skipped).toBe(0);
  });
  test('reads value, reputation, kind without a header; a bare value is malicious', () => {
    expect(read('csv', '203.0.113.66\n203.0.113.67,Benign').indicators.map(({ reputation }) => reputation)).toEqual([
      'Malicious',
      'Benign',
    ]);
  });
  test('reports the reasons of skipped lines', () => {
    const { indicators, skipped, faults } = read(
      'csv',
      '203.0.113.66,awful\n203.0.113.66,Malicious,domain\nx y\n10.0.0.1\n203.0.113.1,Malicious,url\n203.0.113.9,constructor',
    );
    expect(indicators).toEqual([]);
    expect(skipped).toBe(6);
    expect(faults).toEqual([
      '"203.0.113.66": "awful" is not a reputation; use Malicious, Suspicious, Benign or Unknown.',
      '"203.0.113.66": this is an address, not a domain.',
      '"x y": not an address, domain or hash.',
      '"10.0.0.1": private address, present in every network.',
      '"203.0.113.1": "url" is not a kind; use ip, domain or hash.',
      expect.stringContaining('"constructor" is not a reputation'),
    ]);
  });
  test('finishes on hostile input', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (text.trim() !== '') read('csv', text);
      }),
    );
    const started = performance.now();
    read('csv', `"${'""'.repeat(500_000)}`);
    read('csv', ','.repeat(1_000_000));
    read('csv', '"'.repeat(1_000_001));
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe('MISP', () => {
  const event = {
    Event: {
      uuid: '5f0e12ab-a0e2-41f9-aa46-b233eb7242e5',
      info: 'Ransomware campaign',
      Attribute: [
        { type: 'ip-dst', category: 'Network activity', value: '203.0.113.66', to_ids: true },
        { type: 'ip-dst|port', value: '203.0.113.67|443', to_ids: true },
        { type: 'domain|ip', value: 'evil.example|203.0.113.68', to_ids: true },
        { type: 'hostname', value: 'c2.evil.example', to_ids: false },
        { type: 'filename|sha256', value: `lock.exe|${sha256}`, to_ids: true },
        { type: 'ip-src', value: '203.0.113.99', deleted: true, to_ids: true },
        { type: 'comment', value: 'hello' },
      ],
      Object: [{ name: 'file', Attribute: [{ type: 'md5', value: 'd41d8cd98f00b204e9800998ecf8427e', to_ids: true }] }],
    },
  };
  test.each([
    ['one event', event],
    ['a search response', { response: [event] }],
    ['a list', [event]],
    ['a bare event', event.Event],
  ])('%s', (_what, json) => {
    const { indicators, skipped, faults } = read('misp', json);
    expect(indicators.map(({ value, reputation }) => [value, reputation])).toEqual([
      ['203.0.113.66', 'Malicious'],
      ['203.0.113.67', 'Malicious'],
      ['evil.example', 'Malicious'],
      ['203.0.113.68', 'Malicious'],
      ['c2.evil.example', 'Suspicious'],
      [sha256.toLowerCase(), 'Malicious'],
      ['d41d8cd98f00b204e9800998ecf8427e', 'Malicious'],
    ]);
    expect([skipped, faults]).toEqual([1, ['"hello": attributes of type "comment" are not imported.']]);
  });
  test('skips parts of wrong types', () => {
    expect(
      read('misp', {
        Event: {
          Attribute: [null, 5, 'x', { type: 5, value: {} }, { type: 'ip-src', value: ['203.0.113.1'] }],
          Object: [null, 7, { Attribute: 'no' }],
        },
      }),
    ).toMatchObject({ indicators: [], skipped: 5 });
  });
});

describe('STIX', () => {
  const indicator = (pattern: string, more: object = {}) => ({
    type: 'indicator',
    spec_version: '2.1',
    id: 'indicator--1',
    name: 'N',
    pattern,
    pattern_type: 'stix',
    valid_from: '2026-01-01T00:00:00Z',
    ...more,
  });
  test('reads patterns of addresses, domains and hashes', () => {
    const { indicators, skipped } = read('stix', {
      type: 'bundle',
      id: 'bundle--1',
      objects: [
        { type: 'identity', name: 'x' },
        indicator("[ipv4-addr:value = '203.0.113.66']"),
        indicator("[ipv6-addr:value = '2001:DB8::66']", { indicator_types: ['anomalous-activity'] }),
        indicator(`[file:hashes.'SHA-256' = '${sha256}' OR file:hashes.MD5 = 'd41d8cd98f00b204e9800998ecf8427e']`),
        indicator("[domain-name:value='evil.example'] OR [domain-name:value IN ('a.example', 'b.example')]", {
          indicator_types: ['malicious-activity'],
          confidence: 10,
        }),
        indicator("[domain-name:value = 'good.example']", { indicator_types: ['benign'] }),
        indicator("[ipv4-addr:value = '203.0.113.70']", { revoked: true }),
        indicator("[ipv4-addr:value = '203.0.113.71']", { valid_until: '2026-02-01T00:00:00Z' }),
        indicator('alert tcp any any', { pattern_type: 'snort' }),
        indicator("[ipv4-addr:value = '203.0.113.72' AND network-traffic:dst_port = 443]"),
      ],
    });
    expect(indicators.map(({ value, reputation }) => [value, reputation])).toEqual([
      ['203.0.113.66', 'Malicious'],
      ['2001:db8::66', 'Suspicious'],
      [sha256.toLowerCase(), 'Malicious'],
      ['d41d8cd98f00b204e9800998ecf8427e', 'Malicious'],
      ['evil.example', 'Suspicious'],
      ['a.example', 'Suspicious'],
      ['b.example', 'Suspicious'],
      ['good.example', 'Benign'],
    ]);
    expect(skipped).toBe(4);
  });
  test.each([
    "[ipv4-addr:value != '1.2.3.4']",
    "[ipv4-addr:value = 'a'] FOLLOWEDBY [ipv4-addr:value = 'b']",
    "[ipv4-addr:value NOT = 'a']",
    "[domain-name:value LIKE '%evil%']",
    "[domain-name:value MATCHES '.*']",
    "[ipv4-addr:value ISSUBSET '198.51.100.0/24']",
    "[url:value = 'http://evil.example/']",
    "[ipv4-addr:value = 'a",
    'x',
    '',
    "'; drop table indicators; --",
  ])('skips compound patterns: %s', (pattern) => expect(stixValues(pattern)).toBeUndefined());
  test('unescapes quotes and parses any pattern quickly', () => {
    expect(stixValues("[domain-name:value = 'it\\'s.example']")).toEqual([{ text: "it's.example", kind: 'domain' }]);
    const started = performance.now();
    for (const part of ["'", "\\'", '[', 'a:b.', "a:b.'x'", 'OR ']) stixValues(`[ipv4-addr:value = ${part.repeat(20_000)}`);
    expect(performance.now() - started).toBeLessThan(2_000);
    fc.assert(fc.property(fc.string(), (pattern) => void stixValues(pattern)));
  });
});

describe('unreadable files', () => {
  test.each<['csv' | 'misp' | 'stix', string | Buffer | object, string]>([
    ['csv', '', 'empty'],
    ['csv', Buffer.from([0xff, 0xfe, 0x41]), 'UTF-8'],
    ['misp', '{"Event":', 'not JSON'],
    ['misp', '['.repeat(1_000_000), 'not JSON'],
    ['misp', '5', 'Not a MISP event'],
    ['misp', 'null', 'Not a MISP event'],
    ['misp', { Event: { info: 'x' } }, 'Not a MISP event'],
    ['misp', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, 'Not a MISP event'],
    ['stix', [], 'Not a STIX bundle'],
    ['stix', { type: 'bundle', objects: {} }, 'Not a STIX bundle'],
    ['stix', { type: 'bundle', objects: [{ type: 'identity' }] }, 'no indicator'],
    ['stix', '{"__proto__":{"type":"bundle"}}', 'Not a STIX bundle'],
  ])('%s', (format, content, text) => {
    const bytes = Buffer.isBuffer(content)
      ? content
      : Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
    expect(() => readList(format, bytes, now)).toThrow(text);
  });
});
