/** Figures of this process for Prometheus: Node's own, and what became of what was sent. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { installationMetrics, type Measure } from './metrics.installation.ts';
import { workMetrics } from './metrics.work.ts';
import { createRecent } from './recent.ts';

export type Metrics = ReturnType<typeof createMetrics>;

const movesStaleMs = 5 * 60_000;

/** Ids of a request; the trace’s is empty without tracing. */
export interface AnsweredIds {
  requestId: string;
  traceId: string;
}

const unlisted = /^GET \/(healthz|readyz|metrics|assets\/\*)$/;

/** Measures are kept as long, in milliseconds: several readers cost one. */
const measureMs = 10_000;

export function createMetrics(options: { isSafeMode?: boolean } = {}) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const recent = createRecent();
  const calls = callMetrics(registry);
  const installation = installationMetrics(registry, options);
  let measure: (() => Promise<Measure>) | undefined;
  let measuring: Promise<void> | undefined;
  /** Fails with none: what cannot be measured now is left out. */
  const refresh = (): Promise<void> => {
    if (!measure) return Promise.resolve();
    measuring ??= measure()
      .then(installation.measured, () => {})
      .finally(() => setTimeout(() => (measuring = undefined), measureMs).unref());
    return measuring;
  };
  return {
    ...workMetrics(registry, recent),
    /** Source of the gauges of the installation; its own failures leave them out. */
    measureBy: (source: () => Promise<Measure>): void => {
      measure = source;
    },
    ...moveMetrics(registry),
    ...calls,
    /** Slowest operations and last failures of this process. */
    recent,
    answered: (operation: string, status: number, seconds: number | undefined, ids?: AnsweredIds): void => {
      calls.answered(operation, status, seconds);
      // Requested by machines every few seconds; 503 of readyz is no failure.
      if (unlisted.test(operation)) return;
      if (seconds !== undefined) recent.timed(operation, seconds * 1000);
      if (status >= 500 && ids) recent.failed({ operation, status, ...ids, text: '' });
    },
    text: async (): Promise<string> => {
      await refresh();
      return registry.metrics();
    },
    /** The same as values. */
    values: async () => {
      await refresh();
      return registry.getMetricsAsJSON();
    },
  };
}

function callMetrics(registry: Registry) {
  const arrivals = new Counter({
    name: 'portal_ingest_total',
    help: 'Events and requests by what became of them (stored, duplicate, busy, too-large, …).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'portal_refused_calls_total',
    help: 'Calls refused by why: forbidden, signInNeeded, notFound or conflict, or the budget that was spent (calls, refusals, probing, …).',
    labelNames: ['reason'],
    registers: [registry],
  });
  const alarms = new Counter({
    name: 'portal_alarms_total',
    help: 'Bursts that raised an alarm: calls, refusals, probing, unknownCallers, signIns.',
    labelNames: ['kind'],
    registers: [registry],
  });
  const breaches = new Counter({
    name: 'portal_csp_reports_total',
    help: 'Breaches of the content-security policy that browsers reported, by directive.',
    labelNames: ['directive'],
    registers: [registry],
  });
  const requests = new Counter({
    name: 'portal_requests_total',
    help: 'Requests by operation (an endpoint of the API, or method and pattern of the route) and status.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'portal_request_duration_seconds',
    help: 'Time from a request to the end of its answer, by operation; without streams.',
    labelNames: ['operation'],
    buckets: [0.005, 0.025, 0.1, 0.3, 1, 3, 10],
    registers: [registry],
  });
  return {
    answered: (operation: string, status: number, seconds: number | undefined): void => {
      requests.inc({ operation, status: String(status) });
      if (seconds !== undefined) durations.observe({ operation }, seconds);
    },
    refused: (reason: string): void => refusals.inc({ reason }),
    alarmed: (kind: string): void => alarms.inc({ kind }),
    cspReported: (directive: string): void => breaches.inc({ directive }),
    counted: (outcome: string, count: number): void => {
      if (count > 0) arrivals.inc({ outcome }, count);
    },
  };
}

function moveMetrics(registry: Registry) {
  /** `performance.now()` of the last measure of ClickHouse’s moves. */
  let movesMeasured = Number.NEGATIVE_INFINITY;
  /** Another process may have taken the job over: what this one measured before is no state of now. */
  function dropOldMeasure(this: Gauge): void {
    if (performance.now() - movesMeasured > movesStaleMs) this.remove();
  }
  const waiting = new Gauge({
    name: 'portal_clickhouse_waiting_events',
    help: 'Events that are not in ClickHouse yet.',
    collect: dropOldMeasure,
    registers: [registry],
  });
  const lag = new Gauge({
    name: 'portal_clickhouse_lag_seconds',
    help: 'Seconds since the arrival of the first event that is not in ClickHouse yet.',
    collect: dropOldMeasure,
    registers: [registry],
  });
  return {
    movesWaiting: (events: number, seconds: number): void => {
      movesMeasured = performance.now();
      waiting.set(events);
      lag.set(seconds);
    },
  };
}
