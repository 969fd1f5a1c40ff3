/** SQL that accepts the rules of an import, all in one transaction. */
import type { TakenState } from '@parapet/contract/rulePacks.ts';
import { type RawBuilder, sql } from 'kysely';
import { integerColumn, textColumn } from '../../core/db/bulk.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { ImportRow } from './packs.store.ts';

export interface Acceptance {
  state: TakenState;
  /** Empty for all. */
  criticalities: readonly number[];
  onlyKnownSources: boolean;
  /** IDs that have versions, in the whole installation: no rule of the pack is new under them. */
  used: readonly string[];
  why: string;
  author: { id: number; name: string };
  now: Date;
}

const critical = 5;

/**
 * State of each rule: critical ones never go live by a pack, nor is one that is live replaced by it, and correlations have no shadow. Without a decision
 * a draft where a version made here is in use, and where the last one was retired or too noisy.
 */
const stateOf = (state: TakenState): RawBuilder<string> => sql<string>`
  case when i.decision is null and (i.status = 'edited' or ${hasOwnVersion(sql`i.rule_key`)}) then 'draft'
    when i.decision is null and exists (select from rule_versions l where l.rule_key = i.rule_key and (l.state = 'retired' or l.stopped_at is not null)
      and l.version = (select max(m.version) from rule_versions m where m.rule_key = i.rule_key and m.state <> 'draft')) then 'draft'
    when ${state} = 'live' and (i.criticality >= ${critical} or exists (select from rule_versions l where l.rule_key = i.rule_key
      and l.state = 'live' and l.criticality >= ${critical})) then case when i.is_correlation then 'draft' else 'shadow' end
    when ${state} = 'shadow' and i.is_correlation then 'draft'
    else ${state} end`;

