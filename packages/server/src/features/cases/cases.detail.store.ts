/** SQL of one case: what stands in the tables beside its row. */
import type { AnalystCaseNote, Artifact, CaseNarrative } from '@parapet/contract/caseDetail.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { shownNetwork } from '../../domain/networks.ts';
import { shownName, visible } from '../../domain/visibility.ts';
import { line, paragraph } from './cases.rows.ts';

const maxNarratives = 200;
const maxNotes = 500;
const maxArtifacts = 1_000;
const maxHistory = 500;

/** An alert of a case by its key, and why it is there. */
export interface Member {
  alert_id: number;
  alert_at: Date;
  joined_by: string;
}

const membersOf = (tx: Tx, scope: Scope, caseId: number) =>
  tx.selectFrom('case_alerts').where(within('organisation_id', scope)).where('case_id', '=', caseId);

/** Newest first; `below` is the last one of the part above. */
export function listMembers(
  tx: Tx,
  scope: Scope,
  caseId: number,
  { limit, offset = 0, below }: { limit: number; offset?: number; below?: Member | undefined },
): Promise<Member[]> {
  let query = membersOf(tx, scope, caseId)
    .select(['alert_id', 'alert_at', 'joined_by'])
    .orderBy('alert_at', 'desc')
    .orderBy('alert_id', 'desc')
    .limit(limit)
    .offset(offset);
  if (below)
    query = query.where(sql<boolean>`(alert_at, alert_id) < (${below.alert_at}::timestamptz, ${below.alert_id}::integer)`);
  return query.execute();
}

export async function countMembers(tx: Tx, scope: Scope, caseId: number): Promise<number> {
  const { total } = await membersOf(tx, scope, caseId).select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow();
  return total;
}

/** The worst first. */
export const listWorstMembers = (tx: Tx, scope: Scope, caseId: number, limit: number): Promise<Member[]> =>
  membersOf(tx, scope, caseId)
    .select(['alert_id', 'alert_at', 'joined_by'])
    .orderBy('criticality', 'desc')
    .orderBy('alert_at')
    .orderBy('alert_id')
    .limit(limit)
    .execute();

/** Worst reputation over all lists. Lists contain no programs, users or devices. */
const indicatorKind: RawBuilder<unknown> = sql`case a.kind when 'destinationIp' then 'ip' when 'sourceIp' then 'ip' when 'domain' then 'domain' when 'hash' then 'hash' end`;
const badness = (reputation: string): RawBuilder<unknown> =>
  sql`array_position('{Malicious,Suspicious,Unknown,Benign}'::text[], ${sql.ref(reputation)})`;

/** Malicious ones first. `malicious` counts all of the case's, by spec §9: addresses, hashes and processes. */
export async function listArtifacts(tx: Tx, scope: Scope, caseId: number): Promise<{ artifacts: Artifact[]; malicious: number }> {
  const { rows } = await sql<{
    kind: Artifact['kind'];
    value: string;
    count: number;
    first_at: Date;
    last_at: Date;
    reputation: Artifact['reputation'] | null;
    source: string | null;
    decoded_from: string | null;
    malicious: number;
  }>`select a.kind, left(a.value, 2000) as value, a.count, a.first_at, a.last_at, a.decoded_from, said.reputation, said.source,
      count(*) filter (where said.reputation = 'Malicious' and a.kind in ('destinationIp', 'sourceIp', 'hash', 'process')) over () as malicious
    from case_artifacts a left join lateral (
      select i.reputation, l.name as source from indicators i join intelligence_lists l on l.id = i.list_id
      where i.kind = ${indicatorKind} and i.value = lower(a.value) order by ${badness('i.reputation')}, l.id limit 1) said on true
    where a.case_id = ${caseId} and ${within('a.organisation_id', scope)}
    order by ${badness('said.reputation')} nulls last, a.last_at desc, a.kind, a.value limit ${maxArtifacts}`.execute(tx);
  return {
    artifacts: rows.map((row) => ({
      kind: row.kind,
      value: row.value,
      reputation: row.reputation ?? 'Unknown',
      source: line(row.source ?? ''),
      network: row.kind === 'sourceIp' || row.kind === 'destinationIp' ? (shownNetwork(row.value) ?? null) : null,
      count: row.count,
      firstTime: row.first_at.toISOString(),
      lastTime: row.last_at.toISOString(),
      decodedFrom: row.decoded_from,
    })),
    malicious: rows[0]?.malicious ?? 0,
  };
}

