import { billingApi } from '@parapet/contract/billing.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { BillingService } from './billing.service.ts';

export function billingRoutes(serving: Serving, billing: BillingService): void {
  serve(serving, billingApi.list, ({ actor, params, query }) => billing.list(actor, params.client, query.month));
  serve(serving, billingApi.csv, ({ actor, params, query }) => billing.csv(actor, params.client, query.month));
  serve(serving, billingApi.items, ({ actor, params, query }) => billing.items(actor, params.client, query));
  serve(serving, billingApi.targets, ({ actor, params }) => billing.targets(actor, params.client));
  serve(serving, billingApi.compare, ({ actor, params, query }) =>
    billing.compare(actor, params.client, params.target, query.month),
  );
  serve(serving, billingApi.saveLines, async ({ actor, params, body }) => {
    await billing.saveLines(actor, params.client, params.target, body.lines);
    return {};
  });
  serve(serving, billingApi.confirm, ({ actor, params, body }) => billing.confirm(actor, params.client, params.target, body));
  serve(serving, billingApi.correct, ({ actor, params, body }) => billing.correct(actor, params.client, body));
}
