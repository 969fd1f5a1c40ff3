/**
 * Changes of identity rules. Entities are stored as they were reported, so a change applies to new alerts at once; open cases whose names are equal
 * or different now give their alerts back to correlation, all but the one that opened them. Closed cases and manually moved alerts stay as they are.
 */
import { problem } from '@parapet/contract/problem.ts';
import { groupingRules, manualReason, shownReason } from '@parapet/contract/rules/grouping.ts';
import { sql } from 'kysely';
import { publish } from '../../core/bus.ts';
import { integerColumn } from '../../core/db/bulk.ts';
import type { Tx } from '../../core/db/scope.ts';
import { lockCorrelation } from '../../domain/alerts-lock.ts';
import { insertHistory } from './correlation.cases.ts';
import { readIdentities } from './correlation.identities.read.ts';
import { insertIdentityRules, listIdentityRules } from './correlation.identities.store.ts';
import type { Identities, IdentityRule } from './correlation.identities.ts';
import { recomputeCases } from './correlation.manual.ts';
import { isOfUsers, replaceNames } from './correlation.names.ts';
import { type Entity, keyOf } from './correlation.rules.ts';
import { lockOpenCases } from './correlation.store.ts';

export interface IdentityChange {
  kind: IdentityRule['kind'];
  name: string;
  sameAs?: string;
  isActive: boolean;
  reason: string;
  /** Name of the person, shown in the history of cases. */
  by: string;
  now: Date;
}

/** Adds a rule or switches one on or off. Returns the cases whose alerts wait for correlation again; the caller runs it after the commit. */
export async function changeIdentityRule(tx: Tx, organisationId: number, change: IdentityChange): Promise<number[]> {
  await lockCorrelation(tx, organisationId);
  const { kind, isActive, reason, by, now } = change;
  const name = change.name.trim().toLowerCase();
  const before = await listIdentityRules(tx, organisationId);
  const known = before.find((rule) => rule.kind === kind && rule.name === name);
  if (known?.isActive && isActive && change.sameAs !== undefined && change.sameAs !== known.sameAs)
    throw problem.conflict(`${name} is merged with ${known.sameAs} already. Undo that first.`);
  const sameAs = change.sameAs?.trim().toLowerCase() ?? known?.sameAs ?? '';
  if (!known) {
    if (!isActive) throw problem.notFound('identity rule', `${kind} ${name}`);
    await insertIdentityRules(tx, organisationId, [{ kind, name, sameAs, origin: 'manual', reason }]);
  }
  await tx
    .updateTable('identity_rules')
    .set({ is_active: isActive, same_as: sameAs, reason, changed_at: now, changed_by_name: by })
    .where('organisation_id', '=', organisationId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .execute();
  if (isOfUsers(kind)) await replaceNames(tx, organisationId);
  const entities = await readOpenEntities(tx, organisationId);
  const users = entities.flatMap(({ kind, value }) => (kind === 'user' ? [value] : []));
  const [was, is] = [
    await readIdentities(tx, organisationId, before, users),
    await readIdentities(tx, organisationId, await listIdentityRules(tx, organisationId), users),
  ];
  const affected = [...Map.groupBy(entities, ({ caseId }) => caseId)].flatMap(([caseId, own]) =>
    groupsOf(own, was) === groupsOf(own, is) ? [] : [caseId],
  );
  const locked = [...(await lockOpenCases(tx, organisationId, affected))];
  const text = `Correlated again, as ${by} switched an identity rule ${isActive ? 'on' : 'off'}: ${sentenceOf(kind, name, sameAs)}.`;
  for (const caseId of locked) await release(tx, organisationId, caseId);
  await recomputeCases(tx, organisationId, locked, now);
  await insertHistory(
    tx,
    organisationId,
    locked.map((caseId) => ({ caseId, at: now, text })),
  );
  if (locked.length > 0) await publish(tx, 'case.changed', { organisationId, caseIds: locked, isNew: false });
  return locked;
}

const sentenceOf = (kind: string, name: string, sameAs: string): string =>
  [kind, name, sameAs === '' ? '' : `= ${sameAs}`].filter((part) => part !== '').join(' ');

/** The groups that a case's names form, as text. */
function groupsOf(entities: readonly Entity[], identities: Identities): string {
  const groups = Map.groupBy(entities, (entity) => {
    const found = identities.canonical(entity);
    return found ? keyOf(found) : '';
  });
  return JSON.stringify([...groups].map(([key, own]) => [key === '', ...own.map(keyOf)]).sort());
}

async function readOpenEntities(tx: Tx, organisationId: number): Promise<(Entity & { caseId: number })[]> {
  const { rows } = await sql<Entity & { caseId: number }>`
    select distinct m.case_id as "caseId", e.kind, e.value from alert_entities e
    join case_alerts m on m.alert_id = e.alert_id and m.alert_at = e.alert_at and m.organisation_id = ${organisationId}
    join cases c on c.id = m.case_id and c.organisation_id = ${organisationId} and c.closed_at is null
    where e.organisation_id = ${organisationId} and e.kind in ('user', 'device', 'caller', 'reaches') order by 1, 2, 3`.execute(
    tx,
  );
  return rows;
}

/** Beginnings of the sentences of opening rules, whose windows differ by set. */
const openings = ['severe', 'sequence', 'rules'].map(
  (id) => groupingRules.find((rule) => rule.id === id)!.sentence.split('{window}')[0]!,
);

/** Queues the alerts of a case again, except the first of those that opened it and those moved manually. */
async function release(tx: Tx, organisationId: number, caseId: number): Promise<void> {
  const members = await tx
    .selectFrom('case_alerts')
    .select(['alert_id as id', 'alert_at as at', 'joined_by as joinedBy'])
    .where('organisation_id', '=', organisationId)
    .where('case_id', '=', caseId)
    .orderBy('alert_at')
    .orderBy('alert_id')
    .execute();
  const opener = members.find(({ joinedBy }) => openings.some((opening) => joinedBy.startsWith(opening))) ?? members[0];
  const released = members.filter((member) => member !== opener && shownReason(member.joinedBy) !== manualReason);
  if (released.length === 0) return;
  const ids = integerColumn(released.map(({ id }) => id));
  // Counted as in a case when they joined.
  await sql`
    select add_alert_fates(array_agg(organisation_id), array_agg(day), array_agg('inCase'::text), array_agg(n)) from (
      select organisation_id, (alert_at at time zone 'UTC')::date as day, -count(*) as n from case_alerts
      where organisation_id = ${organisationId} and case_id = ${caseId} and alert_id = any (${ids}) group by 1, 2
    ) released having count(*) > 0`.execute(tx);
  await sql`
    with released as (
      delete from case_alerts where organisation_id = ${organisationId} and case_id = ${caseId} and alert_id = any (${ids})
      returning alert_id, alert_at
    )
    insert into correlation_queue (organisation_id, alert_id, alert_at, is_again) select ${organisationId}, alert_id, alert_at, true from released
    on conflict do nothing`.execute(tx);
  await sql`delete from alert_entities where organisation_id = ${organisationId} and alert_id = any (${ids})`.execute(tx);
}
