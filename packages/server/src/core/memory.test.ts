import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { isWorthReleasing } from './memory.ts';

const mib = 2 ** 20;
const usage = (rss: number): NodeJS.MemoryUsage => ({
  rss: rss * mib,
  heapTotal: 250 * mib,
  heapUsed: 200 * mib,
  external: 50 * mib,
  arrayBuffers: 0,
});

describe('isWorthReleasing', () => {
  test('takes a process at rest sooner than one at work', () => {
    expect(isWorthReleasing(usage(370), 96 * mib, 0.05)).toBe(false);
    expect(isWorthReleasing(usage(420), 96 * mib, 0.05)).toBe(true);
    expect(isWorthReleasing(usage(420), 96 * mib, 0.9)).toBe(false);
    expect(isWorthReleasing(usage(620), 96 * mib, 0.9)).toBe(true);
  });

  test('leaves out what the last release could not return', () => {
    expect(isWorthReleasing(usage(420), 150 * mib, 0.05)).toBe(false);
  });
});

test('returns pages that an ordinary collection leaves with the process', () => {
  const script = `
    import { releaseMemory } from ${JSON.stringify(new URL('memory.ts', import.meta.url).href)};
    let rows = [];
    for (let round = 0; round < 4; round++) rows = Array.from({ length: 400_000 }, (_, at) => ({ at, text: 'row ' + at, pair: [at, round] }));
    rows = [];
    gc();
    const before = process.memoryUsage();
    releaseMemory();
    console.log(JSON.stringify([before, process.memoryUsage()].map(({ rss, heapUsed }) => rss - heapUsed)));`;
  const [before, after] = JSON.parse(
    execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], { encoding: 'utf8', timeout: 60_000 }),
  ) as [number, number];
  expect(before - after).toBeGreaterThan(100 * mib);
});
