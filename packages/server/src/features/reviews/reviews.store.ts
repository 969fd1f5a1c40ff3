/** SQL of case reviews, and of the outcomes that they feed. */
import { providerId } from '@parapet/contract/access.ts';
import type { ReviewFilter, ReviewRow } from '@parapet/contract/reviews.ts';
import { decisionIds, outcomeOfDecision, outcomeOfVerdict, type Verdict, verdicts } from '@parapet/contract/rules/cases.ts';
import { sql } from 'kysely';
import { containing } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { isAmong, type QueryRows } from '../../domain/query/listed.ts';
import { shownName } from '../../domain/visibility.ts';
import type { CaseRecord, ReviewRecord } from '../cases/cases.ports.ts';

type Outcome = NonNullable<ReviewRecord['counted_outcome']>;

/** Requests a review of a closed case, or its old review again, whose counted outcome is subtracted. */
export async function requestReview(tx: Tx, record: CaseRecord, closedAt: Date): Promise<void> {
  const old = await lockReview(tx, { organisationIds: [record.organisation_id] }, { caseId: record.id });
  if (old) await uncount(tx, old);
  const fresh = { decision_id: decisionIds.pending, case_closed_at: closedAt, notes: '', decided_at: null, decided_by: null };
  await tx
    .insertInto('case_reviews')
    .values({ organisation_id: record.organisation_id, case_id: record.id, ...fresh })
    .onConflict((conflict) => conflict.column('case_id').doUpdateSet({ ...fresh, counted_outcome: null, counted_rules: [] }))
    .execute();
}

/** Requests reviews of many cases; few of them have an old review with a counted outcome. */
export async function requestReviews(tx: Tx, records: readonly CaseRecord[], closedAt: Date): Promise<void> {
  if (records.length === 0) return;
  const counted = await tx
    .selectFrom('case_reviews')
    .where(sql<boolean>`case_id = any(${records.map(({ id }) => id)}::integer[])`)
    .where('counted_outcome', 'is not', null)
    .select('case_id')
    .execute();
  const one = new Set(counted.map(({ case_id }) => case_id));
  for (const record of records) if (one.has(record.id)) await requestReview(tx, record, closedAt);
  const others = records.filter(({ id }) => !one.has(id));
  if (others.length === 0) return;
  const fresh = { decision_id: decisionIds.pending, case_closed_at: closedAt, notes: '', decided_at: null, decided_by: null };
  await tx
    .insertInto('case_reviews')
    .values(others.map((record) => ({ organisation_id: record.organisation_id, case_id: record.id, ...fresh })))
    .onConflict((conflict) => conflict.column('case_id').doUpdateSet(fresh))
    .execute();
}

/** Locks a review until the transaction ends. */
export async function lockReview(
  tx: Tx,
  scope: Scope,
  { id, caseId }: { id?: number; caseId?: number },
): Promise<ReviewRecord | undefined> {
  let query = tx.selectFrom('case_reviews').selectAll().where(within('organisation_id', scope)).forUpdate();
  if (id !== undefined) query = query.where('id', '=', id);
  if (caseId !== undefined) query = query.where('case_id', '=', caseId);
  return query.executeTakeFirst();
}

export async function findCaseOfReview(tx: Tx, scope: Scope, id: number): Promise<number | undefined> {
  const row = await tx
    .selectFrom('case_reviews')
    .select('case_id')
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.case_id;
}

/** Counts the outcome once per rule of the case. Returns those rules, so that it can be subtracted later. */
async function count(tx: Tx, review: ReviewRecord, outcome: Outcome): Promise<number[]> {
  const { rows } = await sql<{ rule_id: number }>`
    insert into rule_outcomes as o (organisation_id, rule_id, ${sql.ref(outcome)})
    select distinct organisation_id, rule_id, 1 from case_alerts where case_id = ${review.case_id} and organisation_id = ${review.organisation_id}
    order by rule_id
    on conflict (organisation_id, rule_id) do update set ${sql.ref(outcome)} = o.${sql.ref(outcome)} + 1
    returning rule_id`.execute(tx);
  return rows.map(({ rule_id }) => rule_id);
}

