/** SQL of packs and imports. */
import type { ImportState, PackDecision, PackItemStatus } from '@parapet/contract/rulePacks.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, sql } from 'kysely';
import { integerColumn, textColumn } from '../../core/db/bulk.ts';
import { containing } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { shownName } from '../../domain/visibility.ts';
import type { AnalysedRule } from './packs.analysis.ts';

export interface PackRow {
  id: number;
  name: string;
  origin: 'archive' | 'git';
  address: string;
  branch: string;
  folder: string;
  version: string;
  publisher: string;
  licence: string;
  signer: string | null;
  changedAt: Date;
  rules: number;
  states: Record<string, number>;
}

/** Packs with the states of their rules: live and in shadow each, otherwise that of the newest version. */
export const listPacks = (tx: Tx, scope: Scope): Promise<PackRow[]> => readPacks(tx, scope, sql`true`);

async function readPacks(tx: Tx, scope: Scope, which: RawBuilder<unknown>): Promise<PackRow[]> {
  const { rows } = await sql<PackRow>`
    with chosen as (select * from rule_packs p where ${within('p.organisation_id', scope)} and ${which} order by name limit 200),
    rules as (
      select r.pack_id, r.rule_key, bool_or(v.state = 'live') as is_live, bool_or(v.state = 'shadow') as is_shadow,
        (array_agg(v.state order by v.version desc))[1] as newest
      from chosen c join rule_pack_rules r on r.pack_id = c.id
      join rule_versions v on v.rule_key = r.rule_key and v.organisation_id = r.organisation_id
      where ${within('r.organisation_id', scope)} group by 1, 2
    ), stated as (
      select pack_id, rule_key, state from rules, lateral (
        select 'live' as state where is_live union all select 'shadow' where is_shadow
        union all select newest where not is_live and not is_shadow) s
    ), counted as (select pack_id, state, count(*)::integer as count from stated group by 1, 2)
    select p.id, p.name, p.origin, p.address, p.branch, p.folder, p.version, p.publisher, p.licence, p.signer, p.changed_at as "changedAt",
      (select count(*)::integer from rules where pack_id = p.id) as rules,
      coalesce((select jsonb_object_agg(state, count) from counted where pack_id = p.id), '{}') as states
    from chosen p order by p.name`.execute(tx);
  return rows;
}

export async function findPack(tx: Tx, scope: Scope, by: { id: number } | { name: string }): Promise<PackRow | undefined> {
  return (await readPacks(tx, scope, 'id' in by ? sql`p.id = ${by.id}` : sql`p.name = ${by.name}`))[0];
}

/** Key of any pack that was accepted and is signed with it. */
export async function isKnownSigner(tx: Tx, scope: Scope, signer: string): Promise<boolean> {
  const { rows } = await sql`
    select from rule_packs where ${within('organisation_id', scope)} and signer = ${signer} limit 1`.execute(tx);
  return rows.length > 0;
}

export async function listTaken(
  tx: Tx,
  scope: Scope,
  packId: number | null,
): Promise<Map<string, { revision: string; path: string }>> {
  const { rows } = await sql<{ key: string; revision: string; path: string }>`
    select rule_key as key, revision, path from rule_pack_rules where ${within('organisation_id', scope)} and pack_id = ${packId}`.execute(
    tx,
  );
  return new Map(rows.map(({ key, ...taken }) => [key, taken]));
}

/** Every rule of the database, since an ID names one rule in the whole installation; `isEdited` if a version that was made here is in use. */
export async function listNewest(tx: Tx): Promise<Map<string, { isEdited: boolean; organisationId: number }>> {
  const { rows } = await sql<{ key: string; isEdited: boolean; organisationId: number }>`
    select rule_key as key, min(organisation_id) as "organisationId", bool_or(pack_id is null and state <> 'retired') as "isEdited"
    from rule_versions group by 1`.execute(tx);
  return new Map(rows.map(({ key, ...newest }) => [key, newest]));
}

export interface ImportRow {
  id: number;
  organisationId: number;
  packId: number | null;
  name: string;
  origin: 'archive' | 'git';
  address: string;
  branch: string;
  folder: string;
  archive: string | null;
  version: string;
  publisher: string;
  licence: string;
  signer: string | null;
  state: ImportState;
  requestedBy: string;
  requestedAt: Date;
  read: number;
  files: number;
  failure: string;
}

