import { describe, expect, test } from 'vitest';
import { isWithin, readAdvisory, readEpssLine, readExploited, SkipList } from './advisories.formats.ts';
import { readLines, readRecords } from './advisories.records.ts';

const now = Date.UTC(2026, 10, 21);

async function* chunks(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function records(text: string | Buffer, size = 7) {
  const skips = new SkipList();
  const found: unknown[] = [];
  for await (const record of readRecords(chunks(Buffer.from(text as string), size), skips)) found.push(record);
  return { found, skips };
}

describe('readRecords', () => {
  const [a, b] = [
    { id: 'A', text: 'ä "{[\\' },
    { id: 'B', nested: [{ x: [1, { y: {} }] }] },
  ];
  test.each([
    ['one', JSON.stringify(a), [a]],
    ['a single record over many lines', JSON.stringify(b, null, 2), [b]],
    ['a list', JSON.stringify([a, b]), [a, b]],
    ['an array over many lines', JSON.stringify([a, b], null, 1), [a, b]],
    ['one per line', `${JSON.stringify(a)}\r\n${JSON.stringify(b)}\n`, [a, b]],
    ['a byte order mark', `\uFEFF${JSON.stringify(a)}`, [a]],
    ['nothing', ' \n\n', []],
  ])('reads %s in any chunks', async (_name, text, wanted) => {
    for (const size of [1, 2, 3, 64, 100_000]) {
      const { found, skips } = await records(text, size);
      expect([size, found, skips.count]).toEqual([size, wanted, 0]);
    }
  });

  test.each([
    [
      'an unterminated line',
      `${JSON.stringify(a)}\n{"id":"broken","x":[{\n${JSON.stringify(b)}\n${JSON.stringify(a)}`,
      [a, b, a],
    ],
    ['an unterminated string', `{"id":"broken\n${JSON.stringify(b)}\n`, [b]],
    ['invalid JSON', `${JSON.stringify(a)}\n<html>{"x":1\n${JSON.stringify(b)}`, [a, b]],
    ['a number and a literal between records', `12\n${JSON.stringify(a)}\nnull\n${JSON.stringify(b)}`, [a, b]],
    ['a surplus bracket', `${JSON.stringify(a)}}\n${JSON.stringify(b)}`, [a, b]],
    [
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from('{"id":"x'), Buffer.from([0xff, 0xfe]), Buffer.from(`"}\n${JSON.stringify(b)}`)]),
      [b],
    ],
    ['a surplus comma', `{"id":"x",}\n${JSON.stringify(b)}`, [b]],
  ])('reports %s and reads what follows', async (_name, text, wanted) => {
    for (const size of [1, 5, 100_000]) {
      const { found, skips } = await records(text, size);
      expect([size, found]).toEqual([size, wanted]);
      expect(skips.count).toBeGreaterThan(0);
    }
  });

  test('skips only records nested too deeply', async () => {
    const deep = `{"id":"deep","x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
    const { found, skips } = await records(`${deep}\n${JSON.stringify(b)}`, 1_000);
    expect(found).toEqual([b]);
    expect(skips.texts).toEqual(['Entry 1: nested deeper than 100 levels.']);
  });

  test('uses little memory for 200 MB of brackets, one string or whitespace', async () => {
    const size = 200 * 1024 * 1024;
    const chunk = 1024 * 1024;
    for (const start of ['{"a":', '{"a":"', '', '[[[', '{"a":1} garbage ']) {
      const fill = start.endsWith('"') ? 'x' : start === '' ? ' ' : '[';
      const piece = Buffer.alloc(chunk, fill);
      const stream = (async function* () {
        yield Buffer.from(start);
        for (let sent = 0; sent < size / 10; sent += chunk) yield piece;
      })();
      const before = process.memoryUsage();
      const skips = new SkipList();
      let count = 0;
      for await (const _record of readRecords(stream, skips)) count++;
      const after = process.memoryUsage();
      expect(after.external + after.heapUsed - before.external - before.heapUsed).toBeLessThan(150 * 1024 * 1024);
      expect(count).toBeLessThan(2);
      expect(skips.count).toBeLessThan(10);
    }
  });

  test('splits lines of any ending and length', async () => {
    const skips = new SkipList();
    const read = async (text: string, size: number) => {
      const lines: string[] = [];
      for await (const line of readLines(chunks(Buffer.from(text), size), skips, 20)) lines.push(line);
      return lines;
    };
    for (const size of [1, 3, 100]) expect(await read('one\r\ntwo\n\nthree', size)).toEqual(['one', 'two', '', 'three']);
    expect(skips.count).toBe(0);
    for (const size of [1, 3, 100]) expect(await read(`one\n${'x'.repeat(50)}\ntwo`, size)).toEqual(['one', 'two']);
    expect(skips.texts[0]).toBe('Line 2 is longer than 20 bytes.');
  });
});

describe('advisories', () => {
  const read = (record: Record<string, unknown>) => {
    const skips = new SkipList();
    return { advisory: readAdvisory(record, now, skips), skips };
  };
  const affected = (events: object[], ecosystem = 'npm', more: object = {}) => ({
    package: { ecosystem, name: 'p' },
    ranges: [{ type: 'SEMVER', events }],
    ...more,
  });

  test('ends each of several branches separately in any order', () => {
    const { advisory } = read({
      id: 'GHSA-1',
      aliases: ['CVE-2024-12345', 'X-1'],
      affected: [
        affected([{ fixed: '2.1.0' }, { introduced: '2.0.0' }, { fixed: '1.5.0' }, { introduced: '0' }, { introduced: '3.0.0' }]),
      ],
    });
    expect(advisory).toMatchObject({
      cve: 'CVE-2024-12345',
      aliases: ['GHSA-1', 'X-1'],
      modifiedAt: new Date(now).toISOString(),
    });
    expect(advisory!.ranges.map(({ introduced, fixed }) => [introduced, fixed])).toEqual([
      ['0', '1.5.0'],
      ['2.0.0', '2.1.0'],
      ['3.0.0', null],
    ]);
    const is = (version: string) => advisory!.ranges.some((range) => isWithin(version, range, 'npm'));
    expect(['0.1.0', '1.4.9', '1.5.0', '2.0.0', '2.1.0', '2.9.9', '3.0.0', '99.0.0', '1.5.0-rc.1', 'latest'].filter(is)).toEqual([
      '0.1.0',
      '1.4.9',
      '2.0.0',
      '3.0.0',
      '99.0.0',
      '1.5.0-rc.1',
    ]);
  });

  test('includes the last affected version and explicit versions', () => {
    const { advisory } = read({
      id: 'GHSA-2',
      affected: [affected([{ introduced: '1.0.0' }, { last_affected: '1.2.0' }], 'npm', { versions: ['1.1.0', '5.0.0'] })],
    });
    const is = (version: string) => advisory!.ranges.some((range) => isWithin(version, range, 'npm'));
    expect(['1.0.0', '1.2.0', '1.2.1', '5.0.0', '5.0.1'].filter(is)).toEqual(['1.0.0', '1.2.0', '5.0.0']);
    // Versions already in the range are not stored twice.
    expect(advisory!.ranges.map(({ versions }) => versions)).toEqual([[], ['5.0.0']]);
  });

  test('matches only listed versions of unknown orders and reports it', () => {
    const { advisory, skips } = read({
      id: 'GHSA-3',
      affected: [
        affected([{ introduced: '0' }, { fixed: '2' }], 'NuGet'),
        affected([{ introduced: '0' }], 'NuGet', { versions: ['1.0'] }),
      ],
    });
    expect(advisory!.ranges.map(({ introduced, versions }) => [introduced, versions])).toEqual([['', ['1.0']]]);
    expect(skips.texts[0]).toContain('NuGet versions cannot be ordered');
  });

  test('reads scores and severities from vector, word or neither', () => {
    const of = (more: object) => {
      const { advisory } = read({ id: 'X-1', ...more });
      return [advisory!.cvss, advisory!.severity];
    };
    const vector = {
      severity: [
        { type: 'CVSS_V4', score: 'CVSS:4.0/AV:N' },
        { type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
      ],
    };
    expect(of(vector)).toEqual([9.8, 'critical']);
    const four = 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N';
    expect(of({ severity: [{ type: 'CVSS_V4', score: four }] })).toEqual([9.3, 'critical']);
    expect(of({ ...vector, database_specific: { severity: 'MODERATE' } })).toEqual([9.8, 'medium']);
    expect(of({ affected: [{ ...affected([]), ecosystem_specific: { urgency: 'unimportant' } }] })).toEqual([
      null,
      'informational',
    ]);
    expect(of({ severity: [{ type: 'Ubuntu', score: 'high' }] })).toEqual([null, 'high']);
    expect(of({})).toEqual([null, '']);
  });

  test('survives hostile entries: prototype keys, wrong types, control characters, endless lists', () => {
    const bad = [
      {},
      { id: 5 },
      { id: '' },
      { id: 'a b' },
      { id: 'x'.repeat(500) },
      { id: ['CVE-2024-1234'] },
      JSON.parse('{"__proto__":{"id":"CVE-2024-1234"}}'),
    ];
    for (const record of bad) expect(read(record).advisory).toBeUndefined();
    const strange = read(
      JSON.parse(
        '{"id":"CVE-2024-1234","summary":"a\\u0000b\\ud800c","details":7,"aliases":{"0":"x"},"modified":"yesterday","withdrawn":[],"affected":[null,1,"x",{"package":null},{"package":{"name":"constructor","ecosystem":"__proto__"}},{"package":{"name":"p","ecosystem":"npm"},"ranges":[null,{"events":{"length":5}},{"events":[null,{"introduced":1},{"introduced":"0"},{"fixed":"not a version"}]}],"versions":[null,1,"1.0.0"]}]}',
      ),
    );
    expect(strange.advisory).toMatchObject({ id: 'CVE-2024-1234', title: 'a\uFFFDb\uFFFDc', details: '', withdrawnAt: null });
    expect(({} as Record<string, unknown>).id).toBeUndefined();
    expect(strange.skips.count).toBeGreaterThan(3);
    const many = read({
      id: 'CVE-2024-1234',
      aliases: Array.from({ length: 10_000 }, (_, at) => `A-${at}`),
      affected: [affected([{ introduced: '0' }], 'NuGet', { versions: Array.from({ length: 100_000 }, (_, at) => `${at}`) })],
    });
    expect(many.advisory!.aliases.length).toBeLessThanOrEqual(200);
    expect(many.advisory!.ranges[0]!.versions.length).toBeLessThanOrEqual(5_000);
    expect(many.skips.texts.join()).toContain('only the first 5000');
  });

  test('parses EPSS and known exploited vulnerabilities', () => {
    const skips = new SkipList();
    expect(readEpssLine('#model_version:v2025.03.14,score_date:2026-11-20T00:00:00+0000', skips)).toEqual({ day: '2026-11-20' });
    expect(readEpssLine('cve,epss,percentile', skips)).toEqual({});
    expect(readEpssLine('cve-2024-1234,0.00043,0.1', skips)).toEqual({ row: { cve: 'CVE-2024-1234', score: 0.00043 } });
    expect(readEpssLine('"CVE-2024-1234","9e-05",0', skips)).toEqual({ row: { cve: 'CVE-2024-1234', score: 0.00009 } });
    expect(skips.count).toBe(0);
    for (const line of [
      'CVE-2024-1234,1.5',
      'CVE-2024-1234,-1',
      'CVE-2024-1234,NaN',
      'CVE-2024-1234',
      "'; drop table",
      'CVE-1-1,0.5',
      'CVE-2024-1234,0x1',
    ])
      expect(readEpssLine(line, skips)).toEqual({});
    expect(skips.count).toBe(7);
    expect(readExploited({}, skips)).toBeUndefined();
    const entries = [
      { cveID: 'CVE-2021-44228', vulnerabilityName: 'Log4Shell', dateAdded: '2021-12-10', dueDate: 'soon' },
      null,
      { cveID: 'x' },
    ];
    expect(readExploited({ count: 3, vulnerabilities: entries }, skips)).toEqual({
      rows: [{ cve: 'CVE-2021-44228', name: 'Log4Shell', addedAt: '2021-12-10', dueAt: null }],
      isWhole: false,
    });
    expect(readExploited({ count: 1, vulnerabilities: entries.slice(0, 1) }, skips)!.isWhole).toBe(true);
  });
});
