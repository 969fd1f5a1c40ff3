/**
 * The only way a case changes: its row is locked, the version that the caller saw is compared, and the change leaves the next version, a
 * row of its history, one of the audit log, and word to every process after the commit.
 */
import type { TimelineEntry } from '@parapet/contract/caseDetail.ts';
import { problem } from '@parapet/contract/problem.ts';
import { type Selectable, sql, type Updateable } from 'kysely';
import { publishAll } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';
import type { Actor } from '../../core/http/actor.ts';
import { type AuditChange, type CaseActions, recordAudits, storableJson } from '../../domain/audit.ts';

export type CaseRecord = Selectable<Tables['cases']>;

/** A case kept from changing until the transaction ends. Throws notFound outside the scope, and conflict for a version that is not the newest. */
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

/** What a change leaves behind: its entry of the audit log, and what the case's timeline says; none where it is nothing that people look back at. */
export type Traces = AuditChange<keyof CaseActions> & {
  history?: { kind: TimelineEntry['kind']; text: string; isInternal?: boolean };
};

export type CaseChange = Traces & { set?: Updateable<Tables['cases']> };

const changing = (tx: Tx, at: Date, records: readonly CaseRecord[], set: CaseChange['set']) =>
  tx
    .updateTable('cases')
    .set({ ...set, version: sql<number>`version + 1`, updated_at: at })
    .where(sql<boolean>`id = any(${records.map(({ id }) => id)}::integer[])`)
    .where(sql<boolean>`organisation_id = any(${[...new Set(records.map((record) => record.organisation_id))]}::integer[])`);

/** By a person, or by the portal itself (undefined). Answers the case as it is now. */
export async function changeCase(
  tx: Tx,
  clock: Clock,
  actor: Actor | undefined,
  record: CaseRecord,
  change: CaseChange,
): Promise<CaseRecord> {
  const [changed] = await Promise.all([
    changing(tx, new Date(clock.now()), [record], change.set).returningAll().executeTakeFirstOrThrow(),
    recordCaseHistory(tx, clock, actor, record, change),
  ]);
  return changed;
}

/** Columns that many cases may get at once: none of JSON, so that what was set is what is read. */
export type PlainSet = Omit<NonNullable<CaseChange['set']>, 'evidence'>;

/** The same for many that are locked; what is set alike is one statement. In the order given. */
export async function changeCases(
  tx: Tx,
  clock: Clock,
  actor: Actor | undefined,
  changes: readonly (Traces & { record: CaseRecord; set?: PlainSet })[],
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
    leaveAllTraces(tx, clock, actor, changes),
  ]);
  // Locked, each is what it was and what was set: reading them again would cost as much as changing them.
  return changes.map(({ record, set }) => ({ ...record, ...set, version: record.version + 1, updated_at: at }) as CaseRecord);
}

/** What is written about a case, without a change of its row: history, audit log, and word to every process. */
export const recordCaseHistory = (
  tx: Tx,
  clock: Clock,
  actor: Actor | undefined,
  record: CaseRecord,
  traces: Traces,
): Promise<void> => leaveAllTraces(tx, clock, actor, [{ record, ...traces }]);

/** The same of many cases. */
export async function leaveAllTraces(
  tx: Tx,
  clock: Clock,
  actor: Actor | undefined,
  traces: readonly (CaseChange & { record: CaseRecord })[],
): Promise<void> {
  if (traces.length === 0) return;
  const at = new Date(clock.now());
  const told = traces.flatMap(({ record, history, before, after }) =>
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
  const entries = traces.map(({ record, history: _history, set: _set, ...entry }) => ({
    ...entry,
    organisationId: record.organisation_id,
    target: String(record.id),
  }));
  const changes = [...Map.groupBy(traces, ({ record }) => record.organisation_id)].map(([organisationId, some]) => ({
    organisationId,
    caseIds: some.map(({ record }) => record.id),
    isNew: false,
  }));
  // At once: none needs another's answer.
  await Promise.all([
    told.length > 0 &&
      sql`
        insert into case_history (organisation_id, case_id, at, kind, actor_user_id, actor_name, text, before, after, is_internal)
        select h.organisation_id, h.case_id, ${at}, h.kind, ${actor?.userId ?? null}, ${actor?.displayName ?? ''}, h.text, h.before, h.after, h."isInternal"
        from jsonb_to_recordset(${storableJson(told)}::jsonb)
          as h (organisation_id integer, case_id integer, kind text, text text, before jsonb, after jsonb, "isInternal" boolean)`.execute(
        tx,
      ),
    actor && recordAudits(tx, actor, entries),
    publishAll(tx, 'case.changed', changes),
  ]);
}
