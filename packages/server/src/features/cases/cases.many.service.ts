/**
 * One change of many cases in one transaction and few statements, for bulk jobs and suppressions; each case changes as it would on its page. Returns
 * the earlier values, so that the change can be undone.
 */
import type { CaseFilters } from '@parapet/contract/caseList.ts';
import { type CaseStatus, decisionIds, statusLabel } from '@parapet/contract/rules/cases.ts';
import { type RawBuilder, sql, type Updateable } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';
import type { Actor } from '../../core/http/actor.ts';
import { changeCases } from './cases.changes.ts';
import { selectCases } from './cases.list.ts';
import type { CaseChange, CaseRecord, CaseReviews, FindAnalyst, ReviewRecord } from './cases.ports.ts';
import { analystChange, analystFault, isClosing, statusChange, statusFault, type TransitionDeps } from './cases.transitions.ts';

/** Values before a change: the columns that were set, and the review that closing requested again. */
export interface CaseBefore {
  set: Updateable<Tables['cases']>;
  change: string;
  closedAt?: string;
  review?: ReviewRecord;
}

export interface ChangedCase {
  id: number;
  version: number;
  before: CaseBefore;
}

export interface ManyChanged {
  changed: ChangedCase[];
  /** Error texts of unchanged cases; cases that had the value already have none. */
  faults: string[];
}

const oneOf = (ids: readonly number[]): RawBuilder<boolean> => sql<boolean>`id = any(${[...ids]}::integer[])`;

export type ManyCasesService = ReturnType<typeof createBulkCases>;

export interface BulkCasesDeps extends Pick<TransitionDeps, 'clock' | 'onChanged' | 'findAnalyst'> {
  reviews: Pick<CaseReviews, 'requestReviews' | 'putDecision'>;
}

