/**
 * `npm run bench`: every benchmark in this folder, or those named. Each measures the limit, or the rival, in the same run and answers ratios;
 * `budgets.json` says what a ratio must reach. Absolute figures drift with the machine, ratios do not. With --ci only what is steady on a shared
 * machine is measured: such a budget is held there.
 */
import { globSync, readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

export interface Result {
  name: string;
  unit: string;
  value: number;
  /** What the value is held against, in the same unit. */
  limit: number;
  ratio: number;
}

interface Budget {
  /** The ratio must be at least, or at most, this. */
  atLeast?: number;
  atMost?: number;
  /** Steady enough to be held in CI. */
  ci?: boolean;
}

/** Of the command line, for those that know them. */
export interface Options {
  /** Less of everything, for a first look. */
  small: boolean;
  /** Only a part of the benchmark. */
  part?: string | undefined;
  /** Where misses are written. */
  misses?: string | undefined;
}

const { values, positionals } = parseArgs({
  options: {
    ci: { type: 'boolean', default: false },
    small: { type: 'boolean', default: false },
    part: { type: 'string' },
    misses: { type: 'string' },
  },
  allowPositionals: true,
});
const budgets = JSON.parse(readFileSync(new URL('./budgets.json', import.meta.url), 'utf8')) as Record<string, Budget>;
const files = globSync('*.bench.ts', { cwd: import.meta.dirname }).sort();
const wanted = files.filter((file) => {
  const name = basename(file, '.bench.ts');
  if (positionals.length > 0) return positionals.includes(name);
  if (values.ci) return Object.entries(budgets).some(([key, budget]) => budget.ci && key.startsWith(`${name}.`));
  return name !== 'soak';
});
if (wanted.length === 0) {
  console.error(`There is no such benchmark. There are: ${files.map((file) => basename(file, '.bench.ts')).join(', ')}.`);
  process.exit(1);
}

console.log(`${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}\n`);
let isShort = false;
for (const file of wanted) {
  const { run } = (await import(new URL(file, import.meta.url).href)) as {
    run: (isCi: boolean, options: Options) => Promise<Result[]>;
  };
  for (const result of await run(values.ci, values)) {
    const budget = budgets[result.name];
    const fails = budget && ((budget.atLeast ?? 0) > result.ratio || (budget.atMost ?? Infinity) < result.ratio);
    // In CI only what is steady there; the rest is told.
    isShort ||= Boolean(fails && (budget?.ci || !values.ci));
    const asked = budget ? (budget.atLeast !== undefined ? `≥ ${budget.atLeast}` : `≤ ${budget.atMost}`) : 'no budget';
    const figure = (value: number) => (value >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3));
    console.log(
      `${result.name.padEnd(28)} ${figure(result.value).padStart(12)} of ${figure(result.limit).padStart(12)} ${result.unit.padEnd(12)} ${result.ratio.toFixed(3)}×  ${asked}${fails ? '  ← NOT MET' : ''}`,
    );
  }
}
process.exitCode = isShort ? 1 : 0;
