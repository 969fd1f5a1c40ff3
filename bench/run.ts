/**
 * `npm run bench`: runs all benchmarks of this folder, or the named ones. Each measures its baseline in the same run and
 * returns ratios, which unlike absolute figures are independent of the machine; `budgets.json` holds the required ratios. --ci
 * runs only benchmarks that are stable on shared machines, and enforces their budgets.
 */
import { globSync, readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

export interface Result {
  name: string;
  unit: string;
  value: number;
  /** Baseline in the same unit. */
  limit: number;
  ratio: number;
}

interface Budget {
  /** Bounds of the ratio. */
  atLeast?: number;
  atMost?: number;
  /** Stable enough to be enforced in CI. */
  ci?: boolean;
}

/** Command-line options for benchmarks that support them. */
export interface Options {
  /** Reduced volume, for a quick run. */
  small: boolean;
  /** Runs only one part of the benchmark. */
  part?: string | undefined;
}

const { values, positionals } = parseArgs({
  options: {
    ci: { type: 'boolean', default: false },
    small: { type: 'boolean', default: false },
    part: { type: 'string' },
  },
  allowPositionals: true,
});
const budgets = JSON.parse(readFileSync(new URL('./budgets.json', import.meta.url), 'utf8')) as Record<string, Budget>;
const files = globSync('*.bench.ts', { cwd: import.meta.dirname }).sort();
const wanted = files.filter((file) => {
  const name = basename(file, '.bench.ts');
  if (positionals.length > 0) return positionals.includes(name);
  if (values.ci) return Object.entries(budgets).some(([key, budget]) => budget.ci && key.startsWith(`${name}.`));
  return name !== 'soak' && name !== 'store';
});
if (wanted.length === 0) {
  console.error(`Unknown benchmark. Available: ${files.map((file) => basename(file, '.bench.ts')).join(', ')}.`);
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
    // In CI, enforce only stable budgets and report the rest.
    isShort ||= Boolean(fails && (budget?.ci || !values.ci));
    const bound = budget ? (budget.atLeast !== undefined ? `≥ ${budget.atLeast}` : `≤ ${budget.atMost}`) : 'no budget';
    const figure = (value: number) => (value >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3));
    console.log(
      `${result.name.padEnd(28)} ${figure(result.value).padStart(12)} of ${figure(result.limit).padStart(12)} ${result.unit.padEnd(12)} ${result.ratio.toFixed(3)}×  ${bound}${fails ? '  ← NOT MET' : ''}`,
    );
  }
}
process.exitCode = isShort ? 1 : 0;
