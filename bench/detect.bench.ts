/**
 * Detection alone against `JSON.parse` of the same events, one core, interleaved in one run, so that the ratio is independent
 * of the machine. Two lanes with 2,000 rules shaped like SigmaHQ's and events shaped like Winlogbeat's, generated from a fixed seed; three with the
 * product's own rules and events with every field that their sources write, normalised as in the pipeline: everyday events of a fleet, its
 * process starts, and the near misses of the rules' test pairs, the worst case. The last lane compares different exceptions for each client with one
 * set for all.
 */
import { pathToFileURL } from 'node:url';
import { normalise } from '@parapet/server/pipeline/normalise/normalise.ts';
import { compileRules, type Matcher } from '@parapet/sigma/matcher.ts';
import { loadRules } from '@parapet/sigma/rules.ts';
import { benignEvents } from '../detections/testing/benign/model.ts';
import { seeded } from '../detections/testing/benign/random.ts';
import { compiled, documentsOf, startedAt } from '../detections/testing/pairs.ts';
import { type Event, mixedEvent, processEvent } from './detect.events.ts';
import { exceptionsLane } from './detect.exceptions.ts';
import { ruleFiles } from './detect.rules.ts';

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
/** Coprime to the number of events: every event comes, neighbours of one rule do not come in a row. */
const STRIDE = 7_919;

/** Events per second for `JSON.parse` (limit) and matching (value): medians of interleaved rounds. In CI only the lane that it enforces. */
export async function run(isCi: boolean): Promise<Result[]> {
  const { rules, faults } = loadRules(ruleFiles(RULES));
  if (faults.length > 0) throw new Error(`the generated rules do not load: ${faults[0]!.reason}`);
  const generated = compileRules(rules);
  const events = (name: string, make: typeof mixedEvent): Event[] => {
    const random = seeded(name.length);
    return Array.from({ length: EVENTS }, () => make(random));
  };
  const mixed = lane('detect.mixed', generated, events('detect.mixed', mixedEvent));
  if (isCi) return [mixed];
  const { matcher } = compiled();
  const fleet = fleetEvents();
  const starts = fleet.filter(({ winlog }) => isProcessStart(winlog));
  return [
    mixed,
    lane('detect.process', generated, events('detect.process', processEvent)),
    lane('detect.own.mixed', matcher, fleet),
    lane(
      'detect.own.process',
      matcher,
      Array.from({ length: EVENTS }, (_, at) => starts[at % starts.length]!),
    ),
    lane('detect.own.near', matcher, nearMisses()),
    resultOf('detect.exceptions', exceptionsLane(fleet)),
  ];
}

function lane(name: string, matcher: Matcher, events: readonly Event[]): Result {
  const texts = events.map((event) => JSON.stringify(event));
  const limits: number[] = [];
  const values: number[] = [];
  for (let round = -2; round < ROUNDS; round++) {
    const limit = perSecond(texts, (text) => JSON.parse(text));
    const documents = texts.map((text) => normalise(JSON.parse(text), startedAt).document);
    const value = perSecond(documents, (document) => matcher.match(document));
    if (round < 0) continue;
    limits.push(limit);
    values.push(value);
  }
  return resultOf(name, { values, limits });
}

function resultOf(name: string, { values, limits }: { values: number[]; limits: number[] }): Result {
  const value = median(values);
  const limit = median(limits);
  return {
    name,
    unit: 'events/s',
    value: Math.round(value),
    limit: Math.round(limit),
    ratio: Number((value / limit).toFixed(3)),
  };
}

/** Everyday events of a fleet, in the shares of their sources. */
const fleetEvents = (): Event[] =>
  [...benignEvents({ seed: 1, count: EVENTS, days: 1, start: startedAt })].map(({ document }) => document as Event);

/** Near misses of the rules' pairs: harmless events of every source, as near to a rule as events can be. */
function nearMisses(): Event[] {
  const distinct = compiled().rules.flatMap(({ file }) => documentsOf(file).misses as Event[]);
  return Array.from({ length: EVENTS }, (_, at) => distinct[(at * STRIDE) % distinct.length]!);
}

const isProcessStart = (winlog: unknown): boolean =>
  typeof winlog === 'object' && winlog !== null && ['1', '4688'].includes(String((winlog as { event_id?: unknown }).event_id));

let sink: unknown;

function perSecond<T>(items: T[], each: (item: T) => unknown): number {
  const start = performance.now();
  for (let i = 0; i < items.length; i++) sink = each(items[i]!);
  return (items.length / (performance.now() - start)) * 1000;
}

const median = (numbers: number[]): number => numbers.sort((a, b) => a - b)[numbers.length >> 1]!;

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const result of await run(false)) process.stdout.write(`${JSON.stringify(result)}\n`);
  if (sink === null) process.exitCode = 1;
}
