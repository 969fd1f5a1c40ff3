import { balanceApi } from '@parapet/contract/reconciliation.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { BalanceService } from './balance.service.ts';

export function balanceRoutes(serving: Serving, balance: BalanceService): void {
  serve(serving, balanceApi.get, ({ actor, params }) => balance.get(actor, params.client, params.start, params.end));
}
