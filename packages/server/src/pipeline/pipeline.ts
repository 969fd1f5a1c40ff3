/**
 * Ingestion pipeline from shipper to alert. Each step is one file that examines one event and decides its outcome. No step
 * waits on a database; event-writer.ts writes the results in one transaction per batch.
 */
import { shouldYield, yieldToEventLoop } from '../core/yielding.ts';
import type { Arrival, Event } from './event.ts';
import { type DeadReason, type DropReason, dead, type Result } from './result.ts';
import type { Batch, Step } from './step.ts';
import { dedupe } from './steps/dedupe.ts';
import { detect } from './steps/detect.ts';
import { enrich } from './steps/enrich.ts';
import { identify } from './steps/identify.ts';
import { normaliseStep } from './steps/normalise.ts';
import { parse } from './steps/parse.ts';
import { reserve } from './steps/reserve.ts';

export const steps: readonly Step[] = [parse, identify, normaliseStep, reserve, dedupe, enrich, detect];

export type Outcome =
  | { kind: 'ok'; event: Event }
  | { kind: 'drop'; reason: DropReason; event: Event }
  | { kind: 'dead'; reason: DeadReason; text: string; step: string; arrival: Arrival };

/** Receives the seconds of an event in a step. */
export type Stepped = (step: string, seconds: number) => void;

/** One event of so many is timed. */
const timedEach = 16;

/** Returns one outcome per arrival, in order. */
export async function runPipeline(arrivals: readonly Arrival[], batch: Batch, stepped?: Stepped): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [index, arrival] of arrivals.entries()) {
    outcomes.push(runSteps(arrival, batch, index % timedEach === 0 ? stepped : undefined));
    if (shouldYield()) await yieldToEventLoop();
  }
  return outcomes;
}

function runSteps(arrival: Arrival, batch: Batch, stepped: Stepped | undefined): Outcome {
  const receivedAt = arrival.receivedAt ?? batch.receivedAt;
  const event: Event = {
    arrival,
    organisationId: batch.organisationId,
    receivedAt,
    document: {},
    id: '',
    at: receivedAt,
    clockSkew: 0,
    hasOwnTime: false,
    shape: 'unknown',
    deviceName: undefined,
    userName: undefined,
    text: '',
    matches: [],
    shadowMatches: [],
  };
  for (const step of steps) {
    let result: Result;
    const started = stepped ? performance.now() : 0;
    try {
      result = step(event, batch);
    } catch (error) {
      result = dead(
        'step-failed',
        `The event could not be read (${step.name}): ${String((error as Error)?.message).slice(0, 200)}`,
      );
    }
    stepped?.(step.name, (performance.now() - started) / 1000);
    if (result.kind === 'drop') return { kind: 'drop', reason: result.reason, event };
    if (result.kind === 'dead') return { kind: 'dead', reason: result.reason, text: result.text, step: step.name, arrival };
  }
  return { kind: 'ok', event };
}
