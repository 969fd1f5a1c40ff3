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
import { rangeOf } from '../../domain/ranges.ts';
import { changeCases, recordCaseHistories } from './cases.changes.ts';
import { bulkFault, listOpenItems, reasonsEntry } from './cases.closing.ts';
import { caseSelection, selectCases } from './cases.list.ts';
import type { CaseChange, CaseRecord, CaseReviews, FindAnalyst, Resolving, ReviewRecord } from './cases.ports.ts';
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

const oneOf = (column: 'id' | 'case_id', ids: readonly number[]): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(column)} = any(${[...ids]}::integer[])`;

export type ManyCasesService = ReturnType<typeof createBulkCases>;

export interface BulkCasesDeps extends Pick<TransitionDeps, 'clock' | 'onChanged' | 'findAnalyst'> {
  reviews: Pick<CaseReviews, 'requestReviews' | 'putDecision'>;
}

/** Locks cases in the order of their ids; ids outside the scope are skipped. */
const lockCases = (tx: Tx, scope: Scope, ids: readonly number[]): Promise<CaseRecord[]> =>
  tx
    .selectFrom('cases')
    .selectAll()
    .where(within('organisation_id', scope))
    .where(oneOf('id', ids))
    .orderBy('id')
    .forUpdate()
    .execute();

const beforeOf = (record: CaseRecord, { set = {}, history }: CaseChange): CaseBefore => ({
  set: Object.fromEntries(Object.keys(set).map((key) => [key, record[key as keyof CaseRecord]])),
  // Without names, which some readers of the case may not see.
  change: history?.kind === 'assignment' ? 'Analyst changed' : (history?.text ?? ''),
});

async function writeChanges(
  { clock, onChanged }: BulkCasesDeps,
  tx: Tx,
  actor: Actor,
  changes: readonly (CaseChange & { record: CaseRecord })[],
): Promise<{ changed: ChangedCase[]; after: CaseRecord[] }> {
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
}

/** Closed cases get a review each; the earlier one is returned, so that undoing restores it. */
async function setStatus(
  deps: BulkCasesDeps,
  tx: Tx,
  scope: Scope,
  actor: Actor,
  ids: readonly number[],
  status: CaseStatus,
  resolving?: Resolving,
): Promise<ManyChanged> {
  const now = deps.clock.now();
  const records = (await lockCases(tx, scope, ids)).filter((record) => record.status !== status);
  const items = resolving ? await listOpenItems(tx, records) : undefined;
  const faultOf = (record: CaseRecord) =>
    statusFault(record, status) ??
    (resolving && isClosing(record, status) ? bulkFault(record, items?.get(record.id) ?? [], resolving) : undefined);
  const faults = records.flatMap((record) => faultOf(record) ?? []);
  const able = records.filter((record) => faultOf(record) === undefined);
  const closing = new Set(able.filter((record) => isClosing(record, status)).map(({ id }) => id));
  const oldReviews = closing.size === 0 ? new Map<number, ReviewRecord>() : await readReviews(tx, scope, [...closing]);
  const entry = resolving && reasonsEntry(resolving);
  if (entry)
    await recordCaseHistories(
      tx,
      deps.clock,
      actor,
      able.filter(({ id }) => closing.has(id)).map((record) => ({ record, ...entry })),
    );
  const changes = able.map((record) => ({ record, ...statusChange(now, actor, record, status, { closing: resolving }) }));
  const { changed, after } = await writeChanges(deps, tx, actor, changes);
  await deps.reviews.requestReviews(
    tx,
    after.filter(({ id }) => closing.has(id)),
    new Date(now),
  );
  for (const { id, before } of changed) {
    if (!closing.has(id)) continue;
    before.closedAt = new Date(now).toISOString();
    const review = oldReviews.get(id);
    if (review) before.review = review;
  }
  return { changed, faults };
}

/** Earlier reviews by case. */
async function readReviews(tx: Tx, scope: Scope, caseIds: readonly number[]): Promise<Map<number, ReviewRecord>> {
  const reviews = await tx
    .selectFrom('case_reviews')
    .selectAll()
    .where(within('organisation_id', scope))
    .where(oneOf('case_id', caseIds))
    .execute();
  return new Map(reviews.map((review) => [review.case_id, review]));
}

async function setAnalyst(
  deps: BulkCasesDeps,
  tx: Tx,
  scope: Scope,
  actor: Actor,
  ids: readonly number[],
  userId: number | null,
): Promise<ManyChanged> {
  const now = deps.clock.now();
  const records = (await lockCases(tx, scope, ids)).filter((record) => record.analyst_user_id !== userId);
  const analysts = new Map<number, Awaited<ReturnType<FindAnalyst>>>();
  if (userId !== null) {
    for (const id of new Set(records.map((record) => record.organisation_id)))
      analysts.set(id, await deps.findAnalyst(tx, actor, id, userId));
  }
  const able = records.filter((record) => userId === null || analysts.get(record.organisation_id));
  const faults = records
    .filter((record) => !able.includes(record))
    .map((record) => `Case ${record.id}: ${analystFault(userId as number)}`);
  const changes = able.map((record) => ({ record, ...analystChange(now, actor, record, analysts.get(record.organisation_id)) }));
  return { ...(await writeChanges(deps, tx, actor, changes)), faults };
}

export function createBulkCases(deps: BulkCasesDeps) {
  const { clock, reviews } = deps;

  return {
    /** Cases of a filtered list, as a query of organisation_id, id and at. */
    selection: (actor: Actor, scope: Scope, filters: CaseFilters, start: string, end: string): RawBuilder<unknown> =>
      selectCases(scope, caseSelection(actor, scope, filters, rangeOf(start, end), clock.now())),

    setStatus: (tx: Tx, scope: Scope, actor: Actor, ids: readonly number[], status: CaseStatus, resolving?: Resolving) =>
      setStatus(deps, tx, scope, actor, ids, status, resolving),

    /** Null unassigns. */
    setAnalyst: (tx: Tx, scope: Scope, actor: Actor, ids: readonly number[], userId: number | null) =>
      setAnalyst(deps, tx, scope, actor, ids, userId),

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
      .where(oneOf('case_id', fresh))
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
