/**
 * Reconciliation: received = stored + duplicate + dropped + dead, raised = shown + folded + suppressed + auto-closed + in case. Shared by the
 * page, the report and the invariant’s test.
 */

import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { balanceApi, ReconciliationDay } from '@parapet/contract/reconciliation.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import type { Range } from '../../domain/ranges.ts';
import { addUp, daysNear, emptySums, type Sums, sumsOf } from './balance.rules.ts';
import { listCounted } from './balance.store.ts';

export type BalanceService = ReturnType<typeof createBalanceService>;
export type BalanceSums = Sums;

const maxRows = 80_000;

export interface ReconciliationDeps {
  db: Database;
  clock: Clock;
  /** Reasons of unprocessed events; for any other reason an event is dropped. */
  deadReasons: readonly string[];
}

export function createBalanceService({ db, clock, deadReasons }: ReconciliationDeps) {
  const dead = new Set(deadReasons);

  const daysIn = async (tx: Tx, scope: Scope, range: Range): Promise<ReconciliationDay[]> => {
    const counted = await listCounted(tx, scope, daysNear(range, clock.now()), maxRows + 1);
    return counted.map(({ date, clientOrganizationID, clientOrganizationName, ...counts }) => ({
      date,
      clientOrganizationID,
      clientOrganizationName,
      ...sumsOf(counts, dead),
    }));
  };

  return {
    /** Newest day first, without empty days. */
    daysIn,

    sum: (days: readonly ReconciliationDay[]): Sums => (days.length === 0 ? emptySums : addUp(days)),

    async get(actor: Actor, client: number, start: string, end: string): Promise<AnswerOf<typeof balanceApi.get>> {
      const scope = scopeFor(actor, client);
      const range = { start: Date.parse(start), end: Date.parse(end) };
      const results = await scoped(db, scope, (tx) => daysIn(tx, scope, range), { readOnly: true });
      if (results.length > maxRows)
        throw problem.invalid({
          start: [`The timeframe has more than ${maxRows} rows. Select a shorter one or a single client.`],
        });
      return { results, total: results.length };
    },
  };
}