/** Subtracts a counted outcome. Locks rows in key order, as `count` does, so that two reviews never deadlock. */
async function uncount(tx: Tx, { organisation_id, counted_outcome, counted_rules }: ReviewRecord): Promise<void> {
  if (!counted_outcome || counted_rules.length === 0) return;
  const column = sql.ref(counted_outcome);
  await sql`
    with locked as materialized (select rule_id from rule_outcomes
      where organisation_id = ${organisation_id} and rule_id = any(${counted_rules}::integer[]) order by rule_id for update)
    update rule_outcomes o set ${column} = greatest(0, o.${column} - 1) from locked
    where o.organisation_id = ${organisation_id} and o.rule_id = locked.rule_id`.execute(tx);
}

export async function putDecision(
  tx: Tx,
  review: ReviewRecord,
  { decisionId, notes, at, by }: { decisionId: number; notes: string; at: Date; by: number },
): Promise<void> {
  const outcome = outcomeOfDecision(decisionId) ?? null;
  await uncount(tx, review);
  const rules = outcome ? await count(tx, review, outcome) : [];
  await tx
    .updateTable('case_reviews')
    .set({ decision_id: decisionId, notes, decided_at: at, decided_by: by, counted_outcome: outcome, counted_rules: rules })
    .where('id', '=', review.id)
    .where('organisation_id', '=', review.organisation_id)
    .execute();
}

export async function putReviewer(tx: Tx, review: ReviewRecord, reviewer: { id: number | null; name: string }): Promise<void> {
  await tx
    .updateTable('case_reviews')
    .set({ analyst_user_id: reviewer.id, analyst_name: reviewer.name })
    .where('id', '=', review.id)
    .where('organisation_id', '=', review.organisation_id)
    .execute();
}

const reviewsOf = (tx: Tx, scope: Scope) =>
  tx
    .selectFrom('case_reviews as r')
    .innerJoin('cases as c', 'c.id', 'r.case_id')
    .innerJoin('organisations as o', 'o.id', 'r.organisation_id')
    .where(within('r.organisation_id', scope));

const columnsFor = (scope: Scope) =>
  [
    'r.id',
    'r.case_id as caseID',
    sql<string>`left(c.title, 2000)`.as('title'),
    'r.organisation_id as clientOrganizationID',
    'o.name as clientOrganizationName',
    'c.criticality as criticalityNumber',
    'r.decision_id as decisionID',
    shownName(scope, 'r.analyst_user_id', 'r.analyst_name').as('analystName'),
    'r.analyst_user_id as analystUserAccountID',
    shownName(scope, 'c.closed_by', 'c.closed_by_name').as('closedBy'),
    'c.closed_at',
    'c.status as caseStatus',
    'c.investigation_status as investigationStatus',
    'c.verdict',
    'c.confidence as confidenceScore',
    'c.is_decision_correct as isAIDecisioningCorrect',
    'c.decision_notes as aiDecisioningNotes',
    'r.notes',
  ] as const;

export type StoredReview = Omit<ReviewRow, 'criticality' | 'statusTypeName' | 'caseClosedDate'> & {
  criticalityNumber: number;
  closed_at: Date | null;
};

