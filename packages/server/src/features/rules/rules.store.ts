/** SQL of rules’ versions, overrides, exceptions, tests and history, and of what rules found. */
import { type RawBuilder, sql } from 'kysely';
import { integerColumn, textColumn } from '../../core/db/bulk.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { RuleState } from '../../core/db/tables.rules.ts';
import { within } from '../../core/db/within.ts';
import { isMalicious } from '../../domain/maliciousCases.ts';
import { shownName } from '../../domain/visibility.ts';

export interface VersionRow {
  id: number;
  organisationId: number;
  key: string;
  version: number;
  state: RuleState;
  yaml: string;
  base: string | null;
  criticality: number;
  note: string;
  authorId: number | null;
  author: string;
  createdAt: Date;
  noiseBudget: number;
  stoppedAt: Date | null;
  /** Null for a version made here. */
  packId: number | null;
}

const versionsOf = (tx: Tx, scope: Scope) =>
  tx
    .selectFrom('rule_versions')
    .where(within('organisation_id', scope))
    .select([
      'id',
      'organisation_id as organisationId',
      'rule_key as key',
      'version',
      'state',
      'yaml',
      'base',
      'criticality',
      'note',
      'author_id as authorId',
      shownName(scope, 'author_id', 'author_name').as('author'),
      'created_at as createdAt',
      'noise_budget as noiseBudget',
      'stopped_at as stoppedAt',
      'pack_id as packId',
    ]);

/** Newest first. */
export const listVersions = (tx: Tx, scope: Scope, key: string): Promise<VersionRow[]> =>
  versionsOf(tx, scope).where('rule_key', '=', key).orderBy('version', 'desc').limit(500).execute();

/** Locks the version. */
export const findVersion = (tx: Tx, scope: Scope, id: number): Promise<VersionRow | undefined> =>
  versionsOf(tx, scope).where('id', '=', id).forUpdate().executeTakeFirst();

export interface NewestVersion {
  key: string;
  version: number;
  state: RuleState;
  revision: string;
  isShadow: boolean;
  isBuiltIn: boolean;
}

/** Newest version of each rule. */
export async function listNewestVersions(tx: Tx, scope: Scope): Promise<NewestVersion[]> {
  const { rows } = await sql<NewestVersion>`
    select distinct on (rule_key) rule_key as key, version, state, revision, base is not null as "isBuiltIn",
      exists (select from rule_versions s where s.rule_key = v.rule_key and s.state = 'shadow') as "isShadow"
    from rule_versions v where ${within('organisation_id', scope)} order by rule_key, version desc`.execute(tx);
  return rows;
}

/** Texts of versions by rule, in no order. */
export async function readTexts(
  tx: Tx,
  scope: Scope,
  versions: readonly { key: string; version: number }[],
): Promise<{ key: string; revision: string; yaml: string }[]> {
  if (versions.length === 0) return [];
  const { rows } = await sql<{ key: string; revision: string; yaml: string }>`
    select v.rule_key as key, v.revision, v.yaml
    from unnest(${textColumn(versions.map(({ key }) => key))}, ${integerColumn(versions.map(({ version }) => version))}) as w (key, version)
    join rule_versions v on v.rule_key = w.key and v.version = w.version where ${within('v.organisation_id', scope)}`.execute(tx);
  return rows;
}

export interface NewVersion {
  organisationId: number;
  key: string;
  version: number;
  yaml: string;
  base: string | null;
  revision: string;
  title: string;
  criticality: number;
  note: string;
  noiseBudget: number;
  author: { id: number; name: string };
}

export const insertVersion = (tx: Tx, of: NewVersion): Promise<unknown> =>
  tx
    .insertInto('rule_versions')
    .values({
      organisation_id: of.organisationId,
      rule_key: of.key,
      version: of.version,
      state: 'draft',
      yaml: of.yaml,
      base: of.base,
      revision: of.revision,
      title: of.title,
      criticality: of.criticality,
      note: of.note,
      author_id: of.author.id,
      author_name: of.author.name,
      noise_budget: of.noiseBudget,
      shadow_since: null,
      stopped_at: null,
    })
    .execute();

export const setState = (tx: Tx, scope: Scope, id: number, state: RuleState, now: Date): Promise<unknown> =>
  tx
    .updateTable('rule_versions')
    .set({ state, ...(state === 'shadow' && { shadow_since: now, stopped_at: null }) })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .execute();

/** Ends the version of a rule that is in this state. */
export const leaveState = (tx: Tx, scope: Scope, key: string, from: RuleState, to: RuleState): Promise<unknown> =>
  tx
    .updateTable('rule_versions')
    .set({ state: to })
    .where(within('organisation_id', scope))
    .where('rule_key', '=', key)
    .where('state', '=', from)
    .execute();

