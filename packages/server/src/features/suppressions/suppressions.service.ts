/**
 * Suppressions: exceptions that keep alerts out of cases. Correlation applies them to new alerts; this service creates and ends them, excludes open
 * cases all of whose alerts they cover, and includes those cases again.
 */
import { problem } from '@parapet/contract/problem.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { SuppressionRow, suppressionsApi } from '@parapet/contract/suppressions.ts';
import type { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { readScoped, retrying, type Scope, scoped, systemScope, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { lockCorrelation } from '../../domain/alerts-lock.ts';
import { type AuditActions, recordAudit } from '../../domain/audit.ts';
import { listHiddenMalicious, type Matching, matchingOf } from '../../domain/hiddenAlerts.ts';
import { hidesText, requireApproval } from '../../domain/previewApproval.ts';
import { maliciousMs } from '../../domain/previewQueue.ts';
import { queryRows } from '../../domain/query/listed.ts';
import {
  endSuppression,
  findSame,
  findSuppression,
  insertSuppression,
  listCovered,
  listMatchings,
  listSuppressions,
  listUncovered,
  type StoredSuppression,
} from './suppressions.store.ts';

/** A leap year. */
const longestMs = 366 * dayMs;
/** Cases that one transaction includes again. */
const atOnce = 500;

export type SuppressionsService = ReturnType<typeof createSuppressionsService>;
export type SuppressionReason = Pick<z.output<typeof suppressionsApi.create.body>, 'reason' | 'endTime'>;

/** Needed from cases: excludes or includes cases with a timeline entry. Locks them; skips cases that have the value already. */
export type SetExcluded = (
  tx: Tx,
  scope: Scope,
  actor: Actor | undefined,
  ids: readonly number[],
  isExcluded: boolean,
  text: string,
) => Promise<void>;

const toRow = (now: number, { createdTime, endTime, ...row }: StoredSuppression): SuppressionRow => ({
  ...row,
  createdTime: createdTime.toISOString(),
  endTime: endTime.toISOString(),
  isActive: endTime.getTime() > now,
});

export interface SuppressionsServiceDeps {
  db: Database;
  clock: Clock;
  setExcluded: SetExcluded;
}

export function createSuppressionsService(deps: SuppressionsServiceDeps) {
  const { db, clock } = deps;
  return {
    /** Throws invalid unless the end is within the next year. */
    checkEnd: (endTime: string): void => checkEnd(endTime, clock.now()),

    createLike: (tx: Tx, scope: Scope, actor: Actor, alertIds: readonly number[], terms: SuppressionReason) =>
      createLike(tx, scope, deps, actor, alertIds, terms),

    endAll: (tx: Tx, scope: Scope, actor: Actor, ids: readonly number[]): Promise<number[]> =>
      endAll(tx, scope, deps, actor, ids),

    async list(actor: Actor, client: number, { page, pageSize: limit, query }: z.output<typeof suppressionsApi.list.query>) {
      const scope = scopeFor(actor, client);
      const now = clock.now();
      const listQuery = { limit, offset: (page - 1) * limit, rows: queryRows(actor, scope, query, now) };
      const { results, total } = await scoped(db, scope, (tx) => listSuppressions(tx, scope, new Date(now), listQuery), {
        readOnly: true,
      });
      return { results: results.map((row) => toRow(now, row)), total };
    },

    async create(actor: Actor, input: z.output<typeof suppressionsApi.create.body>): Promise<SuppressionRow> {
      const scope = scopeFor(actor, input.clientOrganizationID);
      checkEnd(input.endTime, clock.now());
      const { reason, endTime, previewID, ...match } = input;
      const place = { ...match, organisationId: match.clientOrganizationID };
      // In the actor’s whole scope: a preview belongs to the organisation of its requester.
      await readScoped(db, scopeOf(actor), async (tx) => {
        const caseIds = await maliciousCasesOf(tx, scope, await matchingOf(tx, place), clock.now());
        const approval = { caseIds, previewId: previewID, now: clock.now() };
        await requireApproval(tx, scopeOf(actor), actor, { kind: 'suppression', ...match }, approval);
      });
      return retrying(() =>
        scoped(db, scope, async (tx) => {
          const matching = await matchingOf(tx, place);
          await lockCorrelation(tx, matching.organisationId);
          const terms = { reason, endTime };
          const id = await insert(tx, scope, deps, actor, matching, terms, { ...match, ...terms });
          return toRow(clock.now(), (await findSuppression(tx, scope, id))!);
        }),
      );
    },

    /** Ending an ended one is a no-op. */
    async end(actor: Actor, id: number): Promise<Record<never, never>> {
      const scope = scopeOf(actor);
      let organisationId = 0;
      let isMore = await retrying(() =>
        scoped(db, scope, async (tx) => {
          const found = await findSuppression(tx, scope, id);
          if (!found) throw problem.notFound('suppression', id);
          organisationId = found.clientOrganizationID;
          await lockCorrelation(tx, organisationId);
          if (!(await endNow(tx, scope, deps, actor, found))) return false;
          return release(tx, { organisationIds: [organisationId] }, deps, actor);
        }),
      );
      while (isMore)
        isMore = await retrying(() => scoped(db, scope, (tx) => release(tx, { organisationIds: [organisationId] }, deps, actor)));
      return {};
    },

    /** Job of each minute: includes cases whose suppressions have ended. */
    async releaseCases(): Promise<void> {
      for (let isMore = true; isMore; )
        isMore = await retrying(() => scoped(db, systemScope, (tx) => release(tx, systemScope, deps, undefined)));
    },
  };
}

/** Malicious cases of the last 90 days with alerts that a suppression matches. */
const maliciousCasesOf = (tx: Tx, scope: Scope, matching: Matching, now: number): Promise<number[]> =>
  listHiddenMalicious(tx, scope, matching, new Date(now - maliciousMs), new Date(now));

function checkEnd(endTime: string, now: number): void {
  const endsAt = Date.parse(endTime);
  if (endsAt <= now) throw problem.invalid({ endTime: ['The end must be in the future.'] });
  if (endsAt > now + longestMs)
    throw problem.invalid({ endTime: ['A suppression can last at most a year. Select an earlier end.'] });
}

/**
 * Suppresses similar alerts in the caller's transaction: for each alert its rule with its device and user. Skips what is suppressed at least as
 * long already, and reports alerts without device and user.
 */
async function createLike(
  tx: Tx,
  scope: Scope,
  deps: SuppressionsServiceDeps,
  actor: Actor,
  alertIds: readonly number[],
  terms: SuppressionReason,
): Promise<{ created: { alertId: number; suppressionId: number }[]; faults: string[] }> {
  const created: { alertId: number; suppressionId: number }[] = [];
  const faults: string[] = [];
  for (const { alertId, ...alert } of await listMatchings(tx, scope, alertIds)) {
    const matching = { ...alert, deviceName: alert.deviceName || null, userName: alert.userName || null };
    if (matching.deviceName === null && matching.userName === null) {
      faults.push(`Alert ${alertId} has no device and no user. To suppress its whole rule, create that suppression directly.`);
      continue;
    }
    await lockCorrelation(tx, matching.organisationId);
    if (await findSame(tx, scope, matching, new Date(terms.endTime))) continue;
    const caseIds = await maliciousCasesOf(tx, scope, matching, deps.clock.now());
    if (caseIds.length > 0) {
      faults.push(
        `Alert ${alertId} was not suppressed. ${hidesText(caseIds)} Create that suppression directly; a second person must save it.`,
      );
      continue;
    }
    const suppressionId = await insert(tx, scope, deps, actor, matching, terms, { ...matching, ...terms, alertId });
    created.push({ alertId, suppressionId });
  }
  return { created, faults };
}

/** The caller holds the organisation's correlation lock. */
async function insert(
  tx: Tx,
  scope: Scope,
  { clock, setExcluded }: SuppressionsServiceDeps,
  actor: Actor,
  matching: Matching,
  { reason, endTime }: SuppressionReason,
  after: AuditActions['suppression.created']['after'],
): Promise<number> {
  const now = new Date(clock.now());
  const { id } = await insertSuppression(tx, matching, {
    reason: storable(reason),
    ownerId: actor.userId,
    ownerName: actor.displayName,
    createdAt: now,
    endsAt: new Date(endTime),
  });
  await recordAudit(tx, actor, {
    action: 'suppression.created',
    organisationId: matching.organisationId,
    target: String(id),
    after,
  });
  const covered = await listCovered(tx, scope, matching, now);
  await setExcluded(tx, scope, actor, covered, true, `Excluded: suppressions cover all of its alerts, last suppression ${id}`);
  return id;
}

/** Ends suppressions in the caller's transaction. Returns those that were active. */
async function endAll(
  tx: Tx,
  scope: Scope,
  deps: SuppressionsServiceDeps,
  actor: Actor,
  ids: readonly number[],
): Promise<number[]> {
  const found: StoredSuppression[] = [];
  for (const id of ids) {
    const suppression = await findSuppression(tx, scope, id);
    if (suppression) found.push(suppression);
  }
  found.sort((a, b) => a.clientOrganizationID - b.clientOrganizationID);
  const ended: number[] = [];
  for (const suppression of found) {
    await lockCorrelation(tx, suppression.clientOrganizationID);
    if (await endNow(tx, scope, deps, actor, suppression)) ended.push(suppression.id);
  }
  // The job includes the remaining cases.
  const organisationIds = [...new Set(found.map((each) => each.clientOrganizationID))];
  if (ended.length > 0) await release(tx, { organisationIds }, deps, actor);
  return ended;
}

/** Returns false for a suppression that had ended. The caller holds the organisation's correlation lock. */
async function endNow(
  tx: Tx,
  scope: Scope,
  { clock }: SuppressionsServiceDeps,
  actor: Actor,
  found: StoredSuppression,
): Promise<boolean> {
  const now = new Date(clock.now());
  if (!(await endSuppression(tx, scope, found.id, now))) return false;
  await recordAudit(tx, actor, {
    action: 'suppression.ended',
    organisationId: found.clientOrganizationID,
    target: String(found.id),
    before: { endTime: found.endTime },
    after: { endTime: now },
  });
  return true;
}

/** Includes cases that suppressions no longer cover. Returns true when more wait. */
async function release(
  tx: Tx,
  scope: Scope,
  { clock, setExcluded }: SuppressionsServiceDeps,
  actor: Actor | undefined,
): Promise<boolean> {
  const ids = await listUncovered(tx, scope, new Date(clock.now()), atOnce);
  await setExcluded(tx, scope, actor, ids, false, 'No longer excluded: not all of its alerts are covered by suppressions');
  return ids.length === atOnce;
}
