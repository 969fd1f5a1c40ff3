/** Figures of this process for Prometheus: Node's own, and what became of what was sent. */
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const arrivals = new Counter({
    name: 'portal_ingest_total',
    help: 'Events and requests by what became of them (stored, duplicate, busy, too-large, …).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return {
    counted: (outcome: string, count: number): void => {
      if (count > 0) arrivals.inc({ outcome }, count);
    },
    text: () => registry.metrics(),
  };
}
