/** SQL of the chain: reads as the application, writes through functions of the database’s owner (migration 0027). */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';
import type { SignedCheckpoint, StoredEntry } from './chain.format.ts';

/** UTC with microseconds: finer than a Date and independent of the session’s time zone. */
const utcText = <Text extends string | null = string>(time: RawBuilder<unknown>) =>
  sql<Text>`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
const utc = (column: string) => utcText(sql.ref(column));

const entryColumns = [
  'audit.id',
  'audit.organisation_id as organisationId',
  utc('audit.at').as('at'),
  'audit.actor_user_id as actorUserId',
  'audit.actor_organisation_id as actorOrganisationId',
  'audit.action',
  'audit.target',
  sql<string | null>`audit.before::text`.as('before'),
  sql<string | null>`audit.after::text`.as('after'),
  'audit.address',
  'audit.visibility',
] as const;

/** Acquires the sealing lock until the transaction ends; `isMine` is false while another sealer holds it. */
export async function acquireSealing(tx: Tx): Promise<{ isMine: boolean; at: string; oldestXid: string; newestId: number }> {
  const { rows } = await sql<{ isMine: boolean; at: string; oldestXid: string; newestId: number }>`
    select pg_try_advisory_xact_lock(hashtextextended('audit chain', 0)) as "isMine",
      ${utcText(sql`clock_timestamp()`)} as at,
      pg_snapshot_xmin(pg_current_snapshot())::text as "oldestXid", coalesce((select max(id) from audit), 0) as "newestId"`.execute(
    tx,
  );
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL returned no row.');
  return row;
}

/** Transaction id above those of all running writers. */
export async function currentXid(tx: Tx): Promise<string> {
  const { rows } = await sql<{ xid: string }>`select pg_current_xact_id()::text as xid`.execute(tx);
  return rows[0]?.xid ?? '0';
}

export const unsealedEntries = (tx: Tx, above: number, limit: number): Promise<StoredEntry[]> =>
  tx
    .selectFrom('audit')
    .where('audit.id', '>', above)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('audit_chain').whereRef('audit_chain.audit_id', '=', 'audit.id').where('audit_chain.audit_id', '>', above),
        ),
      ),
    )
    .select(entryColumns)
    .orderBy('audit.id')
    .limit(limit)
    .execute();

const checkpointColumns = [
  'organisation_id as organisationId',
  'position',
  sql<string>`encode(hash, 'hex')`.as('hash'),
  'count',
  utc('through').as('through'),
  utc('audit_checkpoints.at').as('at'),
  sql<string>`encode(public_key, 'hex')`.as('publicKey'),
  sql<string>`encode(signature, 'hex')`.as('signature'),
] as const;

/** Newest checkpoint of each organisation, or of the given ones. */
export const newestCheckpoints = (tx: Tx, organisationIds?: readonly number[]): Promise<SignedCheckpoint[]> =>
  tx
    .selectFrom('audit_checkpoints')
    .$if(organisationIds !== undefined, (query) => query.where('organisation_id', 'in', [...(organisationIds ?? [])]))
    .distinctOn('organisation_id')
    .select(checkpointColumns)
    .orderBy('organisation_id')
    .orderBy('position', 'desc')
    .orderBy('id', 'desc')
    .execute();

/** Last link of each organisation, with the position of the first. */
export async function lastLinks(tx: Tx, organisationIds: readonly number[]) {
  const { rows } = await sql<{ organisationId: number; first: number; position: number; hash: string }>`
    select o.id as "organisationId", c.position, encode(c.hash, 'hex') as hash,
      (select min(position) from audit_chain where organisation_id = o.id) as first
    from unnest(${[...organisationIds]}::integer[]) as o (id), lateral (
      select position, hash from audit_chain where organisation_id = o.id order by position desc limit 1) c`.execute(tx);
  return rows;
}

export interface NewLink {
  auditId: number;
  position: number;
  salt: string;
  hash: string;
}

export const insertLinks = (tx: Tx, links: readonly NewLink[], heads: readonly SignedCheckpoint[]) =>
  sql`select seal_audit(${JSON.stringify(links)}::jsonb, ${JSON.stringify(heads)}::jsonb)`.execute(tx);

/** Marks due checkpoints as permanent and returns them. */
export const keepCheckpoints = (tx: Tx): Promise<SignedCheckpoint[]> =>
  tx
    .selectFrom(sql<Selectable<Tables['audit_checkpoints']>>`keep_audit_checkpoints()`.as('audit_checkpoints'))
    .select(checkpointColumns)
    .execute();

export const allCheckpoints = (tx: Tx, scope: Scope, organisationId: number): Promise<SignedCheckpoint[]> =>
  tx
    .selectFrom('audit_checkpoints')
    .where(within('organisation_id', scope))
    .where('organisation_id', '=', organisationId)
    .select(checkpointColumns)
    .orderBy('position')
    .orderBy('id')
    .execute();

/** Link with its entry; null when the entry is missing. */
export interface Link {
  position: number;
  auditId: number;
  salt: Buffer;
  hash: string;
  /** Set once the content of the entry was erased. */
  erasedLeaf: string | null;
  entry: StoredEntry | null;
}

/** Links in chain order. */
export async function listLinks(
  tx: Tx,
  scope: Scope,
  organisationId: number,
  { above, through = Number.MAX_SAFE_INTEGER, limit }: { above: number; through?: number; limit: number },
): Promise<Link[]> {
  const rows = await tx
    .selectFrom('audit_chain')
    .leftJoin('audit', 'audit.id', 'audit_chain.audit_id')
    .where(within('audit_chain.organisation_id', scope))
    .where('audit_chain.organisation_id', '=', organisationId)
    .where('audit_chain.position', '>', above)
    .where('audit_chain.position', '<=', through)
    .select(['audit_chain.position', 'audit_chain.audit_id as auditId', 'audit_chain.salt'])
    .select(sql<string>`encode(audit_chain.hash, 'hex')`.as('hash'))
    .select(sql<string | null>`encode(audit_chain.erased_leaf, 'hex')`.as('erasedLeaf'))
    .select(entryColumns)
    .orderBy('audit_chain.position')
    .limit(limit)
    .execute();
  return rows.map(({ position, auditId, salt, hash, erasedLeaf, ...entry }) => ({
    position,
    auditId,
    salt,
    hash,
    erasedLeaf,
    entry: entry.id === null ? null : (entry as StoredEntry),
  }));
}

/** Links of an organisation’s entries up to one, whose content is not erased, in chain order. */
export async function linksToErase(
  tx: Tx,
  organisationId: number,
  limit: number,
): Promise<{ salt: Buffer; entry: StoredEntry }[]> {
  const rows = await tx
    .selectFrom('audit_chain')
    .innerJoin('audit', 'audit.id', 'audit_chain.audit_id')
    .innerJoin('erasures', 'erasures.organisation_id', 'audit_chain.organisation_id')
    .where('audit_chain.organisation_id', '=', organisationId)
    .where('audit_chain.erased_leaf', 'is', null)
    .whereRef('audit_chain.audit_id', '<=', 'erasures.audit_through')
    .select('audit_chain.salt')
    .select(entryColumns)
    .orderBy('audit_chain.position')
    .limit(limit)
    .execute();
  return rows.map(({ salt, ...entry }) => ({ salt, entry: entry as StoredEntry }));
}

/** Organisations with rows in the log or its chain. */
export async function auditedOrganisations(tx: Tx): Promise<{ id: number; name: string }[]> {
  return tx
    .selectFrom('organisations')
    .where(({ or, exists, selectFrom }) =>
      or(
        (['audit', 'audit_chain', 'audit_checkpoints'] as const).map((table) =>
          exists(selectFrom(table).whereRef(`${table}.organisation_id`, '=', 'organisations.id')),
        ),
      ),
    )
    .select(['id', 'name'])
    .orderBy('id')
    .execute();
}

/** Number and oldest of an organisation’s entries without a link. */
export async function unsealedOf(tx: Tx, organisationId: number) {
  return tx
    .selectFrom('audit')
    .where('audit.organisation_id', '=', organisationId)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('audit_chain').whereRef('audit_chain.audit_id', '=', 'audit.id'))),
    )
    .select(({ fn }) => [fn.countAll<number>().as('count')])
    .select(sql<number | null>`(array_agg(audit.id order by audit.at))[1]`.as('oldestId'))
    .select(utcText<string | null>(sql`min(audit.at)`).as('oldest'))
    .executeTakeFirstOrThrow();
}

/** Positions of entries within a period for each organisation in scope, up to the first checkpoint that covers them. */
export async function listRanges(tx: Tx, scope: Scope, { start, end }: { start: string; end: string }) {
  return tx
    .selectFrom('audit_chain')
    .innerJoin('audit', 'audit.id', 'audit_chain.audit_id')
    .where(within('audit.organisation_id', scope))
    .where(within('audit_chain.organisation_id', scope))
    .where('audit.at', '>=', new Date(start))
    .where('audit.at', '<', new Date(end))
    .groupBy('audit_chain.organisation_id')
    .select(({ fn }) => ['audit_chain.organisation_id as organisationId', fn.min('audit_chain.position').as('first')])
    .select(
      sql<number>`(select min(k.position) from audit_checkpoints k
        where k.organisation_id = audit_chain.organisation_id and k.position >= max(audit_chain.position))`.as('last'),
    )
    .orderBy('audit_chain.organisation_id')
    .execute();
}

/** Sealed position and last verification of each log in scope. */
export async function listSeals(tx: Tx, scope: Scope) {
  return tx
    .selectFrom('audit_checkpoints')
    .leftJoin('audit_verifications as v', 'v.organisation_id', 'audit_checkpoints.organisation_id')
    .where(within('audit_checkpoints.organisation_id', scope))
    .distinctOn('audit_checkpoints.organisation_id')
    .select([
      'audit_checkpoints.organisation_id as organisationId',
      'audit_checkpoints.position',
      'audit_checkpoints.at as checkpointAt',
      'v.at as verifiedAt',
      sql<string | null>`v.broken ->> 'text'`.as('broken'),
    ])
    .orderBy('audit_checkpoints.organisation_id')
    .orderBy('audit_checkpoints.position', 'desc')
    .orderBy('audit_checkpoints.id', 'desc')
    .execute();
}

export const saveVerification = (
  tx: Tx,
  found: { organisationId: number; position: number; broken: object | undefined; at: Date },
): Promise<unknown> => {
  const values = { at: found.at, position: found.position, broken: found.broken ? JSON.stringify(found.broken) : null };
  return tx
    .insertInto('audit_verifications')
    .values({ organisation_id: found.organisationId, ...values })
    .onConflict((conflict) => conflict.column('organisation_id').doUpdateSet(values))
    .execute();
};