/** The newest, the newest last. */
export async function listHistory(tx: Tx, scope: Scope, caseId: number) {
  const named = (change: 'before' | 'after') => shownName(scope, sql`(${sql.ref(change)} ->> 'analystUserId')::integer`, sql`''`);
  const rows = await tx
    .selectFrom('case_history')
    .select([
      'at',
      'kind',
      shownName(scope, 'actor_user_id', 'actor_name').as('actor_name'),
      // The text names who was given the case or its review, or had it before; a name is not '' only where another is shown in its place.
      sql<string>`case when kind not in ('assignment', 'review') then text
        when ${named('after')} <> '' then case kind when 'review' then 'Review given to ' else 'Assigned to ' end || ${named('after')}
        when kind = 'assignment' and ${named('before')} <> '' then 'No longer assigned to ' || ${named('before')}
        else text end`.as('text'),
    ])
    .where(within('organisation_id', scope))
    .where('case_id', '=', caseId)
    .where(visible('case_history', scope))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(maxHistory)
    .execute();
  return rows.reverse();
}

/** Newest first. A client sees those that were mailed to it. */
export async function listNarratives(tx: Tx, scope: Scope, caseId: number): Promise<CaseNarrative[]> {
  const rows = await tx
    .selectFrom('case_narratives')
    .selectAll()
    .select(shownName(scope, 'author_user_id', 'author_name').as('author'))
    .where(within('organisation_id', scope))
    .where('case_id', '=', caseId)
    .where(visible('case_narratives', scope))
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(maxNarratives)
    .execute();
  return rows.map((row) => shownNarrative({ ...row, author_name: row.author }));
}

export const shownNarrative = (row: {
  id: number;
  started_at: Date;
  text: string;
  author_name: string;
  is_generated: boolean;
  email_sent_at: Date | null;
}): CaseNarrative => ({
  id: row.id,
  startTime: row.started_at.toISOString(),
  text: paragraph(row.text),
  analystUserAccountFull: { displayName: line(row.author_name || 'Decisioning') },
  isGenerated: row.is_generated,
  emailSentTimestamp: row.email_sent_at?.toISOString() ?? null,
});

/** Newest first. A client sees those that are shared with it. */
export async function listNotes(tx: Tx, scope: Scope, caseId: number, userId: number): Promise<AnalystCaseNote[]> {
  const rows = await tx
    .selectFrom('case_notes')
    .selectAll()
    .select(shownName(scope, 'author_user_id', 'author_name').as('author'))
    .where(within('organisation_id', scope))
    .where('case_id', '=', caseId)
    .where(visible('case_notes', scope))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(maxNotes)
    .execute();
  return rows.map((row) => shownNote({ ...row, author_name: row.author }, userId));
}

export const shownNote = (
  row: {
    id: number;
    text: string;
    is_internal: boolean;
    author_name: string;
    author_user_id: number | null;
    source: string | null;
    created_at: Date;
    changed_at: Date | null;
  },
  userId: number,
): AnalystCaseNote => ({
  id: row.id,
  text: paragraph(row.text),
  isInternal: row.is_internal,
  author: line(row.author_name),
  source: row.source === null ? null : line(row.source),
  isMine: row.author_user_id === userId,
  createdTime: row.created_at.toISOString(),
  changedTime: row.changed_at?.toISOString() ?? null,
});

export const findClient = (tx: Tx, scope: Scope, organisationId: number) =>
  tx
    .selectFrom('organisations')
    .select(['id', 'name', 'general_alert_notes', 'alert_playbook', 'alert_types', 'subscription_level_id', 'is_ar_enabled'])
    .where(within('id', scope))
    .where('id', '=', organisationId)
    .executeTakeFirstOrThrow();
