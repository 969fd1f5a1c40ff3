/** Tests wait for what happens, never for a time. Ceilings only fall. */
import { describe, expect, test } from 'vitest';
import { isTestFile } from './architecture.rules.ts';
import { sourceFiles, textOf } from './imports.ts';
import { fixedSleepsIn } from './sleeps.ts';

/** Files with fixed sleeps that nothing observable can replace. */
const allowed: Record<string, { count: number; reason: string }> = {
  'packages/agent/src/ship.test.ts': { count: 1, reason: 'a revoked agent sends nothing more, and has no later request' },
  'packages/agent/src/sources.test.ts': { count: 1, reason: 'journalctl follows without an end, and gives no entry twice' },
  'packages/server/test/agent.host.long.test.ts': { count: 2, reason: 'nothing passes over a connection that was cut' },
  'packages/server/test/backup.drill.long.test.ts': { count: 1, reason: 'the period of the backup’s log' },
  'packages/server/test/reliability.noisy.long.test.ts': { count: 1, reason: 'a shipper’s pause before it sends again' },
  'packages/server/test/reliability.scarce.long.test.ts': { count: 2, reason: 'the time for which a load lasts' },
  'packages/server/vm/agent.boot.ts': { count: 5, reason: 'a booted machine stays cut off, and its memory settles' },
};

const tests = sourceFiles('{packages,tools,e2e}/**/*.{ts,tsx}').filter(
  (file) => (isTestFile(file) || file.startsWith('e2e/')) && !file.startsWith('tools/sleeps.'),
);

test('tests sleep for a fixed time only where nothing can be observed', () => {
  const found = tests.map((file) => ({ file, lines: fixedSleepsIn(textOf(file)) })).filter(({ lines }) => lines.length > 0);
  const places = (among: typeof found) => among.flatMap(({ file, lines }) => lines.map((line) => `${file}:${line}`));
  expect(places(found.filter(({ file, lines }) => lines.length > (allowed[file]?.count ?? 0)))).toEqual([]);
  // A ceiling above what is left is lowered with the change that allows it.
  expect(found.map(({ file, lines }) => [file, lines.length])).toEqual(
    Object.entries(allowed).map(([file, { count }]) => [file, count]),
  );
});

describe('fixedSleepsIn', () => {
  const head = "import { setTimeout as pause } from 'node:timers/promises';\n";

  test('finds a pause before an expectation', () => {
    expect(fixedSleepsIn(`${head}test('a', async () => {\n  await pause(300);\n});\n`)).toEqual([3]);
    expect(fixedSleepsIn('  await new Promise((resolve) => setTimeout(resolve, 20));\n')).toEqual([1]);
    expect(fixedSleepsIn('  await page.waitForTimeout(500);\n')).toEqual([1]);
  });

  test('finds a pause of a function that is made in a loop', () => {
    expect(fixedSleepsIn(`${head}for (const a of b) {\n  test(a, async () => {\n    await pause(300);\n  });\n}\n`)).toEqual([4]);
  });

  test('leaves out polls, loads and random moments', () => {
    expect(fixedSleepsIn(`${head}for (;;) {\n  if (isDone()) {\n    await pause(20);\n  }\n}\n`)).toEqual([]);
    expect(fixedSleepsIn(`${head}while (!isDone()) await pause(20);\n`)).toEqual([]);
    expect(fixedSleepsIn(`${head}await pause(Math.random() * 30);\n`)).toEqual([]);
    expect(fixedSleepsIn('await pause(client);\n')).toEqual([]);
  });
});
