/**
 * Mutation test of the code of access and tenant scope: `npm run mutants [-- --only actor] [--cells 60] [--seed 1]`. Each small change of a source must
 * make one of its tests fail. Ends with code 1 below 90%. `--cells`: number of cells of the access table to change; all by default.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { randomFor } from '@parapet/world/random.ts';
import { createVitest, type TestProject } from 'vitest/node';
import { equivalents } from './mutants.equivalent.ts';
import { type Mutant, mutantsOf } from './mutants.rules.ts';

interface Subject {
  source: string;
  tests: string[];
}

const contract = 'packages/contract/src';
const server = 'packages/server/src/core';
const accessTests = [`${contract}/access.test.ts`, `${contract}/access.keys.test.ts`, 'packages/server/test/access.test.ts'];
export const subjects: readonly Subject[] = [
  { source: `${contract}/access.ts`, tests: accessTests },
  { source: `${contract}/visibility.ts`, tests: accessTests },
  { source: `${server}/http/actor.ts`, tests: [`${server}/http/actor.test.ts`] },
  { source: `${server}/db/within.ts`, tests: [`${server}/db/within.test.ts`] },
  { source: `${server}/db/scope-proof.ts`, tests: [`${server}/db/scope-proof.test.ts`] },
  { source: `${server}/db/scope.ts`, tests: [`${server}/db/scope.test.ts`, `${server}/db/scope.transactions.test.ts`] },
];

const minScore = 0.9;
/** Of one mutant. */
const limitMs = 5 * 60_000;
const { values: options } = parseArgs({
  options: { only: { type: 'string', default: '' }, cells: { type: 'string' }, seed: { type: 'string', default: '1' } },
});

let current: { path: string; text: string } | undefined;
const vitest = await createVitest(
  'test',
  {
    config: false,
    watch: false,
    include: subjects.flatMap(({ tests }) => tests),
    globalSetup: ['packages/server/test/database.setup.ts'],
    reporters: [{}],
    // A thread ends with this process, also within a loop.
    pool: 'threads',
    maxWorkers: 1,
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    bail: 1,
    // Mutants have the path of their source.
    fsModuleCache: false,
  },
  {
    plugins: [
      {
        name: 'mutant',
        enforce: 'pre',
        transform: (_code, id) => (id === current?.path ? { code: current.text, map: null } : undefined),
      },
    ],
  },
);

async function passes(tests: readonly string[], project: TestProject): Promise<boolean> {
  const specifications = tests.map((test) => project.createSpecification(resolve(test)));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  return unhandledErrors.length === 0 && testModules.length > 0 && testModules.every((each) => each.ok());
}

/** Throws when tests fail without a change: before, or after mutants that left the worker in another state. */
async function requirePass({ source, tests }: Subject, moment: 'before' | 'after'): Promise<void> {
  current = undefined;
  vitest.invalidateFile(resolve(source));
  if (!(await passes(tests, project))) throw new Error(`The tests of ${source} fail without a change, ${moment} its mutants.`);
}

function chosen(mutants: Mutant[]): Mutant[] {
  if (options.cells === undefined) return mutants;
  const isCell = ({ before }: Mutant) => /\brow\('/.test(before);
  const random = randomFor(options.seed, 'cells');
  const cells = mutants.filter(isCell);
  while (cells.length > Number(options.cells)) cells.splice(random.int(0, cells.length - 1), 1);
  return [...mutants.filter((each) => !isCell(each)), ...cells];
}

let [killed, survived, equivalent] = [0, 0, 0];
const project = vitest.getRootProject();
for (const subject of subjects.filter((each) => each.source.includes(options.only))) {
  const { source, tests } = subject;
  const path = resolve(source);
  await requirePass(subject, 'before');
  let [own, all] = [0, 0];
  for (const { text, line, before, after } of chosen(mutantsOf(readFileSync(path, 'utf8')))) {
    if (equivalents.some((each) => each.source === source && each.before === before && each.after === after)) {
      equivalent++;
      continue;
    }
    current = { path, text };
    vitest.invalidateFile(path);
    all++;
    // A loop without an end blocks the worker, whose own limits then never fire. It is found by its line, to be listed as such.
    const limit = setTimeout(() => {
      console.error(`${source}:${line} did not end within ${limitMs / 60_000} minutes\n  - ${before}\n  + ${after}`);
      process.exit(1);
    }, limitMs);
    if (!(await passes(tests, project))) own++;
    else console.log(`survived  ${source}:${line}\n  - ${before}\n  + ${after}`);
    clearTimeout(limit);
  }
  await requirePass(subject, 'after');
  console.log(`${source}: ${own} of ${all} noticed`);
  killed += own;
  survived += all - own;
}
await vitest.close();
const score = killed / (killed + survived);
console.log(`${killed} of ${killed + survived} noticed (${(score * 100).toFixed(1)}%), ${equivalent} equivalent`);
process.exit(score >= minScore ? 0 : 1);
