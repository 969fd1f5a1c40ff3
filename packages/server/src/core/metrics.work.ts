/** Durations of the work of this process: steps of the pipeline, jobs, statements, deliveries. Labels are names of the code, never of tenants. */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Recent } from './recent.ts';
import { currentTraceId, traced } from './telemetry/tracing.ts';

/** Outcome of a sent message: accepted, or why it was not. */
export type DeliveryOutcome = 'accepted' | 'retry' | 'refused';
const outcomes: readonly DeliveryOutcome[] = ['accepted', 'retry', 'refused'];

export function workMetrics(registry: Registry, recent: Pick<Recent, 'failed'>) {
  const registers = [registry];
  const steps = new Histogram({
    name: 'portal_pipeline_step_duration_seconds',
    help: 'Time of one event in a step of the pipeline; one event of sixteen is timed.',
    labelNames: ['step'],
    buckets: [0.00001, 0.0001, 0.001, 0.01, 0.1],
    registers,
  });
  const batches = new Histogram({
    name: 'portal_ingest_batch_duration_seconds',
    help: 'Time of a batch of events in the pipeline and in the store, until its commit.',
    labelNames: ['part'],
    buckets: [0.005, 0.025, 0.1, 0.25, 1, 5],
    registers,
  });
  const jobs = new Histogram({
    name: 'portal_job_duration_seconds',
    help: 'Time of a run of a job or of a worker’s round, by name.',
    labelNames: ['name'],
    buckets: [0.1, 1, 10, 60, 600],
    registers,
  });
  const jobFailures = new Counter({
    name: 'portal_job_failures_total',
    help: 'Runs of jobs and rounds of workers that failed, by name.',
    labelNames: ['name'],
    registers,
  });
  const waits = new Histogram({
    name: 'portal_database_wait_seconds',
    help: 'Wait of a transaction for a connection of the pool.',
    buckets: [0.001, 0.01, 0.1, 1, 5],
    registers,
  });
  const statements = new Histogram({
    name: 'portal_database_statement_duration_seconds',
    help: 'Time of a statement until its rows are there, by the first table that it names.',
    labelNames: ['table'],
    buckets: [0.005, 0.05, 0.5, 5],
    registers,
  });
  const deliveries = new Counter({
    name: 'portal_deliveries_total',
    help: 'Attempts to send a message, by kind of target (email, webhook, …) and outcome.',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const deliveryTimes = new Histogram({
    name: 'portal_delivery_duration_seconds',
    help: 'Time of an attempt to send a message, by kind of target.',
    labelNames: ['kind'],
    buckets: [0.1, 0.5, 2, 10, 30],
    registers,
  });
  return {
    stepped: (step: string, seconds: number): void => steps.labels(step).observe(seconds),
    batched: (part: 'pipeline' | 'store', seconds: number): void => batches.labels(part).observe(seconds),
    waited: (seconds: number): void => waits.observe(seconds),
    ran: (table: string, seconds: number): void => statements.labels(table).observe(seconds),
    delivered: (kind: string, outcome: DeliveryOutcome, seconds: number): void => {
      // A rate needs a sample before the first, and a comparison a series of each outcome.
      for (const each of outcomes) deliveries.inc({ kind, outcome: each }, each === outcome ? 1 : 0);
      deliveryTimes.observe({ kind }, seconds);
    },
    /** Begins the count of a job’s failures at 0: the increase of a series misses its first value. */
    expectJob: (name: string): void => jobFailures.inc({ name }, 0),
    /** Times a run of a job or a round of a worker; a failure is counted and thrown on. */
    async timed<T>(job: string, work: () => Promise<T>): Promise<T> {
      const started = performance.now();
      jobFailures.inc({ name: job }, 0);
      let traceId = '';
      try {
        return await traced(`job ${job}`, {}, () => {
          traceId = currentTraceId();
          return work();
        });
      } catch (error) {
        jobFailures.inc({ name: job });
        recent.failed({
          operation: `job ${job}`,
          status: null,
          requestId: '',
          traceId,
          text: String((error as Error)?.message ?? error),
        });
        throw error;
      } finally {
        jobs.observe({ name: job }, (performance.now() - started) / 1000);
      }
    },
  };
}
