/** Requests of a Host about the data of a client, decided by a second person (docs/decisions/0057-retention.md). */
import { problem } from '@parapet/contract/problem.ts';
import type { RequestKind, RetentionState } from '@parapet/contract/retention.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import { pairText } from '../../domain/approvers.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { RetentionStateDeps, RetentionStateOf } from './retention.state.ts';
import * as store from './retention.store.ts';

const requestDays = 7;

export function createRetentionRequests(
  { db, clock, organisations, erasure }: Pick<RetentionStateDeps, 'db' | 'clock' | 'organisations' | 'erasure'>,
  { get, settingsOf }: Pick<RetentionStateOf, 'get' | 'settingsOf'>,
) {
  /** Serialises requests and decisions of one organisation. */
  const lockedSettings = async (tx: Tx, actor: Actor, client: number): Promise<store.SettingsRow> => {
    await tx.selectFrom('organisations').select('id').where('id', '=', client).forNoKeyUpdate().execute();
    return settingsOf(tx, actor, client);
  };

  const apply = async (tx: Tx, client: number, { id, kind, ...request }: store.RequestRow, now: Date): Promise<unknown> => {
    if (kind === 'erase') return erasure.startIn(tx, client, id, now);
    const { reason, requestedBy: by, requestedByName: byName } = request;
    return store.setHold(tx, client, kind === 'hold' ? { since: now, reason, by, byName } : null);
  };

  return {
    async request(
      actor: Actor,
      client: number,
      { kind, reason }: { kind: RequestKind; reason: string },
    ): Promise<RetentionState> {
      await organisations.scopeOfOne(actor, client);
      const now = new Date(clock.now());
      await scoped(db, 'system', async (tx) => {
        const row = await lockedSettings(tx, actor, client);
        await store.expireRequests(tx, client, now);
        requirePossible(kind, row);
        if (await store.findWaiting(tx, client, { userId: actor.userId, reader: scopeOf(actor) }, now))
          throw problem.conflict(`A request about ${row.name} already waits for a second person. Confirm or withdraw it first.`);
        await tx
          .insertInto('retention_requests')
          .values({
            organisation_id: client,
            kind,
            reason,
            requested_by: actor.userId,
            requested_by_name: actor.displayName,
            requested_at: now,
            expires_at: new Date(now.getTime() + requestDays * dayMs),
            decided_by: null,
            decided_at: null,
          })
          .execute();
        await recordAudit(tx, actor, {
          action: `retention.${kind}Requested`,
          organisationId: client,
          target: String(client),
          after: { reason },
        });
      });
      return get(actor, client);
    },

    async decide(actor: Actor, client: number, id: number, isConfirmed: boolean): Promise<RetentionState> {
      await organisations.scopeOfOne(actor, client);
      const now = new Date(clock.now());
      await scoped(db, 'system', async (tx) => {
        const row = await lockedSettings(tx, actor, client);
        const found = await store.findWaiting(tx, client, { userId: actor.userId, reader: scopeOf(actor) }, now);
        if (found?.id !== id) throw problem.notFound('request', id);
        if (isConfirmed && found.fault) throw problem.forbidden(pairText(found.fault));
        if (isConfirmed) requirePossible(found.kind, row);
        await tx
          .updateTable('retention_requests')
          .set({
            state: isConfirmed ? 'confirmed' : 'refused',
            decided_by: actor.userId,
            decided_by_name: actor.displayName,
            decided_at: now,
          })
          .where('organisation_id', '=', client)
          .where('id', '=', id)
          .execute();
        if (isConfirmed) await apply(tx, client, found, now);
        await recordAudit(tx, actor, {
          action: `retention.${found.kind}${isConfirmed ? 'Confirmed' : 'Refused'}`,
          organisationId: client,
          target: String(client),
          after: { request: id },
        });
      });
      return get(actor, client);
    },
  };
}

function requirePossible(kind: RequestKind, row: store.SettingsRow): void {
  if (row.isPartner) throw problem.conflict('Legal holds and erasure are for clients, not for partners.');
  if (row.erasedAt) throw problem.conflict(`The data of ${row.name} is erased, or being erased.`);
  if (kind === 'hold' && row.heldSince) throw problem.conflict(`${row.name} is already under legal hold.`);
  if (kind === 'lift' && !row.heldSince) throw problem.conflict(`${row.name} is not under legal hold.`);
  if (kind === 'erase' && row.heldSince)
    throw problem.conflict(`${row.name} is under legal hold, so that nothing of it can be erased. Lift the hold first.`);
  if (kind === 'erase' && !row.deactivatedAt)
    throw problem.conflict(`${row.name} is still active. End its access before its data is erased.`);
}
