/** Bounds on the code’s size and on exceptions that still stand. Ceilings only fall: lower one with the change that allows it. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isTestFile } from './architecture.rules.ts';
import { importCycles, importsOf, root, sourceFiles, textOf } from './imports.ts';

const ceilings = {
  /** Production files above 400 lines. */
  longFiles: 0,
  /** Test files above 500 lines. */
  longTests: 0,
  /** Production functions above 80 lines. */
  longFunctions: 1,
  /** Groups of files that import each other, types included. */
  typeCycles: 0,
  /** Reads of the present time past `Clock`, in the server. */
  bareTimes: 0,
  /** Citations of decisions by a bare number. */
  bareDecisions: 0,
};

const files = sourceFiles('{packages,tools,bench,e2e}/**/*.{ts,tsx}');
const isTest = (file: string) => isTestFile(file) || /^(e2e|bench)\//.test(file);

/** `path:line` of every match, file by file. */
const placesOf = (pattern: RegExp, among: readonly string[]): string[] =>
  among.flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line, index) => [...line.matchAll(pattern)].map(() => `${file}:${index + 1}`)),
  );

/** Fails above the ceiling with the whole list. */
function expectAtMost(ceiling: number, found: readonly string[]): void {
  if (found.length > ceiling) expect.unreachable(`${found.length} found, ${ceiling} allowed:\n${found.join('\n')}`);
}

describe('files and functions', () => {
  const longerThan = (lines: number) => (file: string) => textOf(file).split('\n').length - 1 > lines;

  test('keeps production files at 400 lines and test files at 500', () => {
    expectAtMost(ceilings.longFiles, files.filter((file) => !isTest(file)).filter(longerThan(400)));
    expectAtMost(ceilings.longTests, files.filter(isTest).filter(longerThan(500)));
  });

  test('keeps functions at 80 lines', () => {
    const rule = '--only=complexity/noExcessiveLinesPerFunction';
    const report = execFileSync(
      join(root, 'node_modules/.bin/biome'),
      ['lint', rule, '--reporter=github', '--max-diagnostics=none', 'packages', 'tools'],
      { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    );
    const found = [...report.matchAll(/noExcessiveLinesPerFunction,file=([^,]+),line=(\d+)/g)].map(
      ([, file, line]) => `${file}:${line}`,
    );
    expect(found).not.toEqual([]);
    expectAtMost(
      ceilings.longFunctions,
      found.filter((place) => !isTest(place.replace(`${root}`, '').replace(/:\d+$/, ''))),
    );
  }, 60_000);
});

describe('imports', () => {
  const imports = files.flatMap(importsOf);

  test('have no cycles of values and few of types', () => {
    expect(importCycles(imports.filter(({ isTypeOnly }) => !isTypeOnly))).toEqual([]);
    expectAtMost(
      ceilings.typeCycles,
      importCycles(imports).map((group) => group.join(' ')),
    );
  });

  test('shows a cycle of three', () => {
    const edge = (file: string, target: string) => ({ file, target });
    expect(importCycles([edge('a', 'b'), edge('b', 'c'), edge('c', 'a'), edge('d', 'a'), edge('c', 'e')])).toEqual([
      ['a', 'b', 'c'],
    ]);
  });
});

test('the server reads the time from a clock', () => {
  const server = files.filter(
    (file) => file.startsWith('packages/server/src/') && !isTest(file) && !file.endsWith('core/clock.ts'),
  );
  expectAtMost(ceilings.bareTimes, placesOf(/\bDate\.now\(\)|\bnew Date\(\)/g, server));
});

describe('citations of decisions', () => {
  const cited = files.filter((file) => !file.startsWith('tools/limits.'));

  test('name a file that exists', () => {
    const paths = cited.flatMap((file) => textOf(file).match(/docs\/decisions\/[\w-]+(\.md)?/g) ?? []);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('use paths instead of numbers', () => {
    expectAtMost(ceilings.bareDecisions, placesOf(/\bdecisions? \d+/gi, cited));
  });
});