const importColumns = (scope: Scope): RawBuilder<unknown> => sql`
  id, organisation_id as "organisationId", pack_id as "packId", name, origin, address, branch, folder, archive, version, publisher, licence,
  signer, state, ${shownName(scope, 'requested_by', 'requester')} as "requestedBy", requested_at as "requestedAt", read, files, failure`;

export async function insertImport(
  tx: Tx,
  of: {
    organisationId: number;
    name: string;
    origin: 'archive' | 'git';
    address: string;
    branch: string;
    folder: string;
    archive: string | null;
    version: string;
    userId: number;
    requester: string;
  },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into rule_imports (organisation_id, pack_id, name, origin, address, branch, folder, archive, version, requested_by, requester)
    values (${of.organisationId}, (select id from rule_packs where organisation_id = ${of.organisationId} and name = ${of.name}), ${of.name},
      ${of.origin}, ${of.address}, ${of.branch}, ${of.folder}, ${of.archive}, ${of.version}, ${of.userId}, ${of.requester}) returning id`.execute(
    tx,
  );
  return rows[0]!.id;
}

/** Under way or waiting for acceptance, newest first, and failures of the last day. */
export async function listImports(tx: Tx, scope: Scope, now: Date): Promise<ImportRow[]> {
  const { rows } = await sql<ImportRow>`
    select ${importColumns(scope)} from rule_imports where ${within('organisation_id', scope)}
      and (state in ('waiting', 'running', 'ready') or (state = 'failed' and requested_at > ${new Date(now.getTime() - dayMs)}))
    order by id desc limit 20`.execute(tx);
  return rows;
}

export async function findImport(tx: Tx, scope: Scope, id: number, lock = false): Promise<ImportRow | undefined> {
  const { rows } = await sql<ImportRow>`
    select ${importColumns(scope)} from rule_imports where ${within('organisation_id', scope)} and id = ${id}
    ${lock ? sql`for update` : sql``}`.execute(tx);
  return rows[0];
}

export async function countItems(tx: Tx, scope: Scope, id: number): Promise<Map<PackItemStatus, number>> {
  const { rows } = await sql<{ status: PackItemStatus; count: number }>`
    select status, count(*)::integer as count from rule_import_items where ${within('organisation_id', scope)} and import_id = ${id}
    group by 1`.execute(tx);
  return new Map(rows.map(({ status, count }) => [status, count]));
}

type Items = 'rule_import_items' | 'i';

/** Number of the newest version of an item’s rule; 0 without one. */
export const newestVersion = (items: Items) => sql`
  coalesce((select max(v.version) from rule_versions v where v.rule_key = ${sql.ref(`${items}.rule_key`)}
    and v.organisation_id = ${sql.ref(`${items}.organisation_id`)}), 0)`;

/** A part of the decision on an item; null once the rule has a newer version, which the decision did not regard. */
export const regarded = (items: Items, part: 'decision' | 'merged') => sql`
  case when ${sql.ref(`${items}.decided_version`)} < ${newestVersion(items)} then null
    else ${sql.ref(`${items}.${part}`)} end as ${sql.ref(part)}`;

export interface ItemQuery {
  status: readonly PackItemStatus[];
  criticalities: readonly number[];
  search: string;
  page: number;
  pageSize: number;
}

export type ItemRow = Pick<
  AnalysedRule,
  'key' | 'title' | 'path' | 'criticality' | 'logSource' | 'isKnownSource' | 'status' | 'detail' | 'author' | 'licence'
> & { decision: PackDecision | null };

export async function listItems(tx: Tx, scope: Scope, id: number, query: ItemQuery): Promise<{ rows: ItemRow[]; total: number }> {
  const wanted = containing(query.search);
  const { rows } = await sql<ItemRow & { total: number }>`
    select rule_key as key, title, path, criticality, log_source as "logSource", is_known_source as "isKnownSource", status, detail, author,
      licence, ${regarded('rule_import_items', 'decision')}, count(*) over ()::integer as total
    from rule_import_items where ${within('organisation_id', scope)} and import_id = ${id}
      and (${query.status.length === 0} or status = any(${[...query.status]}::text[]))
      and (${query.criticalities.length === 0} or criticality = any(${[...query.criticalities]}::smallint[]))
      and (${query.search === ''} or title ilike ${wanted} or path ilike ${wanted} or rule_key ilike ${wanted})
    order by number limit ${query.pageSize} offset ${(query.page - 1) * query.pageSize}`.execute(tx);
  return { rows: rows.map(({ total: _, ...row }) => row), total: rows[0]?.total ?? 0 };
}

/** Longer than fetching and comparing take. */
const leaseSeconds = 900;

/** Leases the next import. One whose workers stopped three times has failed. */
export async function takeImport(tx: Tx): Promise<{ row: ImportRow | undefined; abandoned: string[] }> {
  const { rows: failed } = await sql<{ archive: string | null }>`
    update rule_imports i set state = 'failed', failure = 'Stopped after three attempts. Try a smaller archive.', archive = null
    from (select id, archive from rule_imports where state = 'running' and attempts >= 3 and leased_until < now()) o
    where i.id = o.id returning o.archive`.execute(tx);
  const { rows } = await sql<ImportRow>`
    update rule_imports set state = 'running', read = 0, attempts = attempts + 1, leased_until = now() + make_interval(secs => ${leaseSeconds})
    where id = (select id from rule_imports where state = 'waiting' or (state = 'running' and leased_until < now())
      order by id limit 1 for update skip locked)
    returning ${importColumns('system')}`.execute(tx);
  return { row: rows[0], abandoned: failed.flatMap(({ archive }) => archive ?? []) };
}

/** Renews the lease. */
export const saveProgress = (tx: Tx, id: number, read: number, files: number): Promise<unknown> =>
  sql`update rule_imports set read = ${read}, files = ${files}, leased_until = now() + make_interval(secs => ${leaseSeconds})
    where id = ${id} and state = 'running'`.execute(tx);

export const failImport = (tx: Tx, id: number, failure: string): Promise<unknown> =>
  sql`update rule_imports set state = 'failed', failure = ${failure.slice(0, 2000)}, archive = null where id = ${id} and state = 'running'`.execute(
    tx,
  );

export async function finishImport(
  tx: Tx,
  { id, organisationId }: Pick<ImportRow, 'id' | 'organisationId'>,
  found: { version: string; publisher: string; licence: string; signer: string | null; items: readonly AnalysedRule[] },
): Promise<void> {
  const { rows } = await sql`
    update rule_imports set state = 'ready', archive = null, version = ${found.version}, publisher = ${found.publisher},
      licence = ${found.licence}, signer = ${found.signer} where id = ${id} and state = 'running' returning id`.execute(tx);
  if (rows.length === 0) return;
  const { items } = found;
  const column = (of: (item: AnalysedRule) => string | null) => textColumn(items.map(of));
  await sql`
    insert into rule_import_items (import_id, organisation_id, number, rule_key, title, path, criticality, log_source, is_known_source,
      is_correlation, status, detail, author, licence, revision, yaml)
    select ${id}, ${organisationId}, i.number, i.key, i.title, i.path, i.criticality, i.log_source, i.is_known, i.is_correlation, i.status,
      i.detail, i.author, i.licence, i.revision, i.yaml
    from unnest(${integerColumn(items.map((_, number) => number))}, ${column(({ key }) => key)}, ${column(({ title }) => title)},
      ${column(({ path }) => path)}, ${sql`${items.map(({ criticality }) => criticality)}::smallint[]`},
      ${column(({ logSource }) => logSource)}, ${sql`${items.map(({ isKnownSource }) => isKnownSource)}::boolean[]`},
      ${sql`${items.map((item) => item.isCorrelation)}::boolean[]`}, ${column(({ status }) => status)}, ${column(({ detail }) => detail)},
      ${column(({ author }) => author)}, ${column(({ licence }) => licence)}, ${column(({ revision }) => revision)},
      ${column(({ yaml }) => yaml)})
      as i (number, key, title, path, criticality, log_source, is_known, is_correlation, status, detail, author, licence, revision, yaml)`.execute(
    tx,
  );
}

export const discardImport = (tx: Tx, scope: Scope, id: number): Promise<unknown> =>
  sql`update rule_imports set state = 'discarded' where ${within('organisation_id', scope)} and id = ${id}
    and state in ('waiting', 'running', 'ready', 'failed')`.execute(tx);

/** Former imports are of use for a while only. */
export const removeOldImports = (tx: Tx): Promise<unknown> =>
  sql`delete from rule_imports where requested_at < now() - interval '30 days' and state <> 'running'`.execute(tx);
