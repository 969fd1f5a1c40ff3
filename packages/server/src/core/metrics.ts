/** Figures of this process for Prometheus: Node's own, and what became of what was sent. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { workMetrics } from './metrics.work.ts';
import { createRecent } from './recent.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** Gauges that a feature declares and measures; their names and labels are written to the documentation of operators. */
export type DeclareGauge = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) => Gauge<Label>;

/** A gauge without a value has no sample. */
export function setOrRemove(gauge: Gauge, value: number | undefined): void {
  if (value === undefined) gauge.remove();
  else gauge.set(value);
}

/** Ids of a request; the trace’s is empty without tracing. */
export interface AnsweredIds {
  requestId: string;
  traceId: string;
}

const unlisted = /^GET \/(healthz|readyz|metrics|assets\/\*)$/;

/** Measures are kept as long, in milliseconds: several readers cost one. */
const measureMs = 10_000;

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const recent = createRecent();
  const calls = callMetrics(registry);
  const gauge: DeclareGauge = (name, help, ...labelNames) => new Gauge({ name, help, labelNames, registers: [registry] });
  const measures: (() => Promise<void>)[] = [];
  let measuring: Promise<unknown> | undefined;
  /** Fails with none: what cannot be measured now is left out. */
  const refresh = (): Promise<unknown> => {
    measuring ??= Promise.allSettled(measures.map((measure) => measure())).finally(() =>
      setTimeout(() => (measuring = undefined), measureMs).unref(),
    );
    return measuring;
  };
  return {
    ...workMetrics(registry, recent),
    /** Declares gauges of a feature; the result sets them before metrics are read, at most every ten seconds. */
    measureBy: (declare: (gauge: DeclareGauge) => () => Promise<void>): void => void measures.push(declare(gauge)),
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
