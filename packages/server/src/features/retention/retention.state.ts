/** Retention of one organisation as its page shows it: the choice, what is kept, the disk, and the legal hold. */
import { may } from '@parapet/contract/access.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { RetentionState, retentionApi } from '@parapet/contract/retention.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import { pairText } from '../../domain/approvers.ts';
import { eventStore } from '../../domain/events/eventStore.ts';
import { noEvents } from '../../domain/events/sizes.ts';
import type { ErasureService } from '../erasure/erasure.service.ts';
import type { OrganisationsService } from '../organisations/organisations.service.ts';
import * as store from './retention.store.ts';

const statementTimeoutMs = 20_000;

export interface RetentionStateDeps {
  db: Database;
  clock: Clock;
  /** Default of the portal in days. */
  eventRetentionDays: number;
  organisations: Pick<OrganisationsService, 'scopeOfOne'>;
  isProvidersHost: (actor: Actor) => boolean;
  erasure: Pick<ErasureService, 'startIn' | 'progressOf' | 'certificate'>;
  /** Undefined where PostgreSQL runs elsewhere. */
  freeBytes: () => Promise<number | undefined>;
}

export type RetentionStateOf = ReturnType<typeof createRetentionState>;

export function createRetentionState(deps: RetentionStateDeps) {
  const { db, clock, eventRetentionDays, organisations, isProvidersHost, erasure, freeBytes } = deps;

  const settingsOf = async (tx: Tx, actor: Actor, client: number): Promise<store.SettingsRow> => {
    const found = await store.findSettings(tx, scopeOf(actor), client, eventRetentionDays);
    if (!found) throw problem.notFound('organisation', client);
    return found;
  };

  const diskOf = async (): Promise<RetentionState['disk']> => {
    const free = await freeBytes();
    if (free === undefined) return null;
    const sizes = await readScoped(db, 'system', (tx) => eventStore.sizes(tx, 'system', clock.now()), { statementTimeoutMs });
    const growth = [...sizes.values()].reduce((sum, { bytesPerDay }) => sum + (bytesPerDay ?? 0), 0);
    return { freeBytes: free, bytesPerDay: growth, daysLeft: growth > 0 ? Math.floor(free / growth) : null };
  };

  const get = async (actor: Actor, client: number): Promise<RetentionState> => {
    const scope = await organisations.scopeOfOne(actor, client);
    const now = new Date(clock.now());
    const { row, archive, kept } = await readScoped(
      db,
      scope,
      async (tx) => ({
        row: await settingsOf(tx, actor, client),
        archive: await store.sumArchive(tx, client),
        kept: (await eventStore.sizes(tx, { organisationIds: [client] }, now.getTime())).get(client) ?? noEvents,
      }),
      { statementTimeoutMs },
    );
    const mayManage = may(actor, 'retention:write');
    const waiting = mayManage
      ? await readScoped(db, 'system', (tx) =>
          store.findWaiting(tx, client, { userId: actor.userId, reader: scopeOf(actor) }, now),
        )
      : undefined;
    return {
      erasure: mayManage ? await readScoped(db, 'system', (tx) => erasure.progressOf(tx, client)) : null,
      choice: { eventRetentionDays: row.eventRetentionDays, archiveMonths: row.archiveMonths },
      applied: { eventDays: row.appliedDays, archiveMonths: row.appliedMonths },
      defaultEventDays: eventRetentionDays,
      limits: { minEventDays: row.minEventDays, maxEventDays: row.maxEventDays, maxArchiveMonths: row.maxArchiveMonths },
      archive,
      kept,
      disk: mayManage ? await diskOf() : null,
      hold:
        mayManage && row.heldSince ? { since: row.heldSince.toISOString(), reason: row.heldReason, by: row.heldByName } : null,
      request: waiting
        ? {
            id: waiting.id,
            kind: waiting.kind,
            reason: waiting.reason,
            requestedBy: waiting.shownName,
            requestedAt: waiting.requestedAt.toISOString(),
            expiresAt: waiting.expiresAt.toISOString(),
            isOwn: waiting.requestedBy === actor.userId,
            refusal: waiting.fault && pairText(waiting.fault),
          }
        : null,
      can: {
        save: mayManage && row.deactivatedAt === null,
        saveLimits: isProvidersHost(actor),
        request: may(actor, 'legalHolds:write') && !row.isPartner,
        decide: mayManage,
      },
    };
  };

  /** Every organisation of the caller’s scope, by name. */
  const list = async (actor: Actor): Promise<AnswerOf<typeof retentionApi.list>> => {
    const scope = scopeOf(actor);
    return readScoped(
      db,
      scope,
      async (tx) => {
        const sizes = await eventStore.sizes(tx, scope, clock.now());
        const rows = await store.listSettings(tx, scope, eventRetentionDays);
        const results = rows.map((row) => ({ ...row, ...(sizes.get(row.clientOrganizationID) ?? noEvents) }));
        return { results, total: results.length };
      },
      { statementTimeoutMs },
    );
  };

  return { get, list, settingsOf };
}
