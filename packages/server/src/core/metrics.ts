/** Figures of this process for Prometheus: Node's own, and what became of what was sent. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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
  const waiting = new Gauge({
    name: 'portal_clickhouse_waiting_events',
    help: 'Events that are not in ClickHouse yet.',
    registers: [registry],
  });
  const lag = new Gauge({
    name: 'portal_clickhouse_lag_seconds',
    help: 'Seconds since the arrival of the first event that is not in ClickHouse yet.',
    registers: [registry],
  });
  return {
    movesWaiting: (events: number, seconds: number): void => {
      waiting.set(events);
      lag.set(seconds);
    },
    refused: (reason: string): void => refusals.inc({ reason }),
    alarmed: (kind: string): void => alarms.inc({ kind }),
    cspReported: (directive: string): void => breaches.inc({ directive }),
    counted: (outcome: string, count: number): void => {
      if (count > 0) arrivals.inc({ outcome }, count);
    },
    text: () => registry.metrics(),
  };
}
