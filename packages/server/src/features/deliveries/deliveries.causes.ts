/** Changes of cases as causes of deliveries. */
import type { Selectable } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import type { Actor } from '../../core/http/actor.ts';
import { type Cause, queueDeliveries } from '../../domain/causes.ts';

/** A case before and after a change. */
interface CaseChanged {
  before: Selectable<Tables['cases']>;
  after: Selectable<Tables['cases']>;
}

/** A changed status, or an acknowledgement without one. */
function causeOf(actor: Actor | undefined, { before, after }: CaseChanged): Cause | undefined {
  const cause = {
    organisationId: after.organisation_id,
    objectId: after.id,
    occasion: after.version,
    at: after.updated_at,
    actorId: actor?.userId,
  };
  if (before.status !== after.status)
    return { ...cause, event: 'case.statusChanged', status: after.status, facts: { previousStatus: before.status } };
  const isAcknowledged = before.acknowledged_at === null && after.acknowledged_at !== null;
  return isAcknowledged ? { ...cause, event: 'case.acknowledged' } : undefined;
}

/** Queues changes of status and acknowledgements, in the changing transaction. */
export const casesChanged = (tx: Tx, actor: Actor | undefined, changes: readonly CaseChanged[]): Promise<void> =>
  queueDeliveries(
    tx,
    changes.flatMap((change) => causeOf(actor, change) ?? []),
  );

/** An SLA timer of a case that is about to run out or has run out. */
interface TimerNotified {
  record: Selectable<Tables['cases']>;
  clock: { name: string; state: string; targetMinutes: number };
}

/** Queues warnings of SLA timers, in the transaction that marks them as notified. */
export const slaTimersNotified = (tx: Tx, at: Date, notified: readonly TimerNotified[]): Promise<void> =>
  queueDeliveries(
    tx,
    notified.map(({ record, clock: { name, state, targetMinutes } }) => ({
      organisationId: record.organisation_id,
      event: 'case.slaWarning',
      objectId: record.id,
      occasion: `${name}:${state}:${record.version}`,
      at,
      facts: { timer: name, isMissed: state === 'breached', targetMinutes },
    })),
  );