export interface OverrideRow {
  organisationId: number;
  organisation: string;
  isOn: boolean | null;
  criticality: number | null;
  reason: string;
  owner: string;
  changedAt: Date;
}

export const listOverrides = (tx: Tx, scope: Scope, key: string): Promise<OverrideRow[]> =>
  tx
    .selectFrom('rule_overrides as r')
    .innerJoin('organisations as o', 'o.id', 'r.organisation_id')
    .where(within('r.organisation_id', scope))
    .where('r.rule_key', '=', key)
    .select([
      'r.organisation_id as organisationId',
      'o.name as organisation',
      'r.is_on as isOn',
      'r.criticality',
      'r.reason',
      shownName(scope, 'r.owner_id', 'r.owner_name').as('owner'),
      'r.changed_at as changedAt',
    ])
    .orderBy('o.id')
    .limit(1000)
    .execute();

export async function saveOverride(
  tx: Tx,
  organisationId: number,
  key: string,
  values: {
    is_on: boolean | null;
    criticality: number | null;
    reason: string;
    owner_id: number;
    owner_name: string;
    changed_at: Date;
  },
): Promise<void> {
  await tx
    .insertInto('rule_overrides')
    .values({ organisation_id: organisationId, rule_key: key, ...values })
    .onConflict((conflict) => conflict.columns(['organisation_id', 'rule_key']).doUpdateSet(values))
    .execute();
}

export const removeOverride = (tx: Tx, organisationId: number, key: string): Promise<unknown> =>
  tx.deleteFrom('rule_overrides').where('organisation_id', '=', organisationId).where('rule_key', '=', key).execute();

export interface ExceptionRow {
  id: number;
  organisationId: number;
  organisation: string;
  key: string;
  yaml: string;
  reason: string;
  owner: string;
  createdAt: Date;
  endsAt: Date;
}

const exceptionsOf = (tx: Tx, scope: Scope) =>
  tx
    .selectFrom('exceptions as e')
    .innerJoin('organisations as o', 'o.id', 'e.organisation_id')
    .where(within('e.organisation_id', scope))
    .where('e.kind', '=', 'exception')
    .select([
      'e.id',
      'e.organisation_id as organisationId',
      'o.name as organisation',
      sql<string>`e.rule_key`.as('key'),
      sql<string>`e.yaml`.as('yaml'),
      'e.reason',
      shownName(scope, 'e.owner_user_id', 'e.owner_name').as('owner'),
      'e.created_at as createdAt',
      'e.ends_at as endsAt',
    ]);

export const listExceptions = (tx: Tx, scope: Scope, key: string): Promise<ExceptionRow[]> =>
  exceptionsOf(tx, scope).where('e.rule_key', '=', key).orderBy('e.ends_at', 'desc').orderBy('e.id').limit(1000).execute();

export const findException = (tx: Tx, scope: Scope, id: number): Promise<ExceptionRow | undefined> =>
  exceptionsOf(tx, scope).where('e.id', '=', id).executeTakeFirst();