export async function listReviews(
  tx: Tx,
  scope: Scope,
  filter: ReviewFilter,
  page: { page: number; pageSize: number },
  rows?: QueryRows,
): Promise<{ results: StoredReview[]; total: number }> {
  let query = reviewsOf(tx, scope).where((eb) => eb.and(isAmong('r', rows)));
  if (filter.decisionIDs.length > 0) query = query.where('r.decision_id', 'in', filter.decisionIDs);
  if (filter.analystIDs.length > 0)
    query = query.where(sql<boolean>`coalesce(r.analyst_user_id, 0) = any(${filter.analystIDs}::integer[])`);
  if (filter.verdicts.length > 0) query = query.where('c.verdict', 'in', filter.verdicts);
  if (filter.start !== undefined && !rows) query = query.where('r.case_closed_at', '>=', new Date(filter.start));
  if (filter.end !== undefined && !rows) query = query.where('r.case_closed_at', '<', new Date(filter.end));
  if (filter.text !== '') {
    const pattern = containing(filter.text);
    query = query.where((eb) =>
      eb.or([
        eb('c.title', 'ilike', pattern),
        eb('o.name', 'ilike', pattern),
        eb(sql<string>`r.case_id::text`, '=', filter.text.replace(/^#/, '')),
      ]),
    );
  }
  const results = await query
    .select(columnsFor(scope))
    .orderBy(sql`r.case_closed_at desc nulls last`)
    .orderBy('r.id', 'desc')
    .limit(page.pageSize)
    .offset((page.page - 1) * page.pageSize)
    .execute();
  const { total } = await query.select(sql<number>`count(*)::integer`.as('total')).executeTakeFirstOrThrow();
  return { results, total };
}

export const findReview = (tx: Tx, scope: Scope, id: number): Promise<StoredReview | undefined> =>
  reviewsOf(tx, scope).select(columnsFor(scope)).where('r.id', '=', id).executeTakeFirst();

/** Users of the scope with access to reviews (access table, row 24). */
export const listReviewers = (tx: Tx, scope: Scope) =>
  tx
    .selectFrom('users')
    .innerJoin('organisations', 'organisations.id', 'users.organisation_id')
    .where(within('users.organisation_id', scope))
    .where('users.role', 'in', ['Host', 'Partner Analyst'])
    .where('users.is_deleted', '=', false)
    .where('organisations.is_partner', '=', true)
    .where('organisations.deactivated_at', 'is', null)
    .select(['users.id', 'first_name as firstName', 'last_name as lastName', 'organisation_id as clientOrganizationID'])
    .orderBy('last_name')
    .orderBy('users.id')
    .limit(1000)
    .execute();

/** Organisations whose staff may read an organisation's cases: itself, its partner, the provider. */
export async function findOverseers(tx: Tx, scope: Scope, organisationId: number): Promise<number[]> {
  const row = await tx
    .selectFrom('organisations')
    .select('parent_id')
    .where(within('id', scope))
    .where('id', '=', organisationId)
    .executeTakeFirst();
  return [organisationId, providerId, ...(row?.parent_id ? [row.parent_id] : [])];
}

const maliciousVerdicts = verdicts.filter((verdict) => outcomeOfVerdict(verdict) === 'malicious');

/**
 * Decided reviews of cases with a rated verdict, in bins of 10 points of confidence. Malicious and Suspicious agree with a review of Malicious, the
 * benign two with one of Benign.
 */
export async function listCalibration(tx: Tx, scope: Scope) {
  const decided = sql`
    select c.verdict, c.confidence, c.probability, r.counted_outcome = 'malicious' as is_malicious,
      (c.verdict = any(${maliciousVerdicts}::text[])) = (r.counted_outcome = 'malicious') as agrees
    from case_reviews r join cases c on c.id = r.case_id
    where ${within('r.organisation_id', scope)} and r.counted_outcome is not null and c.confidence is not null`;
  const { rows: bins } = await sql<{ verdict: Verdict; tenth: number; cases: number; correct: number }>`
    select verdict, least(9, confidence / 10)::integer as tenth, count(*)::integer as cases, (count(*) filter (where agrees))::integer as correct
    from (${decided}) d group by 1, 2 order by array_position(${[...verdicts]}::text[], verdict), 2`.execute(tx);
  // Brier, "Verification of forecasts expressed in terms of probability" (1950): the mean square of predicted less observed.
  const { rows } = await sql<{ brier: number | null }>`
    select avg((probability - is_malicious::integer) ^ 2)::float8 as brier from (${decided}) d where probability is not null`.execute(
    tx,
  );
  return { bins, brier: rows[0]?.brier ?? null };
}
