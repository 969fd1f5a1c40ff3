/** Reads that a comparison and a confirmation share: the target, and what is billed. */
import { problem } from '@parapet/contract/problem.ts';
import { type BillingCounts, billedCounts, countsOf } from '@parapet/contract/rules/billing.ts';
import type { Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import type { BillingDeps } from './billing.deps.ts';
import * as store from './billing.store.ts';

/** The target as it covers a client. Throws forbidden for a foreign client, notFound for a target without a company of it. */
export const targetOfClient =
  ({ deliveries }: Pick<BillingDeps, 'deliveries'>) =>
  async (actor: Actor, client: number, id: number) => {
    scopeFor(actor, client);
    const target = (await deliveries.billingTargets(actor, client)).find((each) => each.id === id);
    if (!target) throw problem.notFound('target', id);
    return target;
  };

/** Count with corrections; undefined for a month that was not counted. */
export async function billedOf(tx: Tx, actor: Actor, client: number, month: string): Promise<BillingCounts | undefined> {
  const scope = scopeFor(actor, client);
  const [row] = await store.listMonth(tx, scope, month, 1);
  return row && billedCounts(countsOf(row), await store.listCorrections(tx, scope, month));
}