export async function insertException(
  tx: Tx,
  values: {
    organisation_id: number;
    rule_key: string;
    yaml: string;
    reason: string;
    owner_user_id: number;
    owner_name: string;
    ends_at: Date;
  },
): Promise<number> {
  const { id } = await tx
    .insertInto('exceptions')
    .values({ ...values, kind: 'exception' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export const endException = (tx: Tx, scope: Scope, id: number, now: Date): Promise<unknown> =>
  tx.updateTable('exceptions').set({ ends_at: now }).where(within('organisation_id', scope)).where('id', '=', id).execute();

export interface TestRow {
  id: number;
  organisationId: number;
  key: string;
  name: string;
  isMatch: boolean;
  document: string;
}

const testsOf = (tx: Tx, scope: Scope) =>
  tx
    .selectFrom('rule_tests')
    .where(within('organisation_id', scope))
    .select(['id', 'organisation_id as organisationId', 'rule_key as key', 'name', 'is_match as isMatch', 'document']);

export const listTests = (tx: Tx, scope: Scope, key: string): Promise<TestRow[]> =>
  testsOf(tx, scope).where('rule_key', '=', key).orderBy('id').limit(200).execute();

export const findTest = (tx: Tx, scope: Scope, id: number): Promise<TestRow | undefined> =>
  testsOf(tx, scope).where('id', '=', id).executeTakeFirst();

export async function insertTest(
  tx: Tx,
  values: { organisation_id: number; rule_key: string; name: string; is_match: boolean; document: string; author_name: string },
): Promise<number> {
  const { id } = await tx.insertInto('rule_tests').values(values).returning('id').executeTakeFirstOrThrow();
  return id;
}

export const removeTest = (tx: Tx, scope: Scope, id: number): Promise<unknown> =>
  tx.deleteFrom('rule_tests').where(within('organisation_id', scope)).where('id', '=', id).execute();

export const addHistory = (
  tx: Tx,
  values: {
    organisation_id: number;
    rule_key: string;
    actor_id: number | null;
    actor_name: string;
    action: string;
    version: number | null;
    why: string;
  },
): Promise<unknown> => tx.insertInto('rule_history').values(values).execute();

export const listHistory = (tx: Tx, scope: Scope, key: string) =>
  tx
    .selectFrom('rule_history')
    .where(within('organisation_id', scope))
    .where('rule_key', '=', key)
    .select(['at', shownName(scope, 'actor_id', 'actor_name').as('actor'), 'action', 'version', 'why'])
    .orderBy('id', 'desc')
    .limit(500)
    .execute();

/** Names of packs by rule. */
export async function listPackNames(tx: Tx, scope: Scope): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('rule_pack_rules as r')
    .innerJoin('rule_packs as p', 'p.id', 'r.pack_id')
    .where(within('r.organisation_id', scope))
    .where(within('p.organisation_id', scope))
    .select(['r.rule_key as key', 'p.name'])
    .execute();
  return new Map(rows.map(({ key, name }) => [key, name]));
}

export interface RuleFigures {
  alerts: number;
  malicious: number;
  lastFired: string | null;
}

const only = (column: string, key: string | undefined): RawBuilder<unknown> =>
  key === undefined ? sql`true` : sql`${sql.ref(column)} = ${key}`;

/** Alerts of rules by key; of one or all. */
export async function readFigures(tx: Tx, scope: Scope, since: Date, key?: string): Promise<Map<string, RuleFigures>> {
  const { rows } = await sql<RuleFigures & { key: string }>`
    with fired as (
      select rule_id, sum(count) filter (where day >= ${since}::date) as alerts, max(day) as last from rollup_day_rule
      where ${within('organisation_id', scope)} and count > 0 group by rule_id
    ), malicious as (
      select a.rule_id, count(distinct a.id) as count from cases c join case_alerts ca on ca.case_id = c.id
        join alerts a on a.id = ca.alert_id and a.at = ca.alert_at
      where ${within('c.organisation_id', scope)} and ${isMalicious} and a.at >= ${since} group by a.rule_id
    )
    select r.key, coalesce(f.alerts, 0)::integer as alerts, coalesce(m.count, 0)::integer as malicious, f.last::text as "lastFired"
    from fired f join rules r on r.id = f.rule_id left join malicious m on m.rule_id = r.id where ${only('r.key', key)}`.execute(
    tx,
  );
  return new Map(rows.map(({ key, ...figures }) => [key, figures]));
}

/** Matches in shadow by rule and version. */
export async function countShadow(tx: Tx, scope: Scope, since: Date): Promise<Map<string, number>> {
  const { rows } = await sql<{ key: string; version: number; count: number }>`
    select rule_key as key, version, sum(count)::integer as count from rule_shadow_days
    where ${within('organisation_id', scope)} and day >= ${since}::date group by 1, 2`.execute(tx);
  return new Map(rows.map(({ key, version, count }) => [`${key} ${version}`, count]));
}

/** Deletes the counts of an earlier shadow of the version, which would end a new one at once. */
export const forgetShadow = (tx: Tx, scope: Scope, key: string, version: number): Promise<unknown> =>
  tx
    .deleteFrom('rule_shadow_days')
    .where(within('organisation_id', scope))
    .where('rule_key', '=', key)
    .where('version', '=', version)
    .execute();

/** Versions in shadow whose matches of a day reached their budget. */
export async function listOverBudget(
  tx: Tx,
): Promise<{ id: number; organisationId: number; key: string; version: number; count: number }[]> {
  const { rows } = await sql<{ id: number; organisationId: number; key: string; version: number; count: number }>`
    select distinct on (v.id) v.id, v.organisation_id as "organisationId", v.rule_key as key, v.version, sum(d.count)::integer as count
    from rule_versions v join rule_shadow_days d on d.rule_key = v.rule_key and d.version = v.version
    where v.state = 'shadow' group by v.id, d.day having sum(d.count) >= v.noise_budget order by v.id, count desc`.execute(tx);
  return rows;
}

export const stopShadow = (tx: Tx, id: number, now: Date): Promise<unknown> =>
  tx
    .updateTable('rule_versions')
    .set({ state: 'tested', stopped_at: now })
    .where('id', '=', id)
    .where('state', '=', 'shadow')
    .execute();
