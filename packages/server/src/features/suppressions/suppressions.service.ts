/**
 * Exceptions that keep alerts out of cases. Correlation asks for them as alerts are raised; here they are made and ended, and open cases that
 * consist of nothing but what they cover are excluded and come back.
 */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { SuppressionRow, suppressionsApi } from '@parapet/contract/suppressions.ts';
import type { z } from 'zod';
import { recordAudit } from '../../core/audit.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import { lockCorrelation } from '../../core/db/alerts-lock.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { retrying, type Scope, scoped, systemScope, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { dayMs } from '../../core/ranges.ts';
import {
  countHidden,
  endSuppression,
  findRule,
  findSuppression,
  insertSuppression,
  listCovered,
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

  return {
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
      const now = clock.now();
      const endsAt = Date.parse(asked.endTime);
      if (endsAt <= now) throw problem.invalid({ endTime: ['The end must lie in the future.'] });
      if (endsAt > now + longestMs)
        throw problem.invalid({ endTime: ['A suppression ends after a year at most: choose an earlier end.'] });
      return retrying(() =>
        scoped(db, scope, async (tx) => {
          const matching = await matchingOf(tx, asked);
          await lockCorrelation(tx, matching.organisationId);
          const { id } = await insertSuppression(tx, matching, {
            reason: storable(asked.reason),
            ownerId: actor.userId,
            ownerName: actor.displayName,
            createdAt: new Date(now),
            endsAt: new Date(endsAt),
          });
          await recordAudit(tx, actor, {
            action: 'suppression.created',
            organisationId: matching.organisationId,
            target: String(id),
            after: asked,
          });
          const covered = await listCovered(tx, scope, matching, new Date(now));
          await setExcluded(
            tx,
            scope,
            actor,
            covered,
            true,
            `Excluded: suppressions cover all of its alerts, last suppression ${id}`,
          );
          return toRow(now, (await findSuppression(tx, scope, id))!);
        }),
      );
    },

    /** Ended already, it stays as it is. */
    async end(actor: Actor, id: number): Promise<Record<never, never>> {
      const scope = scopeOf(actor);
      const now = clock.now();
      let organisationId = 0;
      let isMore = await retrying(() =>
        scoped(db, scope, async (tx) => {
          const found = await findSuppression(tx, scope, id);
          if (!found) throw problem.notFound('suppression', id);
          organisationId = found.clientOrganizationID;
          await lockCorrelation(tx, organisationId);
          if (!(await endSuppression(tx, scope, id, new Date(now)))) return false;
          await recordAudit(tx, actor, {
            action: 'suppression.ended',
            organisationId,
            target: String(id),
            before: { endTime: found.endTime },
            after: { endTime: new Date(now) },
          });
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
