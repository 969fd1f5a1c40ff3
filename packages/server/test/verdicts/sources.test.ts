import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { isLocked } from './cases.ts';
import { rangeCases } from './range.ts';
import { worldCases } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'parapet-range-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('worldCases builds documents in order, without the keys of their action line', () => {
  const cases = worldCases();
  expect(cases.length).toBe(12);
  for (const { name, documents } of cases) {
    expect(isLocked(name)).toBe(false);
    expect(documents!.map(({ at }) => at)).toEqual(documents!.map(({ at }) => at).toSorted((a, b) => a - b));
    expect(documents!.some(({ document }) => '_id' in document || '_index' in document)).toBe(false);
  }
});

test('rangeCases labels recordings by what they are expected to raise', () => {
  const lines = ['2026-11-20T09:00:05.000Z', '2026-11-20T09:00:01.000Z'].map((at) => JSON.stringify({ '@timestamp': at }));
  writeFileSync(join(folder, 'a.ndjson.gz'), gzipSync(`${lines.join('\n')}\n`));
  const write = (slug: string, more: object) =>
    writeFileSync(
      join(folder, `${slug}.json`),
      JSON.stringify({
        title: slug,
        techniques: [],
        origin: 'range',
        how: 'How.',
        expected: 'high',
        events: 'a.ndjson.gz',
        ...more,
      }),
    );
  write('attack', {});
  write('backup', { expected: 'none' });
  write('discovery', { expected: 'low' });
  write('written', { origin: 'written', events: [] });
  expect(rangeCases(folder)).toMatchObject([
    { name: 'range: attack', label: 'malicious', begin: '2026-11-20T09:00:01.000Z', documents: [{}, {}] },
    { name: 'range: backup', label: 'benign' },
  ]);
  expect(rangeCases(join(folder, 'missing'))).toEqual([]);
});
