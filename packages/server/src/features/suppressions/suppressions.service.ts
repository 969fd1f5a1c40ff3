/**
 * Exceptions that keep alerts out of cases. Correlation asks for them as alerts are raised; here they are made and ended, and open cases that
 * consist of nothing but what they cover are excluded and come back.
 */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { SuppressionRow, suppressionsApi } from '@parapet/contract/suppressions.ts';
import type { z } from 'zod';
import { type Clock, systemClock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { retrying, type Scope, scoped, systemScope, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { lockCorrelation } from '../../domain/alerts-lock.ts';
import { type AuditActions, recordAudit } from '../../domain/audit.ts';
import { dayMs } from '../../domain/ranges.ts';
import {
  countHidden,
  endSuppression,
  findRule,
  findSame,
  findSuppression,
  insertSuppression,
  listCovered,
  listMatchings,
  listSuppressions,
  listUncovered,
  type Matching,
  type StoredSuppression,
} from './suppressions.store.ts';

const previewMs = 90 * dayMs;
/** A year, and a day where one is leaped over. */
const longestMs = 366 * dayMs;
/** Cases that come back in one transaction. */
const atOnce = 500;

export type SuppressionsService = ReturnType<typeof createSuppressionsService>;
type Asked = z.output<typeof suppressionsApi.preview.body>;
export type SuppressionReason = Pick<z.output<typeof suppressionsApi.create.body>, 'reason' | 'endTime'>;

/** Excludes cases, or takes them back, with a row of their history; they are locked, and those that are so already are passed over. */
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

export function createSuppressionsService({
  db,
  setExcluded,
  clock = systemClock,
}: {
  db: Database;
  setExcluded: SetExcluded;
  clock?: Clock;
}) {
  const matchingOf = async (tx: Tx, { clientOrganizationID, ruleID, deviceName, userName }: Asked): Promise<Matching> => {
    const rule = ruleID ? await findRule(tx, storable(ruleID)) : undefined;
    if (ruleID && !rule) throw problem.invalid({ ruleID: [`There is no rule ${ruleID}. Choose one of the list.`] });
    return {
      organisationId: clientOrganizationID,
      ruleId: rule?.id ?? null,
      deviceName: deviceName ? storable(deviceName) : null,
      userName: userName ? storable(userName) : null,
    };
  };

  /** Answers whether more wait. */
  const release = async (tx: Tx, scope: Scope, actor: Actor | undefined): Promise<boolean> => {
    const ids = await listUncovered(tx, scope, new Date(clock.now()), atOnce);
    await setExcluded(
      tx,
      scope,
      actor,
      ids,
      false,
      'No longer excluded: not all of its alerts are covered by suppressions any more',
    );
    return ids.length === atOnce;
  };

  const checkEnd = (endTime: string): void => {
    const endsAt = Date.parse(endTime);
    if (endsAt <= clock.now()) throw problem.invalid({ endTime: ['The end must lie in the future.'] });
    if (endsAt > clock.now() + longestMs)
      throw problem.invalid({ endTime: ['A suppression ends after a year at most: choose an earlier end.'] });
  };

  /** The organisation's correlation is locked by the caller. */
  const insert = async (
    tx: Tx,
    scope: Scope,
    actor: Actor,
    matching: Matching,
    { reason, endTime }: SuppressionReason,
    after: AuditActions['suppression.created']['after'],
  ): Promise<number> => {
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
  };

  /** Answers whether it held until now. The organisation's correlation is locked by the caller. */
  const endNow = async (tx: Tx, scope: Scope, actor: Actor, found: StoredSuppression): Promise<boolean> => {
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
  };

  return {
    checkEnd,

    /**
     * Within the caller's transaction, for each alert a suppression of what is like it: its rule, with the device and the user that it names. What is
     * suppressed already at least as long is passed over, and with a fault what would be the rule alone.
     */
    async createLike(
      tx: Tx,
      scope: Scope,
      actor: Actor,
      alertIds: readonly number[],
      because: SuppressionReason,
    ): Promise<{ created: { alertId: number; suppressionId: number }[]; faults: string[] }> {
      const created: { alertId: number; suppressionId: number }[] = [];
      const faults: string[] = [];
      for (const { alertId, ...alert } of await listMatchings(tx, scope, alertIds)) {
        const matching = { ...alert, deviceName: alert.deviceName || null, userName: alert.userName || null };
        if (matching.deviceName === null && matching.userName === null) {
          faults.push(`Alert ${alertId} names no device and no user: suppress its rule by itself, if all of it is meant.`);
          continue;
        }
        await lockCorrelation(tx, matching.organisationId);
        if (await findSame(tx, scope, matching, new Date(because.endTime))) continue;
        const suppressionId = await insert(tx, scope, actor, matching, because, { ...matching, ...because, alertId });
        created.push({ alertId, suppressionId });
      }
      return { created, faults };
    },

    /** Within the caller's transaction. Answers those that held until now. */
    async endAll(tx: Tx, scope: Scope, actor: Actor, ids: readonly number[]): Promise<number[]> {
      const found: StoredSuppression[] = [];
      for (const id of ids) {
        const suppression = await findSuppression(tx, scope, id);
        if (suppression) found.push(suppression);
      }
      found.sort((a, b) => a.clientOrganizationID - b.clientOrganizationID);
      const ended: number[] = [];
      for (const suppression of found) {
        await lockCorrelation(tx, suppression.clientOrganizationID);
        if (await endNow(tx, scope, actor, suppression)) ended.push(suppression.id);
      }
      // Cases beyond these come back by the clock.
      const organisationIds = [...new Set(found.map((each) => each.clientOrganizationID))];
      if (ended.length > 0) await release(tx, { organisationIds }, actor);
      return ended;
    },

    async list(actor: Actor, client: number, { page, pageSize }: { page: number; pageSize: number }) {
      const scope = scopeFor(actor, client);
      const now = clock.now();
      const { results, total } = await scoped(
        db,
        scope,
        (tx) => listSuppressions(tx, scope, new Date(now), { limit: pageSize, offset: (page - 1) * pageSize }),
        { readOnly: true },
      );
      return { results: results.map((row) => toRow(now, row)), total };
    },

    async preview(actor: Actor, asked: Asked): Promise<AnswerOf<typeof suppressionsApi.preview>> {
      const scope = scopeFor(actor, asked.clientOrganizationID);
      return scoped(
        db,
        scope,
        async (tx) => countHidden(tx, scope, await matchingOf(tx, asked), new Date(clock.now() - previewMs)),
        { readOnly: true },
      );
    },

    async create(actor: Actor, asked: z.output<typeof suppressionsApi.create.body>): Promise<SuppressionRow> {
      const scope = scopeFor(actor, asked.clientOrganizationID);
      checkEnd(asked.endTime);
      return retrying(() =>
        scoped(db, scope, async (tx) => {
          const matching = await matchingOf(tx, asked);
          await lockCorrelation(tx, matching.organisationId);
          const id = await insert(tx, scope, actor, matching, asked, asked);
          return toRow(clock.now(), (await findSuppression(tx, scope, id))!);
        }),
      );
    },

    /** Ended already, it stays as it is. */
    async end(actor: Actor, id: number): Promise<Record<never, never>> {
      const scope = scopeOf(actor);
      let organisationId = 0;
      let isMore = await retrying(() =>
        scoped(db, scope, async (tx) => {
          const found = await findSuppression(tx, scope, id);
          if (!found) throw problem.notFound('suppression', id);
          organisationId = found.clientOrganizationID;
          await lockCorrelation(tx, organisationId);
          if (!(await endNow(tx, scope, actor, found))) return false;
          return release(tx, { organisationIds: [organisationId] }, actor);
        }),
      );
      while (isMore)
        isMore = await retrying(() => scoped(db, scope, (tx) => release(tx, { organisationIds: [organisationId] }, actor)));
      return {};
    },

    /** By the clock: cases whose suppressions came to their end come back. */
    async releaseCases(): Promise<void> {
      for (let isMore = true; isMore; )
        isMore = await retrying(() => scoped(db, systemScope, (tx) => release(tx, systemScope, undefined)));
    },
  };
}
