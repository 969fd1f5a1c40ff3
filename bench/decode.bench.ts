/**
 * Decoding of commands and scripts as a share of the pipeline: parsing, normalisation and detection of the same everyday events of a fleet, one
 * core, interleaved in one run, in processor time.
 */
import { fillDecoded } from '@parapet/server/pipeline/normalise/decoded.ts';
import { normalise } from '@parapet/server/pipeline/normalise/normalise.ts';
import { benignEvents } from '../detections/testing/benign/model.ts';
import { compiled, startedAt } from '../detections/testing/pairs.ts';
import { median } from './figures.ts';
import type { Result } from './run.ts';

const count = 12_000;
const warmUp = 3;
const rounds = 15;

export async function run(): Promise<Result[]> {
  const { matcher } = compiled();
  const texts = [...benignEvents({ seed: 1, count, days: 1, start: startedAt })].map(({ document }) => JSON.stringify(document));
  const pipeline: number[] = [];
  const decoding: number[] = [];
  for (let round = -warmUp; round < rounds; round++) {
    let documents: Record<string, unknown>[] = [];
    const whole = microseconds(() => {
      documents = texts.map((text) => normalise(JSON.parse(text), startedAt).document);
      for (const document of documents) matcher.match(document);
    });
    const own = microseconds(() => documents.forEach(fillDecoded));
    if (round < 0) continue;
    pipeline.push(whole);
    decoding.push(own);
  }
  const [value, limit] = [median(decoding) / count, median(pipeline) / count];
  return [{ name: 'decode.share', unit: 'µs an event', value, limit, ratio: value / limit }];
}

function microseconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
