/** Runs waiting previews of suppressions, which judge alerts and no rules. */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { systemClock } from '../src/core/clock.ts';
import { silentLog } from '../src/core/log.ts';
import { runPreviews } from '../src/features/rules/previews.worker.ts';
import type { Detector } from '../src/pipeline/detector.ts';
import type { TestApp } from './app.ts';

export const runSuppressionPreviews = ({ db }: Pick<TestApp, 'db'>): Promise<void> =>
  runPreviews({ db, clock: systemClock, detector: {} as Detector, groupingWindowMs: hourMs, log: silentLog });
