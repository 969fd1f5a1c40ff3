/** Probes for billing; see access.probes.ts. Their target has no company of the client, so that none is sent to a PSA. */
import { organisation, type Probe } from './access.probes.kinds.ts';

const month = '2026-10';
const ofTarget = (more: { query?: Record<string, unknown>; body?: object }): Probe =>
  organisation(({ id, things }) => ({ params: { client: id, target: things.targetId }, ...more }));

export const confirmBody = {
  month,
  lines: [{ measure: 'servers', agreementId: '1', itemId: '1', current: 1, quantity: 2, newestId: 0 }],
};

export const billingProbes: Record<string, Probe> = {
  'billing.list': organisation(({ id }) => ({ params: { client: id }, query: { month } }), { takesAll: true }),
  'billing.csv': organisation(({ id }) => ({ params: { client: id }, query: { month } }), { takesAll: true }),
  'billing.items': organisation(({ id }) => ({ params: { client: id }, query: { month } })),
  'billing.targets': organisation(({ id }) => ({ params: { client: id } })),
  'billing.compare': ofTarget({ query: { month } }),
  'billing.saveLines': ofTarget({ body: { lines: [] } }),
  'billing.confirm': ofTarget({ body: confirmBody }),
  'billing.correct': organisation(({ id }) => ({
    params: { client: id },
    body: { month, measure: 'servers', amount: 1, reason: 'Counted twice' },
  })),
};