export function createBulkCases({ clock, onChanged, findAnalyst, reviews }: BulkCasesDeps) {
  /** Locks cases in the order of their ids; ids outside the scope are skipped. */
  const lockCases = (tx: Tx, scope: Scope, ids: readonly number[]): Promise<CaseRecord[]> =>
    tx
      .selectFrom('cases')
      .selectAll()
      .where(within('organisation_id', scope))
      .where(oneOf(ids))
      .orderBy('id')
      .forUpdate()
      .execute();

  const beforeOf = (record: CaseRecord, { set = {}, history }: CaseChange): CaseBefore => ({
    set: Object.fromEntries(Object.keys(set).map((key) => [key, record[key as keyof CaseRecord]])),
    // Without names, which some readers of the case may not see.
    change: history?.kind === 'assignment' ? 'Analyst changed' : (history?.text ?? ''),
  });

  const write = async (
    tx: Tx,
    actor: Actor,
    changes: readonly (CaseChange & { record: CaseRecord })[],
  ): Promise<{ changed: ChangedCase[]; after: CaseRecord[] }> => {
    const after = await changeCases(tx, clock, actor, changes);
    await onChanged(
      tx,
      actor,
      changes.map(({ record }, index) => ({ before: record, after: after[index] as CaseRecord })),
    );
    const changed = changes.map((change, index) => ({
      id: change.record.id,
      version: (after[index] as CaseRecord).version,
      before: beforeOf(change.record, change),
    }));
    return { changed, after };
  };

  return {
    /** Cases of a filtered list, as a query of organisation_id, id and at. */
    selection: (scope: Scope, filters: CaseFilters, start: string, end: string): RawBuilder<unknown> =>
      selectCases(scope, { filters, range: { start: Date.parse(start), end: Date.parse(end) }, now: clock.now() }),

    async setStatus(tx: Tx, scope: Scope, actor: Actor, ids: readonly number[], status: CaseStatus): Promise<ManyChanged> {
      const now = clock.now();
      const records = (await lockCases(tx, scope, ids)).filter((record) => record.status !== status);
      const faults = records.flatMap((record) => statusFault(record, status) ?? []);
      const able = records.filter((record) => statusFault(record, status) === undefined);
      const closing = able.filter((record) => isClosing(record, status)).map(({ id }) => id);
      const oldReviews =
        closing.length === 0
          ? []
          : await tx
              .selectFrom('case_reviews')
              .selectAll()
              .where(within('organisation_id', scope))
              .where(sql<boolean>`case_id = any(${closing}::integer[])`)
              .execute();
      const changes = able.map((record) => ({ record, ...statusChange(now, actor, record, status) }));
      const { changed, after } = await write(tx, actor, changes);
      const isClosed = new Set(closing);
      await reviews.requestReviews(
        tx,
        after.filter(({ id }) => isClosed.has(id)),
        new Date(now),
      );
      for (const { id, before } of changed) {
        if (!isClosed.has(id)) continue;
        before.closedAt = new Date(now).toISOString();
        const review = oldReviews.find((each) => each.case_id === id);
        if (review) before.review = review;
      }
      return { changed, faults };
    },

    async setAnalyst(tx: Tx, scope: Scope, actor: Actor, ids: readonly number[], userId: number | null): Promise<ManyChanged> {
      const now = clock.now();
      const records = (await lockCases(tx, scope, ids)).filter((record) => record.analyst_user_id !== userId);
      const analysts = new Map<number, Awaited<ReturnType<FindAnalyst>>>();
      if (userId !== null) {
        for (const id of new Set(records.map((record) => record.organisation_id)))
          analysts.set(id, await findAnalyst(tx, actor, id, userId));
      }
      const able = records.filter((record) => userId === null || analysts.get(record.organisation_id));
      const faults = records
        .filter((record) => !able.includes(record))
        .map((record) => `Case ${record.id}: ${analystFault(userId as number)}`);
      const changes = able.map((record) => ({ record, ...analystChange(now, record, analysts.get(record.organisation_id)) }));
      return { ...(await write(tx, actor, changes)), faults };
    },

    /** Undoes changes of cases that have not been changed since. */
    async restore(
      tx: Tx,
      scope: Scope,
      actor: Actor,
      rows: readonly ChangedCase[],
    ): Promise<{ restored: number[]; faults: string[] }> {
      const changes = new Map(rows.map((row) => [row.id, row]));
      const records = await lockCases(tx, scope, [...changes.keys()]);
      const same = records.filter((record) => changes.get(record.id)?.version === record.version);
      const faults = records
        .filter((record) => !same.includes(record))
        .map((record) => `Case ${record.id} has been changed since and stays "${statusLabel(record.status)}".`);
      const restoring = same.map((record) => ({ record, before: (changes.get(record.id) as ChangedCase).before }));
      await changeCases(
        tx,
        clock,
        actor,
        restoring.map(({ record, before }) => ({
          record,
          set: before.set,
          action: 'case.changeUndone',
          history: { kind: 'status' as const, text: `Undone: ${before.change}` },
          before: { status: record.status, analystUserId: record.analyst_user_id },
          after: { status: before.set.status, analystUserId: before.set.analyst_user_id },
        })),
      );
      await restoreReviews(tx, scope, restoring, reviews);
      return { restored: same.map(({ id }) => id), faults };
    },

    /** Skips cases that have the value already and ids outside the scope. */
    async setExcluded(
      tx: Tx,
      scope: Scope,
      actor: Actor | undefined,
      ids: readonly number[],
      isExcluded: boolean,
      text: string,
    ): Promise<void> {
      if (ids.length === 0) return;
      const records = (await lockCases(tx, scope, ids)).filter((record) => record.is_excluded !== isExcluded);
      await changeCases(
        tx,
        clock,
        actor,
        records.map((record) => ({
          record,
          set: { is_excluded: isExcluded },
          action: isExcluded ? 'case.excluded' : 'case.noLongerExcluded',
          history: { kind: 'decision' as const, text, isInternal: true },
          before: { isExcluded: !isExcluded },
          after: { isExcluded },
        })),
      );
    },
  };
}

/** Deletes reviews that closing requested; restores earlier reviews with the outcomes they had counted. */
async function restoreReviews(
  tx: Tx,
  scope: Scope,
  restoring: readonly { record: CaseRecord; before: CaseBefore }[],
  reviews: Pick<CaseReviews, 'putDecision'>,
): Promise<void> {
  const closed = restoring.filter(({ before }) => before.closedAt !== undefined);
  const fresh = closed.filter(({ before }) => !before.review).map(({ record }) => record.id);
  if (fresh.length > 0) {
    await tx
      .deleteFrom('case_reviews')
      .where(within('organisation_id', scope))
      .where(sql<boolean>`case_id = any(${fresh}::integer[])`)
      .where('decision_id', '=', decisionIds.pending)
      .execute();
  }
  for (const { before } of closed) {
    const { review } = before;
    if (!review) continue;
    const { id, counted_outcome: counted, counted_rules: _, ...columns } = review;
    await tx.updateTable('case_reviews').set(columns).where(within('organisation_id', scope)).where('id', '=', id).execute();
    if (counted && review.decided_by !== null && review.decided_at !== null) {
      const now = { ...review, counted_outcome: null, counted_rules: [] };
      await reviews.putDecision(tx, now, {
        decisionId: review.decision_id,
        notes: review.notes,
        at: new Date(review.decided_at),
        by: review.decided_by,
      });
    }
  }
}
