import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRangesBuilder, ipv4Of, ipv6Of } from './networks.table.ts';
import { loadNetworks, networkOf, shownNetwork } from './networks.ts';

let folder: string;
const file = async (name: string, lines: string[]) => {
  const path = join(folder, name);
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'networks-'));
});
afterAll(async () => {
  await loadNetworks([]);
  await rm(folder, { recursive: true });
});

describe('addresses', () => {
  test('reads IPv4 exactly', () => {
    expect([ipv4Of('1.2.3.4'), ipv4Of('255.255.255.255'), ipv4Of('0.0.0.0')]).toEqual([16_909_060, 4_294_967_295, 0]);
    for (const text of ['', '1.2.3', '1.2.3.4.5', '1.2.3.256', '1..2.3', '1.2.3.4 ', 'a.b.c.d', '1.2.3.'])
      expect(ipv4Of(text)).toBe(-1);
  });

  test.each([
    ['2001:db8::1', [0x2001_0db8, 0]],
    ['2001:db8:1:2:3:4:5:6', [0x2001_0db8, 0x0001_0002]],
    ['::', [0, 0]],
    ['::1', [0, 0]],
    ['2a00::', [0x2a00_0000, 0]],
    ['1::2:3:4:5:6:7', [0x0001_0000, 0x0002_0003]],
  ])('reads IPv6 %s', (text, expected) => {
    const pair = new Uint32Array(2);
    expect(ipv6Of(text, pair)).toBe(true);
    expect([...pair]).toEqual(expected);
  });

  test('refuses other text as IPv6', () => {
    const pair = new Uint32Array(2);
    for (const text of [
      '',
      ':',
      ':::',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '1::2::3',
      '12345::',
      'g::',
      '1:',
      '1.2.3.4',
      ':1::',
    ])
      expect([text, ipv6Of(text, pair)]).toEqual([text, false]);
  });
});

describe('tables', () => {
  test('finds country and system, also at the edges of a range', async () => {
    const four = await file('country4.csv', ['8.8.8.0,8.8.8.255,US', '8.8.10.0,8.8.10.255,DE', '9.0.0.0,9.255.255.255,US']);
    const six = await file('country6.csv', ['2a00:1::,2a00:1:ffff:ffff:ffff:ffff:ffff:ffff,FR']);
    const asn = await file('asn.csv', ['8.8.8.0,8.8.8.255,15169,"Example, ""LLC"""', '2a00:1::,2a00:1:0:ffff::,3215,Orange']);
    expect(await loadNetworks([four, six, asn])).toEqual({ countries: expect.any(Number), systems: expect.any(Number) });
    const of = (address: string) => networkOf(address)?.country;
    expect([of('8.8.7.255'), of('8.8.8.0'), of('8.8.8.255'), of('8.8.9.0'), of('8.8.10.7')]).toEqual([
      undefined,
      'US',
      'US',
      undefined,
      'DE',
    ]);
    expect([of('9.1.2.3'), of('10.0.0.1'), of('2a00:1::7'), of('2a00:2::7'), of('x')]).toEqual([
      'US',
      undefined,
      'FR',
      undefined,
      undefined,
    ]);
    expect(networkOf('8.8.8.8')).toEqual({ country: 'US', system: { number: 15_169, organisation: 'Example, "LLC"' } });
    expect(shownNetwork('8.8.8.8')).toBe('US · AS15169 Example, "LLC"');
    expect(shownNetwork('8.8.10.1')).toBe('DE');
    expect(shownNetwork('127.0.0.1')).toBeUndefined();
  });

  test('agrees with a search of every range', () => {
    const builder = createRangesBuilder<number>();
    const ranges: [number, number][] = [];
    const text = (n: number) => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255].join('.');
    let seed = 7;
    const random = (most: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % most;
    };
    for (let at = 16_777_216; at < 3_700_000_000 && ranges.length < 5_000; ) {
      const first = at + random(300_000);
      const last = first + random(200_000);
      const index = ranges.length;
      builder.add(text(first), text(last), String(index), () => index);
      ranges.push([first, last]);
      at = last + 1;
    }
    const table = builder.build();
    for (let count = 0; count < 5_000; count++) {
      const [first, last] = ranges[random(ranges.length)] as [number, number];
      const address = first - 2 + random(last - first + 5);
      const expected = ranges.findIndex(([from, to]) => address >= from && address <= to);
      const found = table.of(text(address));
      if (found !== undefined || expected === -1) expect(ranges[found ?? -1]).toEqual(ranges[expected]);
    }
  });

  test('hides private and reserved addresses, whatever a table holds', async () => {
    await loadNetworks([await file('all.csv', ['0.0.0.0,255.255.255.255,XX', '::,ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff,XX'])]);
    const hidden = [
      '10.1.2.3',
      '192.168.1.1',
      '172.31.0.1',
      '127.0.0.1',
      '169.254.1.1',
      '100.64.0.1',
      '203.0.113.9',
      '239.1.1.1',
      'fe80::1',
      'fd00::1',
      '2001:db8::1',
      '::1',
    ];
    for (const address of hidden) expect([address, networkOf(address)]).toEqual([address, undefined]);
    for (const address of ['172.32.0.1', '100.128.0.1', '2a00::1']) expect(networkOf(address)?.country).toBe('XX');
  });

  test('refuses a file without ranges, and keeps what was read before', async () => {
    const before = networkOf('8.8.8.8');
    await expect(loadNetworks([await file('other.csv', ['hello', 'world'])])).rejects.toThrow('ADDRESS_TABLES');
    await expect(loadNetworks([join(folder, 'missing.csv')])).rejects.toThrow('ENOENT');
    expect(networkOf('8.8.8.8')).toEqual(before);
  });
});
