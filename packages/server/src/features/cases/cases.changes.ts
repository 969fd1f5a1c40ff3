/**
 * Every change of a case: locks the row, compares the caller's version, and writes the next version, a timeline entry, an audit entry and a bus
 * message that other processes get after the commit.
 */
import { problem } from '@parapet/contract/problem.ts';
import { sql } from 'kysely';
import { publishAll } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { Actor } from '../../core/http/actor.ts';
import { recordAudits, storableJson } from '../../domain/audit.ts';
import type { CaseChange, CaseLogEntry, CaseRecord } from './cases.ports.ts';

/** Locks a case until the transaction ends. Throws notFound outside the scope, conflict for a stale version. */
export async function lockCase(tx: Tx, scope: Scope, id: number, version?: number): Promise<CaseRecord> {
  const found = await tx
    .selectFrom('cases')
    .selectAll()
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!found) throw problem.notFound('case', id);
  if (version !== undefined && version !== found.version) throw problem.stale('Case', id, version, found.version);
  return found;
}

const changing = (tx: Tx, at: Date, records: readonly CaseRecord[], set: CaseChange['set']) =>
  tx
    .updateTable('cases')
    .set({ ...set, version: sql<number>`version + 1`, updated_at: at })
    .where(sql<boolean>`id = any(${records.map(({ id }) => id)}::integer[])`)
    .where(sql<boolean>`organisation_id = any(${[...new Set(records.map((record) => record.organisation_id))]}::integer[])`);

/** Writes a change, after a further entry of its log. An undefined actor is the portal itself. Returns the changed case. */
export async function changeCase(
  tx: Tx,
  clock: Clock,
  actor: Actor | undefined,
  record: CaseRecord,
  change: CaseChange,
  earlier?: CaseLogEntry,
): Promise<CaseRecord> {
  const [changed] = await Promise.all([
    changing(tx, new Date(clock.now()), [record], change.set).returningAll().executeTakeFirstOrThrow(),
    recordCaseHistories(tx, clock, actor, [...(earlier ? [{ record, ...earlier }] : []), { record, ...change }]),
  ]);
  return changed;
}

/** Columns of a bulk change: no JSON column, so that values read back as they were set. */
export type PlainSet = Omit<NonNullable<CaseChange['set']>, 'evidence'>;

/** Writes changes of locked cases, one statement for each distinct set of columns. Returns the cases in the given order. */
export async function changeCases(
  tx: Tx,
  clock: Clock,
  actor: Actor | undefined,
  changes: readonly (CaseLogEntry & { record: CaseRecord; set?: PlainSet })[],
): Promise<CaseRecord[]> {
  if (changes.length === 0) return [];
  const at = new Date(clock.now());
  await Promise.all([
    ...[...Map.groupBy(changes, ({ set }) => JSON.stringify(set)).values()].map((alike) =>
      changing(
        tx,
        at,
        alike.map(({ record }) => record),
        alike[0]?.set,
      ).execute(),
    ),
    recordCaseHistories(tx, clock, actor, changes),
  ]);
  // The cases are locked, so no second read is needed.
  return changes.map(({ record, set }) => ({ ...record, ...set, version: record.version + 1, updated_at: at }) as CaseRecord);
}

/** Writes timeline, audit log and bus message of a case without a change of its row. */
export const recordCaseHistory = (
  tx: Tx,
  clock: Clock,
  actor: Actor | undefined,
  record: CaseRecord,
  entry: CaseLogEntry,
): Promise<void> => recordCaseHistories(tx, clock, actor, [{ record, ...entry }]);

export async function recordCaseHistories(
  tx: Tx,
  clock: Clock,
  actor: Actor | undefined,
  entries: readonly (CaseChange & { record: CaseRecord })[],
): Promise<void> {
  if (entries.length === 0) return;
  const at = new Date(clock.now());
  const timeline = entries.flatMap(({ record, history, before, after }) =>
    history
      ? [
          {
            organisation_id: record.organisation_id,
            case_id: record.id,
            ...history,
            isInternal: history.isInternal ?? false,
            before,
            after,
          },
        ]
      : [],
  );
  const audit = entries.map(({ record, history: _history, set: _set, ...entry }) => ({
    ...entry,
    organisationId: record.organisation_id,
    target: String(record.id),
  }));
  const changes = [...Map.groupBy(entries, ({ record }) => record.organisation_id)].map(([organisationId, some]) => ({
    organisationId,
    caseIds: some.map(({ record }) => record.id),
    isNew: false,
  }));
  // Concurrent: the statements do not depend on each other.
  await Promise.all([
    timeline.length > 0 &&
      sql`
        insert into case_history (organisation_id, case_id, at, kind, actor_user_id, actor_name, text, before, after, is_internal)
        select h.organisation_id, h.case_id, ${at}, h.kind, ${actor?.userId ?? null}, ${actor?.displayName ?? ''}, h.text, h.before, h.after, h."isInternal"
        from jsonb_to_recordset(${storableJson(timeline)}::jsonb)
          as h (organisation_id integer, case_id integer, kind text, text text, before jsonb, after jsonb, "isInternal" boolean)`.execute(
        tx,
      ),
    actor && recordAudits(tx, actor, audit),
    publishAll(tx, 'case.changed', changes),
  ]);
}
