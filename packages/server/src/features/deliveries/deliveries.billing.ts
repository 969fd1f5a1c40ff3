/** Agreements of a PSA for billing: read for people, and confirmed quantities queued as deliveries. */
import { VendorError } from '@parapet/connectors/errors.ts';
import type { Agreement, BillingApi } from '@parapet/connectors/out/agreements.ts';
import { quantityEvent } from '@parapet/connectors/out/billing.ts';
import type { BillingMeasure } from '@parapet/contract/rules/billing.ts';
import { deliveryHours } from '@parapet/contract/rules/deliveries.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { publish } from '../../core/bus.ts';
import { insertRow } from '../../core/db/rows.ts';
import { readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import type { DeliveriesDeps, FindTarget } from './deliveries.deps.ts';
import { createSend } from './deliveries.http.ts';
import { findValues } from './deliveries.store.ts';
import { openSecrets } from './deliveries.turn.ts';
import { validValues } from './deliveries.vault.ts';

export interface BillingTarget {
  id: number;
  /** Owner of the target. */
  organisationId: number;
  name: string;
  title: string;
  companyId: string;
  companyName: string;
}

/** A confirmed quantity, with what a person saw at the PSA. */
export interface Quantity {
  targetId: number;
  organisationId: number;
  clientId: number;
  company: string;
  agreement: string;
  item: string;
  label: string;
  month: string;
  measure: BillingMeasure;
  expected: number;
  quantity: number;
  /** ID of the confirmation before, so that one state is confirmed once. */
  after: number;
  actorId: number;
}

export type ReadAgreements = { who: string; agreements: readonly Agreement[] } | { who: string; error: string };

export function createQuantities(deps: DeliveriesDeps, find: FindTarget) {
  const { db, clock, kindOf } = deps;

  const targetsOf = async (tx: Tx, scope: Scope, client: number): Promise<BillingTarget[]> => {
    const { rows } = await sql<Omit<BillingTarget, 'title'> & { kind: string }>`
      select t.id, t.organisation_id as "organisationId", t.name, t.kind, c.company_id as "companyId", c.company_name as "companyName"
      from ticket_companies c join delivery_targets t on t.id = c.target_id
      where c.client_id = ${client} and ${within('c.organisation_id', scope)} order by lower(t.name), t.id limit 100`.execute(tx);
    return rows.flatMap(({ kind, ...row }) => {
      const known = kindOf(kind);
      return known?.billing ? [{ ...row, title: known.title }] : [];
    });
  };

  const apiOf = async (actor: Actor, id: number): Promise<BillingApi | undefined> => {
    const scope = scopeOf(actor);
    const target = await scoped(db, scope, async (tx) => {
      await find(tx, actor, scope, id);
      return (await findValues(tx, scope, id))!;
    });
    const kind = kindOf(target.kind);
    if (!kind?.billing) return undefined;
    const secrets = await openSecrets(deps, target);
    const { send } = createSend(deps.outbound, Object.values(secrets));
    return kind.billing(validValues(kind, target.settings, secrets, clock.now()), send);
  };

  return {
    billingTargets: (actor: Actor, client: number): Promise<BillingTarget[]> =>
      readScoped(db, scopeOf(actor), (tx) => targetsOf(tx, scopeOf(actor), client)),

    /** Active agreements of the client's company as the PSA has them now, or the reason in its words. */
    async readAgreements(actor: Actor, { id, title, companyId }: BillingTarget): Promise<ReadAgreements> {
      const api = await apiOf(actor, id);
      if (!api) return { who: title, error: `Target ${id} has no agreements.` };
      try {
        return { who: api.who, agreements: await api.agreements(companyId, clock.now()) };
      } catch (error) {
        if (error instanceof VendorError) return { who: api.who, error: error.message };
        throw error;
      }
    },

    /** In the transaction of the confirmation. Returns the delivery; throws a duplicate for a state that was confirmed already. */
    async queueQuantity(tx: Tx, given: Quantity): Promise<number> {
      const { targetId, organisationId, clientId, month, measure, after, actorId, ...facts } = given;
      const now = clock.now();
      const at = new Date(now);
      const id = await insertRow(tx, 'deliveries', {
        organisation_id: organisationId,
        target_id: targetId,
        client_id: clientId,
        event: quantityEvent,
        subject: `billing-${clientId}-${month}`,
        object_id: clientId,
        key: `${quantityEvent}:${clientId}:${month}:${measure}:${after}`,
        facts: JSON.stringify({ ...facts, month, measure }),
        actor_user_id: actorId,
        event_at: at,
        queue_at: at,
        next_at: at,
        expires_at: new Date(now + deliveryHours * hourMs),
      });
      await publish(tx, 'deliveries.due', {});
      return id;
    },
  };
}
