/** Decisions on rules of an update that were changed here, or that left the pack: three texts, and accept, keep or merge. */
import { providerId } from '@parapet/contract/access.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { PackDecision, PackItemStatus, rulePacksApi } from '@parapet/contract/rulePacks.ts';
import { sql } from 'kysely';
import { storable } from '../../core/db/like.ts';
import { readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { Actor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { checkRule } from '../../pipeline/rule-check.ts';
import { revisionOf } from '../../pipeline/rule-set.ts';
import type { Acceptance } from './packs.acceptance.ts';
import { type Body, ownScope, type PacksDeps } from './packs.deps.ts';
import { findImport, type ImportRow, newestVersion, regarded } from './packs.store.ts';

interface Texts {
  title: string;
  status: PackItemStatus;
  decision: PackDecision | null;
  merged: string | null;
  /** Of the pack when it was accepted last. */
  base: string | null;
  /** Newest version in use that was made here, or else of the pack; null if all are retired. */
  own: string | null;
  /** Empty for a rule that left the pack. */
  theirs: string;
}

async function findTexts(tx: Tx, scope: Scope, { id, packId }: ImportRow, key: string): Promise<Texts | undefined> {
  const { rows } = await sql<Texts>`
    select i.title, i.status, ${regarded('i', 'decision')}, ${regarded('i', 'merged')}, i.yaml as theirs,
      (select coalesce(r.kept_yaml, (select v.yaml from rule_versions v where v.rule_key = r.rule_key and v.pack_id = r.pack_id
          and v.organisation_id = r.organisation_id order by v.revision = r.revision desc, v.version desc limit 1))
        from rule_pack_rules r where r.pack_id = ${packId} and r.rule_key = i.rule_key and r.organisation_id = i.organisation_id) as base,
      (select v.yaml from rule_versions v where v.rule_key = i.rule_key and v.organisation_id = i.organisation_id and v.state <> 'retired'
        order by v.pack_id is null desc, v.version desc limit 1) as own
    from rule_import_items i where ${within('i.organisation_id', scope)} and i.import_id = ${id} and i.rule_key = ${key}
      and i.status in ('edited', 'removed')`.execute(tx);
  return rows[0];
}

async function getImport(tx: Tx, scope: Scope, id: number, lock: boolean): Promise<ImportRow> {
  const row = await findImport(tx, scope, id, lock);
  if (!row) throw problem.notFound('import', id);
  return row;
}

export async function getItem(
  { db }: PacksDeps,
  actor: Actor,
  id: number,
  key: string,
): Promise<AnswerOf<typeof rulePacksApi.getItem>> {
  const scope = ownScope(actor);
  return readScoped(db, scope, async (tx) => {
    const texts = await findTexts(tx, scope, await getImport(tx, scope, id, false), key);
    if (!texts) throw problem.notFound('rule of the import', key);
    const { theirs, ...more } = texts;
    return { ...more, ruleID: key, theirs: texts.status === 'removed' ? null : theirs };
  });
}

export async function decide(
  { db, detector }: PacksDeps,
  actor: Actor,
  { id, key }: { id: number; key: string },
  { decision, yaml }: Body<'decide'>,
): Promise<Record<never, never>> {
  const scope = ownScope(actor);
  return scoped(db, scope, async (tx) => {
    const row = await getImport(tx, scope, id, true);
    if (row.state !== 'ready') throw problem.conflict(`The import of “${row.name}” is ${row.state}; it can’t be changed.`);
    const texts = await findTexts(tx, scope, row, key);
    if (!texts) throw problem.notFound('rule of the import', key);
    const merged = decision === 'merge' ? mergedOf(detector.current(), key, texts.status, yaml) : null;
    await sql`update rule_import_items set decision = ${decision}, merged = ${merged}, decided_by = ${actor.userId},
        decided_by_name = ${actor.displayName}, decided_version = ${newestVersion('rule_import_items')}
      where ${within('organisation_id', scope)} and import_id = ${id} and rule_key = ${key} and status in ('edited', 'removed')`.execute(
      tx,
    );
    await recordAudit(tx, actor, {
      action: 'rulePack.decided',
      organisationId: providerId,
      target: String(id),
      before: { ruleID: key, decision: texts.decision },
      after: { ruleID: key, decision },
    });
    return {};
  });
}

/** Clears decisions on rules that have a newer version since, as they did not regard it. */
export const dropOutdatedDecisions = (tx: Tx, { id, organisationId }: ImportRow): Promise<unknown> =>
  sql`update rule_import_items set decision = null, merged = null, decided_by = null, decided_by_name = null, decided_version = null
    where import_id = ${id} and organisation_id = ${organisationId} and decided_version < ${newestVersion('rule_import_items')}`.execute(
    tx,
  );

/** Text of a merge; throws if it does not load under its ID. */
function mergedOf(set: Parameters<typeof checkRule>[1], key: string, status: PackItemStatus, yaml: string | null): string {
  if (status === 'removed') throw problem.invalid({ decision: ['The rule left the pack: retire it or keep it.'] });
  if (yaml === null) throw problem.invalid({ yaml: ['Enter the merged text.'] });
  const { rule, faults } = checkRule(storable(yaml), set);
  const errors = faults.filter(({ severity }) => severity === 'error');
  if (!rule || errors.length > 0) throw problem.invalid({ yaml: errors.map(({ line, text }) => `Line ${line}: ${text}`) });
  if (rule.writtenId !== key) throw problem.invalid({ yaml: [`The ID must stay ${key}.`] });
  return storable(yaml);
}

/** Rules whose text here stays, or is merged: the pack’s text is noted, and the next update is compared with it. Returns the drafts of merges, by those who decided on them. */
export async function applyDecisions(
  tx: Tx,
  { id, organisationId, name, version }: ImportRow,
  packId: number,
  { set, why, author, now }: Pick<Acceptance, 'why' | 'author' | 'now'> & { set: Parameters<typeof checkRule>[1] },
): Promise<{ key: string; version: number; state: string }[]> {
  const label = `${name}${version ? ` ${version}` : ''}`;
  const { rows: merges } = await sql<{ key: string; merged: string; by: number | null; byName: string | null }>`
    select rule_key as key, merged, decided_by as by, decided_by_name as "byName" from rule_import_items where import_id = ${id} and organisation_id = ${organisationId}
      and status = 'edited' and decision = 'merge' order by rule_key`.execute(tx);
  const drafts: { key: string; version: number; state: string }[] = [];
  for (const { key, merged, by, byName } of merges) {
    const { rule } = checkRule(merged, set);
    const note = `Merged with the pack ${label}: ${why}`.slice(0, 2000);
    const { rows } = await sql<{ key: string; version: number; state: string }>`
      insert into rule_versions (organisation_id, rule_key, version, state, yaml, base, revision, title, criticality, note, author_id, author_name,
        created_at)
      select ${organisationId}, ${key}, coalesce(max(version), 0) + 1, 'draft', ${merged}, null, ${revisionOf(merged)},
        ${(rule?.title ?? key).slice(0, 500)}, ${criticalityOf[rule?.level ?? 'medium']}, ${note}, ${by}, ${byName ?? ''}, ${now}
      from rule_versions where rule_key = ${key} returning rule_key as key, version, state`.execute(tx);
    drafts.push(...rows);
  }
  await sql`
    with noted as (
      update rule_pack_rules r set revision = i.revision, path = i.path, kept_yaml = i.yaml from rule_import_items i
      where i.import_id = ${id} and i.organisation_id = ${organisationId} and i.status = 'edited' and i.decision in ('keep', 'merge')
        and r.pack_id = ${packId} and r.rule_key = i.rule_key and r.organisation_id = i.organisation_id returning r.rule_key, i.decision
    )
    insert into rule_history (organisation_id, rule_key, actor_id, actor_name, action, version, why)
    select ${organisationId}, rule_key, ${author.id}, ${author.name},
      case decision when 'keep' then 'Own text stays at an update of its pack' else 'Merged with an update of its pack' end, null,
      ${`${label}: ${why}`.slice(0, 2000)} from noted`.execute(tx);
  return drafts;
}
