/** Analyst's part of a prelude: cases of earlier days are closed and reviewed through the product's own store. */
import { decisionIds, investigationStatusIds } from '@parapet/contract/rules/cases.ts';
import type { Database } from '../../src/core/db/connect.ts';
import { scoped } from '../../src/core/db/scope.ts';
import { lockReview, putDecision, requestReview } from '../../src/features/reviews/reviews.store.ts';
import type { Label } from './cases.ts';

export const insertOrganisation = (db: Database, id: number, name: string): Promise<unknown> =>
  scoped(db, 'system', (tx) =>
    tx
      .insertInto('organisations')
      .values({ id, name: name.slice(0, 100), is_partner: false, parent_id: null, is_mfa_compulsory: false })
      .execute(),
  );

/** Returns the id of the reviewer’s account. */
export async function insertReviewer(db: Database, organisationId: number): Promise<number> {
  await insertOrganisation(db, organisationId, 'Reviewers');
  return scoped(db, 'system', async (tx) => {
    const names = { email: 'reviewer@test.example', first_name: 'R', last_name: 'R', role: 'Administrator' };
    const row = await tx
      .insertInto('users')
      .values({ organisation_id: organisationId, ...names })
      .returning('id')
      .executeTakeFirstOrThrow();
    return row.id;
  });
}

/** Closes the cases of a prelude's day as an analyst would, and counts the review. */
export async function closeCases(
  db: Database,
  organisationId: number,
  { now, outcome, reviewerId }: { now: number; outcome: Label; reviewerId?: number },
): Promise<void> {
  const scope = { organisationIds: [organisationId] };
  await scoped(db, scope, async (tx) => {
    const at = new Date(now);
    const closed = await tx
      .updateTable('cases')
      .set({ closed_at: at, investigation_status: investigationStatusIds[outcome] })
      .where('organisation_id', '=', organisationId)
      .where('closed_at', 'is', null)
      .returningAll()
      .execute();
    if (reviewerId === undefined) return;
    for (const record of closed) {
      await requestReview(tx, record, at);
      const review = await lockReview(tx, scope, { caseId: record.id });
      await putDecision(tx, review!, { decisionId: decisionIds[outcome], notes: '', at, by: reviewerId });
    }
  });
}
