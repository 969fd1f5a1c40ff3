/** Cases that an alert joins: one goes into the other, or both stay and name each other. A person can separate them. */
import { problem } from '@parapet/contract/problem.ts';
import { sql } from 'kysely';
import { integerColumn } from '../../core/db/bulk.ts';
import type { Tx } from '../../core/db/scope.ts';
import { insertHistory } from './correlation.cases.ts';
import type { Bridge } from './correlation.judge.ts';
import { recomputeCases } from './correlation.manual.ts';

/** Cases that a person has separated, by case. */
export async function listApart(tx: Tx, organisationId: number, caseIds: readonly number[]): Promise<Map<number, number[]>> {
  const apart = new Map<number, number[]>();
  if (caseIds.length === 0) return apart;
  const { rows } = await sql<{ one: number; other: number }>`
    select case_id as one, into_case_id as other from case_merges where organisation_id = ${organisationId} and state = 'split'
      and (case_id = any (${integerColumn(caseIds)}) or into_case_id = any (${integerColumn(caseIds)}))`.execute(tx);
  for (const { one, other } of rows) {
    apart.set(one, [...(apart.get(one) ?? []), other]);
    apart.set(other, [...(apart.get(other) ?? []), one]);
  }
  return apart;
}

/** The case that each merged case is part of now; entities of its alerts keep the case that they were stored with. */
export async function listMerged(tx: Tx, organisationId: number, caseIds: readonly number[]): Promise<Map<number, number>> {
  if (caseIds.length === 0) return new Map();
  const { rows } = await sql<{ caseId: number; into: number }>`
    with recursive chain (case_id, into_case_id, step) as (
      select case_id, into_case_id, 1 from case_merges
      where organisation_id = ${organisationId} and state = 'merged' and case_id = any (${integerColumn(caseIds)})
      union all
      select c.case_id, m.into_case_id, c.step + 1 from chain c
      join case_merges m on m.organisation_id = ${organisationId} and m.state = 'merged' and m.case_id = c.into_case_id
    )
    select case_id as "caseId", into_case_id as into from chain order by step`.execute(tx);
  return new Map(rows.map(({ caseId, into }) => [caseId, into]));
}

/** Joins cases of earlier runs. False where one of them was dealt with or closed in the meantime. */
export async function writeBridges(
  tx: Tx,
  organisationId: number,
  bridges: readonly Bridge[],
  at: (alertId: number) => Date,
): Promise<boolean> {
  for (const { from, into, alertId, sentence, isRelatedOnly } of bridges) {
    if (isRelatedOnly) {
      await relate(tx, organisationId, { from, into, alertId, sentence }, at(alertId));
      continue;
    }
    const { rows } = await sql<{ isDone: boolean }>`
      select absorb_case(${organisationId}, ${from}, ${into}, ${alertId}, ${sentence}, ${at(alertId)}) as "isDone"`.execute(tx);
    if (!rows[0]?.isDone) return false;
    await insertHistory(tx, organisationId, [
      {
        caseId: into,
        at: at(alertId),
        text: `Case ${from} became part of this case, as alert ${alertId} belongs to both: ${sentence}. Case ${from} had not been worked on.`,
      },
    ]);
  }
  return true;
}

async function relate(
  tx: Tx,
  organisationId: number,
  { from, into, alertId, sentence }: Pick<Bridge, 'from' | 'into' | 'alertId' | 'sentence'>,
  at: Date,
): Promise<void> {
  const known = await tx
    .selectFrom('case_merges')
    .select('id')
    .where('organisation_id', '=', organisationId)
    .where('state', '=', 'related')
    .where('case_id', 'in', [from, into])
    .where('into_case_id', 'in', [from, into])
    .executeTakeFirst();
  if (known) return;
  await tx
    .insertInto('case_merges')
    .values({
      organisation_id: organisationId,
      case_id: from,
      into_case_id: into,
      alert_id: alertId,
      reason: sentence,
      state: 'related',
      at,
      snapshot: '{}',
      history: '[]',
      alerts: '[]',
    })
    .execute();
  const textOf = (other: number) =>
    `Related to case ${other}: alert ${alertId} belongs to both (${sentence}). Both stay, as both are being worked on.`;
  await insertHistory(tx, organisationId, [
    { caseId: from, at, text: textOf(into) },
    { caseId: into, at, text: textOf(from) },
  ]);
}

/** Restores a case with the alerts that it had, as far as they are where they went. Correlation never joins the two again. */
export async function splitCase(
  tx: Tx,
  organisationId: number,
  caseId: number,
  { by, now }: { by: string; now: Date },
): Promise<void> {
  const merge = await tx
    .selectFrom('case_merges')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('case_id', '=', caseId)
    .where('state', '=', 'merged')
    .forUpdate()
    .executeTakeFirst();
  if (!merge) throw problem.notFound('merged case', caseId);
  const into = await tx
    .selectFrom('cases')
    .select(['id', 'closed_at'])
    .where('organisation_id', '=', organisationId)
    .where('id', '=', merge.into_case_id)
    .forUpdate()
    .executeTakeFirst();
  if (!into || into.closed_at !== null)
    throw problem.conflict(`Case ${merge.into_case_id} is closed. Reopen it to separate case ${caseId}.`);
  await sql`insert into cases select * from jsonb_populate_record(null::cases, ${JSON.stringify(merge.snapshot)}::jsonb)`.execute(
    tx,
  );
  const alerts = integerColumn(merge.alerts.map(({ id }) => id));
  await sql`update case_alerts set case_id = ${caseId} where organisation_id = ${organisationId} and case_id = ${into.id} and alert_id = any (${alerts})`.execute(
    tx,
  );
  await sql`update alert_entities set case_id = ${caseId} where organisation_id = ${organisationId} and case_id = ${into.id} and alert_id = any (${alerts})`.execute(
    tx,
  );
  await tx
    .updateTable('case_merges')
    .set({ state: 'split', split_at: now, split_by_name: by })
    .where('organisation_id', '=', organisationId)
    .where('id', '=', merge.id)
    .execute();
  await insertHistory(tx, organisationId, [
    ...merge.history.map(({ at, text }) => ({ caseId, at: new Date(at), text })),
    { caseId, at: now, text: `Separated from case ${into.id} by ${by}.` },
    { caseId: into.id, at: now, text: `Case ${caseId} was separated from this case by ${by}.` },
  ]);
  await recomputeCases(tx, organisationId, [into.id, caseId], now);
}
