/** SQL of exports. Functions of callers take the scope first; those of the job need the portal’s own. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';

export type ExportRecord = Selectable<Tables['event_exports']>;

const unfinished = ['waiting', 'running'] as const;
const maxListed = 50;
/** A process that writes renews its claim several times a minute. */
const claimSeconds = 120;

export const listExports = (tx: Tx, scope: Scope, userId: number): Promise<ExportRecord[]> =>
  tx
    .selectFrom('event_exports')
    .selectAll()
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('state', '<>', 'cancelled')
    .orderBy('id', 'desc')
    .limit(maxListed)
    .execute();

export const findExport = (tx: Tx, scope: Scope, userId: number, id: number): Promise<ExportRecord | undefined> =>
  tx
    .selectFrom('event_exports')
    .selectAll()
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .where('state', '<>', 'cancelled')
    .executeTakeFirst();

export async function countUnfinished(tx: Tx, scope: Scope, userId: number): Promise<number> {
  const { count } = await tx
    .selectFrom('event_exports')
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('state', 'in', unfinished)
    .select(sql<number>`count(*)::integer`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export const insertExport = (tx: Tx, made: Insertable<Tables['event_exports']>): Promise<ExportRecord> =>
  tx.insertInto('event_exports').values(made).returningAll().executeTakeFirstOrThrow();

export async function cancelExport(tx: Tx, scope: Scope, userId: number, id: number): Promise<void> {
  await tx
    .updateTable('event_exports')
    .set({ state: 'cancelled' })
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .execute();
}

/** The oldest export that no process writes, from its beginning. One whose processes ended three times has failed. */
export async function claimExport(tx: Tx): Promise<ExportRecord | undefined> {
  await sql`
    update event_exports set state = 'failed', failure = 'Stopped after three attempts. Select a shorter range or fewer events.'
    where state = 'running' and attempts >= 3 and claimed_at < now() - make_interval(secs => ${claimSeconds})`.execute(tx);
  const { rows } = await sql<ExportRecord>`
    update event_exports set state = 'running', claimed_at = now(), events = 0, searched_to = null, attempts = attempts + 1
    where id = (select id from event_exports where state = 'waiting'
        or (state = 'running' and claimed_at < now() - make_interval(secs => ${claimSeconds}))
      order by id limit 1 for update skip locked)
    returning *`.execute(tx);
  return rows[0];
}

/** Records progress and renews the claim; false once it was cancelled. */
export async function updateExport(tx: Tx, id: number, change: Updateable<Tables['event_exports']>): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('event_exports')
    .set({ ...change, claimed_at: sql`now()` })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Cancelled ones and those past their time, which no process writes. */
export const listOver = (tx: Tx, now: Date): Promise<Pick<ExportRecord, 'id' | 'parts'>[]> =>
  tx
    .selectFrom('event_exports')
    .select(['id', 'parts'])
    .where((eb) => eb.or([eb('state', '=', 'cancelled'), eb('expires_at', '<=', now)]))
    .where(sql<boolean>`(claimed_at is null or claimed_at < now() - make_interval(secs => ${claimSeconds}) or state = 'done')`)
    .orderBy('id')
    .limit(100)
    .execute();

export async function removeExport(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('event_exports').where('id', '=', id).execute();
}

/** Names of the clients whose events an export may hold. */
export async function namesOfClients(tx: Tx, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await tx
    .selectFrom('organisations')
    .select(['id', 'name'])
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
