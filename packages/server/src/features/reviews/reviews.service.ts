/**
 * Case reviews: second-analyst review of closed cases (spec §2.7, §4, §7.4). A decision of Malicious or Benign is counted for each rule of the case,
 * from which decisioning learns; a new decision subtracts the old one first.
 */
import type { CaseRow } from '@parapet/contract/caseList.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { ReviewRow, reviewsApi } from '@parapet/contract/reviews.ts';
import {
  concludedInvestigations,
  decisionName,
  investigationStatusIds,
  isClosed,
  shortName,
} from '@parapet/contract/rules/cases.ts';
import type { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { queryRows } from '../../domain/query/listed.ts';
import type { CaseAccess, CaseRecord, CaseTransitions, ReviewRecord } from '../cases/cases.ports.ts';
import {
  findCaseOfReview,
  findOverseers,
  findReview,
  listCalibration,
  listReviewers,
  listReviews,
  lockReview,
  putDecision,
  putReviewer,
  type StoredReview,
} from './reviews.store.ts';

export interface ReviewsServiceDeps {
  db: Database;
  clock: Clock;
  cases: CaseAccess;
  transitions: Pick<CaseTransitions, 'reopen'>;
}

type Body<Call extends 'list' | 'updateAnalyst' | 'updateDecision' | 'markIncorrect' | 'updateDecisioningCorrectness'> = z.output<
  (typeof reviewsApi)[Call]['body']
>;

export type ReviewsService = ReturnType<typeof createReviewsService>;

export function createReviewsService(deps: ReviewsServiceDeps) {
  const { db, clock } = deps;
  return {
    async list(actor: Actor, { filter, ...page }: Body<'list'>) {
      const scope = scopeFor(actor, filter.clientOrganizationID);
      const rows = queryRows(actor, scope, filter.query, clock.now());
      const { results, total } = await scoped(db, scope, (tx) => listReviews(tx, scope, filter, page, rows), { readOnly: true });
      return { results: results.map(shown), total };
    },

    async analysts(actor: Actor): Promise<AnswerOf<typeof reviewsApi.analysts>> {
      const scope = scopeOf(actor);
      const results = await scoped(db, scope, (tx) => listReviewers(tx, scope), { readOnly: true });
      return { results, total: results.length };
    },

    updateAnalyst: (actor: Actor, { ID, caseID, AnalystUserAccountID }: Body<'updateAnalyst'>): Promise<ReviewRow> =>
      scoped(db, scopeOf(actor), async (tx) => {
        await assign(tx, deps, actor, await lock(tx, deps.cases, scopeOf(actor), ID, caseID), AnalystUserAccountID);
        return rowOf(tx, scopeOf(actor), ID);
      }),

    updateDecision: (actor: Actor, { ID, ...decision }: Body<'updateDecision'>): Promise<ReviewRow> =>
      scoped(db, scopeOf(actor), async (tx) => {
        await decide(tx, deps, actor, await lock(tx, deps.cases, scopeOf(actor), ID), decision);
        return rowOf(tx, scopeOf(actor), ID);
      }),

    /** Assigns the review of a case to the actor and decides it, if there is one. */
    review: (actor: Actor, { caseID, ...decision }: { caseID: number; decisionID: number; notes: string }): Promise<void> =>
      scoped(db, scopeOf(actor), async (tx) => {
        const record = await deps.cases.lock(tx, scopeOf(actor), caseID);
        const review = await lockReview(tx, scopeOf(actor), { caseId: caseID });
        if (!review) return;
        await assign(tx, deps, actor, { record, review }, actor.userId);
        await decide(tx, deps, actor, { record, review }, decision);
      }),

    /** Spec §4: marking an investigation status as incorrect reopens the case. In the system scope, which the notices of the change need. */
    markIncorrect: (actor: Actor, mark: Body<'markIncorrect'>): Promise<{ case: CaseRow }> =>
      scoped(db, 'system', (tx) => markIncorrect(tx, deps, actor, mark)),

    updateDecisioningCorrectness: (actor: Actor, judgement: Body<'updateDecisioningCorrectness'>): Promise<void> =>
      scoped(db, scopeOf(actor), (tx) => judge(tx, deps, actor, judgement)),

    async calibration(actor: Actor, client: number): Promise<AnswerOf<typeof reviewsApi.calibration>> {
      const scope = scopeFor(actor, client);
      const { bins, brier } = await scoped(db, scope, (tx) => listCalibration(tx, scope), { readOnly: true });
      const sum = (of: 'cases' | 'correct') => bins.reduce((total, bin) => total + bin[of], 0);
      return {
        bins: bins.map(({ tenth, ...bin }) => ({ ...bin, from: tenth * 10, to: tenth === 9 ? 100 : tenth * 10 + 9 })),
        reviewed: sum('cases'),
        agreed: sum('correct'),
        brier,
      };
    },
  };
}

interface Locked {
  record: CaseRecord;
  review: ReviewRecord;
}

/** Locks the case, then its review, as everywhere. */
async function lock(tx: Tx, cases: CaseAccess, scope: Scope, id: number, caseId?: number): Promise<Locked> {
  const found = await findCaseOfReview(tx, scope, id);
  if (found === undefined || (caseId !== undefined && found !== caseId)) throw problem.notFound('review', id);
  const record = await cases.lock(tx, scope, found);
  const review = await lockReview(tx, scope, { id });
  if (!review) throw problem.notFound('review', id);
  return { record, review };
}

async function assign(
  tx: Tx,
  { cases }: ReviewsServiceDeps,
  actor: Actor,
  { record, review }: Locked,
  userId: number | null,
): Promise<void> {
  const scope = scopeOf(actor);
  const overseers = await findOverseers(tx, scope, record.organisation_id);
  const reviewer = (await listReviewers(tx, scope)).find(
    ({ id, clientOrganizationID }) => id === userId && overseers.includes(clientOrganizationID),
  );
  if (userId !== null && !reviewer)
    throw problem.invalid({
      AnalystUserAccountID: [`User ${userId} cannot review cases of this client. Select a reviewer from the list.`],
    });
  if (review.analyst_user_id !== userId) {
    const name = reviewer ? shortName(reviewer.firstName, reviewer.lastName) : '';
    await putReviewer(tx, review, { id: userId, name });
    await cases.recordHistory(tx, actor, record, {
      action: 'review.assigned',
      history: { kind: 'review', text: name ? `Review assigned to ${name}` : 'Review unassigned', isInternal: true },
      before: { analystUserId: review.analyst_user_id },
      after: { analystUserId: userId },
    });
  }
}

async function decide(
  tx: Tx,
  { clock, cases }: ReviewsServiceDeps,
  actor: Actor,
  { record, review }: Locked,
  { decisionID, notes }: Omit<Body<'updateDecision'>, 'ID'>,
): Promise<void> {
  if (review.decision_id !== decisionID || review.notes !== notes) {
    await putDecision(tx, review, { decisionId: decisionID, notes, at: new Date(clock.now()), by: actor.userId });
    await cases.recordHistory(tx, actor, record, {
      action: 'review.decided',
      history: { kind: 'review', text: `Review: ${decisionName(decisionID)}`, isInternal: true },
      before: { decisionId: review.decision_id, notes: review.notes },
      after: { decisionId: decisionID, notes },
    });
  }
}

async function markIncorrect(
  tx: Tx,
  { cases, transitions }: ReviewsServiceDeps,
  actor: Actor,
  { caseID, notes }: Body<'markIncorrect'>,
): Promise<{ case: CaseRow }> {
  const scope = scopeOf(actor);
  const record = await cases.lock(tx, scope, caseID);
  const isOpen = !isClosed(record.status);
  if (!isOpen || record.investigation_status !== investigationStatusIds.markedIncorrect) {
    if (isOpen && !concludedInvestigations.includes(record.investigation_status))
      throw problem.conflict(
        `The investigation of case ${caseID} is not concluded, so it can’t be marked as incorrect. Change its investigation status instead.`,
      );
    if (notes !== '')
      await cases.recordHistory(tx, actor, record, {
        action: 'case.markedIncorrect',
        history: { kind: 'review', text: `Marked as incorrect: ${notes}`.slice(0, 2000), isInternal: true },
        after: { notes },
      });
    await transitions.reopen(tx, actor, record, {
      investigation_status: investigationStatusIds.markedIncorrect,
      text: 'Investigation marked as incorrect, case reopened',
    });
  }
  return { case: await cases.getRow(tx, scope, caseID) };
}

async function judge(
  tx: Tx,
  { cases }: ReviewsServiceDeps,
  actor: Actor,
  { caseID, notes, isAIDecisioningCorrect: isCorrect }: Body<'updateDecisioningCorrectness'>,
): Promise<void> {
  const record = await cases.lock(tx, scopeOf(actor), caseID);
  if (record.verdict === null) throw problem.conflict(`Case ${caseID} has no verdict yet. Rate it once there is one.`);
  if (record.is_decision_correct === isCorrect && record.decision_notes === notes) return;
  await cases.change(tx, actor, record, {
    set: { is_decision_correct: isCorrect, decision_notes: notes },
    action: 'case.decisioningJudged',
    history: {
      kind: 'review',
      text: `Verdict "${record.verdict}" marked as ${isCorrect ? 'correct' : 'incorrect'}`,
      isInternal: true,
    },
    before: { isCorrect: record.is_decision_correct, notes: record.decision_notes },
    after: { isCorrect, notes },
  });
}

async function rowOf(tx: Tx, scope: Scope, id: number): Promise<ReviewRow> {
  const row = await findReview(tx, scope, id);
  if (!row) throw problem.notFound('review', id);
  return shown(row);
}

const shown = ({ criticalityNumber, closed_at, ...row }: StoredReview): ReviewRow => ({
  ...row,
  criticality: severityOf(criticalityNumber),
  statusTypeName: decisionName(row.decisionID),
  caseClosedDate: closed_at?.toISOString() ?? null,
});
