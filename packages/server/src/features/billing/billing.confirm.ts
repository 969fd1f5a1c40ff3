/** Confirmed quantities become deliveries, whose state is what the PSA returned. */
import { problem } from '@parapet/contract/problem.ts';
import { type BillingCounts, type BillingMeasure, measureLabel } from '@parapet/contract/rules/billing.ts';
import { isDuplicate, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { BillingDeps } from './billing.deps.ts';
import { billedOf, targetOfClient } from './billing.reads.ts';
import * as store from './billing.store.ts';

interface Confirmed {
  measure: BillingMeasure;
  agreementId: string;
  itemId: string;
  current: number;
  quantity: number;
  newestId: number;
}

const pending = ['queued', 'sent', 'failed'];

export function createConfirmations(deps: BillingDeps) {
  const { db, clock, deliveries } = deps;
  const targetOf = targetOfClient(deps);
  return {
    /** Queues the confirmed quantities. Throws a conflict once anything differs from what the person saw. */
    async confirm(
      actor: Actor,
      client: number,
      id: number,
      { month, lines }: { month: string; lines: readonly Confirmed[] },
    ): Promise<{ count: number }> {
      const target = await targetOf(actor, client, id);
      if (new Set(lines.map(({ measure }) => measure)).size < lines.length)
        throw problem.invalid({ lines: ['Each measure is written once.'] });
      const { organisationId } = target;
      const scope = scopeOf(actor);
      const change = scoped(db, scope, async (tx) => {
        if (!(await store.lockMonth(tx, scopeFor(actor, client), month))) throw problem.notFound('month', month);
        const billed = await billedOf(tx, actor, client, month);
        const chosen = await store.listLines(tx, scope, id, client);
        const writes = await store.listWrites(tx, scope, { targetId: id, clientId: client, month });
        const by = { userId: actor.userId, name: actor.displayName, at: new Date(clock.now()) };
        for (const line of lines) {
          const place = chosen.find(({ measure }) => measure === line.measure);
          const fault = faultOf(line, billed, place, writes);
          if (fault !== undefined || !place) throw problem.conflict(fault ?? '');
          const { agreementId: agreement, itemId: item, label } = place;
          const { measure, current: expected, quantity, newestId: after } = line;
          const of = { organisationId, targetId: id, clientId: client };
          const what = { company: target.companyId, agreement, item, label, month, measure, expected, quantity, after };
          const deliveryId = await deliveries.queueQuantity(tx, { ...of, ...what, actorId: actor.userId });
          await store.insertWrite(tx, of, { month, measure, quantity, deliveryId }, by);
        }
        const after = {
          target: id,
          lines: lines.map(({ measure, current, quantity }) => ({ month, measure, current, quantity })),
        };
        await recordAudit(tx, actor, { action: 'billing.confirmed', organisationId: client, target: month, after });
        return { count: lines.length };
      });
      return change.catch((error) => {
        throw isDuplicate(error) ? problem.conflict('Someone else confirmed this. Compare again.') : error;
      });
    },
  };
}

/** Reason for which a line is not written; undefined for one that is as it was shown. */
function faultOf(
  { measure, agreementId, itemId, current, quantity, newestId }: Confirmed,
  billed: BillingCounts | undefined,
  place: store.LineRow | undefined,
  writes: readonly store.WriteRow[],
): string | undefined {
  const label = measureLabel(measure);
  const newest = writes.find((write) => write.measure === measure);
  if (!place) return `${label} has no item of an agreement. Choose one.`;
  if (place.agreementId !== agreementId || place.itemId !== itemId) return `${label} has another item now. Compare again.`;
  if (newest && newest.id !== newestId)
    return `${newest.by} confirmed ${newest.quantity} for ${label}. Compare again before another confirmation.`;
  if (newest && pending.includes(newest.state))
    return `${label} was confirmed by ${newest.by} and waits for the PSA. See its delivery.`;
  if (billed?.[measure] !== quantity) return `The count of ${label} is ${billed?.[measure] ?? 'none'} now. Compare again.`;
  return current === quantity ? `The PSA has ${quantity} for ${label} already.` : undefined;
}
