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

const statusCause = (actor: Actor | undefined, { before, after }: CaseChanged): Cause | undefined =>
  before.status === after.status
    ? undefined
    : {
        organisationId: after.organisation_id,
        event: 'case.statusChanged',
        objectId: after.id,
        occasion: after.version,
        at: after.updated_at,
        actorId: actor?.userId,
        status: after.status,
        facts: { previousStatus: before.status },
      };

/** Queues changes of status, in the changing transaction. */
export const casesChanged = (tx: Tx, actor: Actor | undefined, changes: readonly CaseChanged[]): Promise<void> =>
  queueDeliveries(
    tx,
    changes.flatMap((change) => statusCause(actor, change) ?? []),
  );