/** True if a version that was made here is in use. */
const hasOwnVersion = (key: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`
  exists (select from rule_versions o where o.rule_key = ${key} and o.pack_id is null and o.state <> 'retired')`;

/** Live versions of the provider, by rule. */
export async function listLive(tx: Tx, organisationId: number): Promise<Map<string, number>> {
  const { rows } = await sql<{ key: string; version: number }>`
    select rule_key as key, version from rule_versions where organisation_id = ${organisationId} and state = 'live'`.execute(tx);
  return new Map(rows.map(({ key, version }) => [key, version]));
}

/** Saves the pack, and a version of each rule. Returns the versions. */
export async function takeOver(
  tx: Tx,
  { id, organisationId, ...of }: ImportRow,
  { state, criticalities, onlyKnownSources, used, why, author, now }: Acceptance,
): Promise<{ packId: number; taken: { key: string; version: number; state: string }[] }> {
  const { rows: packs } = await sql<{ id: number }>`
    insert into rule_packs (organisation_id, name, origin, address, branch, folder, version, publisher, licence, signer, changed_at)
    values (${organisationId}, ${of.name}, ${of.origin}, ${of.address}, ${of.branch}, ${of.folder}, ${of.version}, ${of.publisher},
      ${of.licence}, ${of.signer}, ${now})
    on conflict (organisation_id, name) do update set origin = excluded.origin, address = excluded.address, branch = excluded.branch,
      folder = excluded.folder, version = excluded.version, publisher = excluded.publisher, licence = excluded.licence,
      signer = excluded.signer, changed_at = excluded.changed_at returning id`.execute(tx);
  const packId = packs[0]!.id;
  // Read once: each of the statements below changes what the states depend on.
  const { rows: items } = await sql<{ number: number; next: string }>`
    select i.number, ${stateOf(state)} as next from rule_import_items i
    where i.import_id = ${id} and i.organisation_id = ${organisationId} and i.rule_key is not null and i.status in ('new', 'changed', 'edited')
      and (i.decision = 'accept' or (i.decision is null
        and (${criticalities.length === 0} or i.criticality = any(${[...criticalities]}::smallint[]))
        and (${!onlyKnownSources} or i.is_known_source)))
      and (i.status <> 'new' or i.rule_key <> all(${textColumn(used)}))`.execute(tx);
  const chosen = sql`
    select i.*, c.next from unnest(${integerColumn(items.map(({ number }) => number))}, ${textColumn(items.map(({ next }) => next))})
      as c (number, next) join rule_import_items i on i.import_id = ${id} and i.organisation_id = ${organisationId} and i.number = c.number`;
  // One version of a rule is live, and one in shadow.
  await sql`
    update rule_versions v set state = case when v.state = 'live' or i.decision = 'accept' and i.next = 'live' then 'retired' else 'tested' end
    from (${chosen}) i where v.organisation_id = ${organisationId} and v.rule_key = i.rule_key and v.state <> 'retired'
      and ((i.next = 'live' and (v.state = 'live' or i.decision = 'accept')) or (v.state = 'shadow' and i.next in ('shadow', 'live')))`.execute(
    tx,
  );
  const note = `Accepted from the pack ${of.name}${of.version ? ` ${of.version}` : ''}: ${why}`.slice(0, 2000);
  const { rows: taken } = await sql<{ key: string; version: number; state: string }>`
    with added as (
      insert into rule_versions (organisation_id, rule_key, version, state, yaml, base, revision, title, criticality, note, author_id,
        author_name, created_at, shadow_since, pack_id)
      select ${organisationId}, i.rule_key, coalesce((select max(version) from rule_versions v where v.rule_key = i.rule_key), 0) + 1, i.next,
        i.yaml, null, i.revision, i.title, i.criticality, ${note}, ${author.id}, ${author.name}, ${now},
        case when i.next = 'shadow' then ${now}::timestamptz end, ${packId}
      from (${chosen}) i returning rule_key, version, state
    ), history as (
      insert into rule_history (organisation_id, rule_key, actor_id, actor_name, action, version, why)
      select ${organisationId}, rule_key, ${author.id}, ${author.name}, 'Accepted from a pack: ' || state, version, ${note} from added
    ), rules as (
      insert into rule_pack_rules (pack_id, organisation_id, rule_key, path, revision)
      select ${packId}, ${organisationId}, i.rule_key, i.path, i.revision from (${chosen}) i
      on conflict (pack_id, rule_key) do update set path = excluded.path, revision = excluded.revision, kept_yaml = null
    )
    select rule_key as key, version, state from added`.execute(tx);
  await sql`update rule_imports set state = 'accepted', pack_id = ${packId} where id = ${id} and organisation_id = ${organisationId}`.execute(
    tx,
  );
  return { packId, taken };
}

/** Rules that the pack no longer has: kept or retired by decision, kept without one if a version made here is in use, and others. */
export async function listRemoved(
  tx: Tx,
  { id, organisationId }: ImportRow,
): Promise<{ key: string; outcome: 'kept' | 'retired' | 'undecided' }[]> {
  const { rows } = await sql<{ key: string; outcome: 'kept' | 'retired' | 'undecided' }>`
    select i.rule_key as key, case when i.decision = 'accept' then 'retired'
      when i.decision = 'keep' or ${hasOwnVersion(sql`i.rule_key`)} then 'kept' else 'undecided' end as outcome from rule_import_items i
    where i.import_id = ${id} and i.organisation_id = ${organisationId} and i.status = 'removed' and i.rule_key is not null`.execute(
    tx,
  );
  return rows;
}

/** Rules that left the pack and stay as they are: no longer part of it. */
export const release = (
  tx: Tx,
  { organisationId }: Pick<ImportRow, 'organisationId'>,
  packId: number,
  keys: readonly string[],
): Promise<unknown> =>
  sql`delete from rule_pack_rules where pack_id = ${packId} and organisation_id = ${organisationId} and rule_key = any(${textColumn(keys)})`.execute(
    tx,
  );

/** Retires the versions of rules, which then are no longer part of the pack. */
export async function retire(
  tx: Tx,
  { organisationId }: Pick<ImportRow, 'organisationId'>,
  packId: number,
  keys: readonly string[],
): Promise<number> {
  await sql`
    update rule_versions set state = 'retired' where organisation_id = ${organisationId} and rule_key = any(${textColumn(keys)})
      and state <> 'retired'`.execute(tx);
  const { rows } = await sql`
    delete from rule_pack_rules where pack_id = ${packId} and organisation_id = ${organisationId} and rule_key = any(${textColumn(keys)})
    returning rule_key`.execute(tx);
  return rows.length;
}

export interface PackVersion {
  id: number;
  key: string;
  version: number;
  state: string;
  criticality: number;
  isStopped: boolean;
  yaml: string;
  /** A version that was made here is in use. */
  isEdited: boolean;
  /** Any version of the rule is in use. */
  isUsed: boolean;
}

/** Newest version of each rule of a pack that was accepted from it, locked. */
export async function lockNewest(tx: Tx, organisationId: number, packId: number): Promise<PackVersion[]> {
  const { rows } = await sql<PackVersion>`
    select v.id, v.rule_key as key, v.version, v.state, v.criticality, v.stopped_at is not null as "isStopped", v.yaml,
      ${hasOwnVersion(sql`v.rule_key`)} as "isEdited",
      exists (select from rule_versions u where u.rule_key = v.rule_key and u.state <> 'retired') as "isUsed"
    from rule_pack_rules r join rule_versions v on v.rule_key = r.rule_key and v.organisation_id = ${organisationId} and v.pack_id = r.pack_id
      and v.version = (select max(n.version) from rule_versions n where n.rule_key = r.rule_key and n.pack_id = r.pack_id)
    where r.pack_id = ${packId} and r.organisation_id = ${organisationId} order by v.rule_key for update of v`.execute(tx);
  return rows;
}

/** Sets the state of versions; those of the same rules that hold the state end. */
export async function setStates(
  tx: Tx,
  /** Of the counts of clients. */
  scope: Scope,
  organisationId: number,
  versions: readonly { id: number; key: string; version: number; state: string }[],
  {
    state,
    why,
    author,
    now,
  }: { state: 'shadow' | 'live' | 'retired'; why: string; author: { id: number; name: string }; now: Date },
): Promise<void> {
  const ids = sql`${versions.map(({ id }) => id)}::integer[]`;
  const keys = textColumn(versions.map(({ key }) => key));
  // A rule is retired with all its versions; otherwise one version is live, and one in shadow.
  await sql`
    update rule_versions set state = case when ${state}::text = 'retired' or state = 'live' then 'retired' else 'tested' end
    where organisation_id = ${organisationId} and rule_key = any(${keys}) and id <> all(${ids}) and state <> 'retired'
      and (${state}::text = 'retired' or state = ${state} or (${state}::text = 'live' and state = 'shadow'))`.execute(tx);
  await sql`
    update rule_versions set state = ${state}, shadow_since = case when ${state} = 'shadow' then ${now}::timestamptz else shadow_since end,
      stopped_at = case when ${state} = 'shadow' then null else stopped_at end
    where organisation_id = ${organisationId} and id = any(${ids})`.execute(tx);
  if (state === 'shadow')
    await sql`delete from rule_shadow_days where ${within('organisation_id', scope)} and rule_key = any(${keys})`.execute(tx);
  await sql`
    insert into rule_history (organisation_id, rule_key, actor_id, actor_name, action, version, why)
    select ${organisationId}, v.rule_key, ${author.id}, ${author.name}, 'State: ' || s.before || ' → ' || ${state}, v.version, ${why}
    from unnest(${ids}, ${textColumn(versions.map((version) => version.state))}) as s (id, before) join rule_versions v on v.id = s.id`.execute(
    tx,
  );
}
