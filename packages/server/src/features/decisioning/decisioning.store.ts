/** SQL of verdicts. */
import type { Evidence } from '@parapet/contract/caseDetail.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { integerColumn } from '../../core/db/bulk.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';

export type CaseRecord = Selectable<Tables['cases']>;

export async function listOrganisationsUndecided(tx: Tx): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from organisations o where exists (select from cases c where c.organisation_id = o.id and c.needs_decision) order by id`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}

/** Skips locked cases, which follow in the next run. */
export const lockUndecided = (tx: Tx, organisationId: number, limit: number): Promise<CaseRecord[]> =>
  tx
    .selectFrom('cases')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('needs_decision', '=', true)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();

/**
 * Condition: devices without events for a day although their baseline expects some, as found by the silence watch. A device without a baseline
 * counts as silent. An alert counts as an event, since the time of a device's last event is written later than its alerts.
 */
export const isSilent = (now: number): RawBuilder<boolean> => {
  const since = new Date(now - dayMs);
  return sql<boolean>`(d.last_event_at < ${since} and d.merged_into is null and (d.silent_since is not null
    or not exists (select from device_hours h where h.organisation_id = d.organisation_id and h.device_id = d.id))
    and not exists (select from alerts a where a.organisation_id = d.organisation_id and a.device_name = d.name and a.at >= ${since}))`;
};

/** Cases with a device that fell silent or resumed since their verdict; a device that the SOC isolated is not silent. */
export async function reconsiderSilence(tx: Tx, now: number): Promise<void> {
  await sql`
    update cases c set needs_decision = true
    where closed_at is null and not needs_decision and decided_at is not null and (evidence @> '[{"factor": "silence"}]') is distinct from
      exists (select from devices d where d.organisation_id = c.organisation_id and d.name = any (c.device_names) and ${isSilent(now)}
        and not exists (select from response_flags f where f.organisation_id = d.organisation_id and f.kind = 'deviceIsolated' and f.value_key = d.name_key))`.execute(
    tx,
  );
}

export interface Verdicts {
  id: number;
  verdict: string;
  confidence: number | null;
  probability: number;
  evidence: Evidence[];
  model: string;
  decidedAt: Date;
  summary: string;
}

/** Keeps the version, as nothing that people edit changes. */
export async function saveVerdicts(tx: Tx, organisationId: number, verdicts: readonly Verdicts[]): Promise<void> {
  await sql`
    update cases c set verdict = v.verdict, confidence = v.confidence, probability = v.probability, evidence = v.evidence, model = v.model,
      decided_at = v."decidedAt", summary = v.summary, needs_decision = false
    from jsonb_to_recordset(${JSON.stringify(verdicts)}::jsonb) as v (id integer, verdict text, confidence smallint, probability float8, evidence jsonb,
      model text, "decidedAt" timestamptz, summary text)
    where c.id = v.id and c.organisation_id = ${organisationId}`.execute(tx);
}

export interface Proposal {
  caseId: number;
  action: 'block' | 'disable';
  target: string;
  device: string;
}

/** Continues the numbering of each case; existing tasks stay unchanged. */
export async function insertProposals(tx: Tx, organisationId: number, proposals: readonly Proposal[], at: Date): Promise<void> {
  if (proposals.length === 0) return;
  await sql`
    insert into case_tasks (organisation_id, case_id, task_number, action, target, device_name, created_at)
    select ${organisationId}, p."caseId", coalesce((select max(task_number) from case_tasks t where t.case_id = p."caseId"), 0)
      + row_number() over (partition by p."caseId" order by p.place), p.action, p.target, p.device, ${at}
    from rows from (jsonb_to_recordset(${JSON.stringify(proposals)}::jsonb) as ("caseId" integer, action text, target text, device text))
      with ordinality as p ("caseId", action, target, device, place)
    where not exists (select from case_tasks t where t.case_id = p."caseId" and t.action = p.action and lower(t.target) = lower(p.target)
      and lower(t.device_name) = lower(p.device))
    on conflict do nothing`.execute(tx);
}

/** Cases of these with a narrative by the portal. */
export async function listNarrated(tx: Tx, organisationId: number, caseIds: readonly number[]): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select distinct case_id as id from case_narratives
    where organisation_id = ${organisationId} and is_generated and case_id = any (${integerColumn(caseIds)})`.execute(tx);
  return new Set(rows.map((row) => row.id));
}

export async function insertNarratives(
  tx: Tx,
  organisationId: number,
  narratives: readonly { caseId: number; text: string }[],
  at: Date,
): Promise<{ id: number; caseId: number; text: string }[]> {
  if (narratives.length === 0) return [];
  return tx
    .insertInto('case_narratives')
    .values(
      narratives.map(({ caseId, text }) => ({
        organisation_id: organisationId,
        case_id: caseId,
        author_user_id: null,
        author_name: 'Decisioning',
        text,
        is_generated: true,
        started_at: at,
      })),
    )
    .returning(['id', 'case_id as caseId', 'text'])
    .execute();
}

/** Replaces the portal's narrative unless it was edited or emailed. */
export async function replaceNarrative(tx: Tx, organisationId: number, id: number, before: string, text: string): Promise<void> {
  await tx
    .updateTable('case_narratives')
    .set({ text })
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .where('text', '=', before)
    .where('email_sent_at', 'is', null)
    .execute();
}
