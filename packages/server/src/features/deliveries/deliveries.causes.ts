/** Changes of cases as causes of deliveries. */
import { isClosed } from '@parapet/contract/rules/cases.ts';
import type { Selectable } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import type { Actor } from '../../core/http/actor.ts';
import { type Cause, queueDeliveries, queueTicketFiles } from '../../domain/causes.ts';

/** A case before and after a change. */
interface CaseChanged {
  before: Selectable<Tables['cases']>;
  after: Selectable<Tables['cases']>;
}

/** Conclusion of people, which replaces the verdict of decisioning in the message. */
const conclusionOf = (record: CaseChanged['after']) => ({
  investigationStatus: record.investigation_status,
  resolution: record.resolution,
  clientAnswer: record.client_answer,
});

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
    return {
      ...cause,
      event: 'case.statusChanged',
      status: after.status,
      facts: { ...conclusionOf(after), previousStatus: before.status },
    };
  const isAcknowledged = before.acknowledged_at === null && after.acknowledged_at !== null;
  return isAcknowledged ? { ...cause, event: 'case.acknowledged', facts: conclusionOf(after) } : undefined;
}

/** Queues changes of status and acknowledgements, and the files of closings, in the changing transaction. */
export async function casesChanged(tx: Tx, actor: Actor | undefined, changes: readonly CaseChanged[]): Promise<void> {
  await queueDeliveries(
    tx,
    changes.flatMap((change) => causeOf(actor, change) ?? []),
  );
  const closings = changes.filter(({ before, after }) => isClosed(after.status) && !isClosed(before.status));
  await queueTicketFiles(
    tx,
    closings.map(({ after: { id, version, updated_at: at } }) => ({ id, version, at, actorId: actor?.userId })),
  );
}

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
      facts: { ...conclusionOf(record), timer: name, isMissed: state === 'breached', targetMinutes },
    })),
  );
