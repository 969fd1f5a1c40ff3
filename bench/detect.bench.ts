/**
 * Detection alone against `JSON.parse` of the same events, one core, interleaved in one run, so that the ratio is independent
 * of the machine. 2,000 rules shaped like SigmaHQ's and events shaped like Winlogbeat's are generated from a fixed seed.
 * Budgets for the mixed lane: ratio ≥ 0.16 required, ≥ 0.22 targeted.
 */
import { pathToFileURL } from 'node:url';
import { compileRules } from '@parapet/sigma/matcher.ts';
import { loadRules } from '@parapet/sigma/rules.ts';
import { type Event, mixedEvent, processEvent } from './detect.events.ts';
import { ruleFiles } from './detect.rules.ts';
import { seeded } from './detect.words.ts';

export interface Result {
  name: string;
  unit: string;
  value: number;
  limit: number;
  ratio: number;
}

/** The generated rules as files for `loadRules`. */
export const generatedRules = (count = RULES): Iterable<{ file: string; text: string }> => ruleFiles(count);

/** Deterministic events of the mixed lane. */
export function generatedEvents(count: number): Event[] {
  const random = seeded(1);
  return Array.from({ length: count }, () => mixedEvent(random));
}

const RULES = 2_000;
const EVENTS = 12_000;
const ROUNDS = 9;

/** Events per second for `JSON.parse` (limit) and matching (value): medians of interleaved rounds. */
export async function run(): Promise<Result[]> {
  const { rules, faults } = loadRules(ruleFiles(RULES));
  if (faults.length > 0) throw new Error(`the generated rules do not load: ${faults[0]!.reason}`);
  const matcher = compileRules(rules);
  const results: Result[] = [];
  for (const [name, make] of [
    ['detect.mixed', mixedEvent],
    ['detect.process', processEvent],
  ] as const) {
    const random = seeded(name.length);
    const texts = Array.from({ length: EVENTS }, () => JSON.stringify(make(random)));
    const limits: number[] = [];
    const values: number[] = [];
    for (let round = -2; round < ROUNDS; round++) {
      const limit = perSecond(texts, (text) => JSON.parse(text));
      const documents = texts.map((text) => JSON.parse(text) as Event);
      const value = perSecond(documents, (document) => matcher.match(document));
      if (round < 0) continue;
      limits.push(limit);
      values.push(value);
    }
    const value = median(values);
    const limit = median(limits);
    results.push({
      name,
      unit: 'events/s',
      value: Math.round(value),
      limit: Math.round(limit),
      ratio: Number((value / limit).toFixed(3)),
    });
  }
  return results;
}

let sink: unknown;

function perSecond<T>(items: T[], each: (item: T) => unknown): number {
  const start = performance.now();
  for (let i = 0; i < items.length; i++) sink = each(items[i]!);
  return (items.length / (performance.now() - start)) * 1000;
}

const median = (numbers: number[]): number => numbers.sort((a, b) => a - b)[numbers.length >> 1]!;

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const result of await run()) process.stdout.write(`${JSON.stringify(result)}\n`);
  if (sink === null) process.exitCode = 1;
}
