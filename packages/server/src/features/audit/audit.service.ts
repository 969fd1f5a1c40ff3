/**
 * Audit log of the administrator’s scope. Users of unrelated organisations are anonymous and the provider’s staff share
 * one name: a client sees its partner’s users, not the provider’s (docs/decisions/0021-visibility-and-names.md). Internal entries do not exist for clients: not listed,
 * counted, searchable or exported.
 */
import { Readable } from 'node:stream';
import { providerId } from '@parapet/contract/access.ts';
import type { AuditRow, auditApi } from '@parapet/contract/audit.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { csvLine, csvStart } from '../../core/csv.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { createLines } from './audit.lines.ts';
import {
  type AuditFilter,
  countActions,
  countActors,
  countEntries,
  dropOld,
  findActors,
  findPartnerOf,
  listEntries,
  searchActors,
} from './audit.store.ts';
import { listSeals } from './chain.store.ts';

const maxExported = 50_000;
const exportBatchSize = 1_000;
/** Limit for `before` and `after` in an export: fits a spreadsheet cell with its quotes doubled. */
const exportedCharacters = 10_000;

export type AuditService = ReturnType<typeof createAuditService>;

export function createAuditService({ db }: { db: Database }) {
  const reading = { readOnly: true };

  /** Organisations whose users the reader sees by name: the scope, and the partner of the reader’s own organisation. */
  const actorsScope = async (actor: Actor): Promise<Scope> => {
    const own = { organisationIds: [actor.organisationId] };
    const partner = await scoped(db, own, (tx) => findPartnerOf(tx, actor.organisationId), reading);
    // A partner does not see the provider’s users; a direct client of the provider does.
    const known = partner?.parent_id && !(actor.isPartner && partner.parent_id === providerId) ? [partner.parent_id] : [];
    return { organisationIds: [...new Set([...actor.organisationIds, ...known])] };
  };

  const searchedActors = async (known: Scope, search: string | undefined): Promise<number[]> =>
    search ? scoped(db, known, (tx) => searchActors(tx, known, search), reading) : [];

  const namesOf = async (known: Scope, ids: readonly (number | null)[]) => {
    const userIds = [...new Set(ids)].filter((id) => id !== null);
    const found = userIds.length > 0 ? await scoped(db, known, (tx) => findActors(tx, known, userIds), reading) : [];
    return new Map(found.map((user) => [user.id, user]));
  };

  const toRows = async (known: Scope, rows: Awaited<ReturnType<typeof listEntries>>): Promise<AuditRow[]> => {
    const names = await namesOf(
      known,
      rows.map(({ actorId }) => actorId),
    );
    return rows.map((row) => {
      const who = row.actorId === null ? undefined : names.get(row.actorId);
      return {
        id: row.id,
        at: row.at.toISOString(),
        clientOrganizationID: row.organisationId,
        clientOrganizationName: row.organisationName,
        action: row.action,
        target: row.target,
        actorName: who?.name ?? row.sharedName,
        actorEmail: who?.email ?? '',
        actorOrganizationName: who?.organisationName ?? '',
        address: row.address,
        before: row.before,
        after: row.after,
      };
    });
  };

  const lines = createLines({ db, actorsScope, searchedActors });

  return {
    async list(
      actor: Actor,
      client: number,
      { page, pageSize, ...filter }: AuditFilter & { page: number; pageSize: number },
    ): Promise<{ results: AuditRow[]; total: number }> {
      const scope = scopeFor(actor, client);
      const known = await actorsScope(actor);
      const actors = await searchedActors(known, filter.search);
      const { rows, total } = await scoped(
        db,
        scope,
        async (tx) => ({
          rows: await listEntries(tx, scope, filter, {
            searchedActors: actors,
            limit: pageSize,
            offset: (page - 1) * pageSize,
          }),
          total: await countEntries(tx, scope, filter, actors),
        }),
        reading,
      );
      return { results: await toRows(known, rows), total };
    },

    async actions(actor: Actor, client: number, range: { start: string; end: string }) {
      const scope = scopeFor(actor, client);
      const [actions, counts] = await scoped(
        db,
        scope,
        async (tx) => [await countActions(tx, scope, range), await countActors(tx, scope, range)] as const,
        reading,
      );
      const names = await namesOf(
        await actorsScope(actor),
        counts.map(({ id }) => id),
      );
      const actors = counts.flatMap(({ id, count }) => {
        const who = id === null ? undefined : names.get(id);
        return who ? [{ id: who.id, name: who.name, count }] : [];
      });
      return { actions, actors };
    },

    /** Streams the log as CSV in pages, to bound memory. */
    async exportList(actor: Actor, client: number, filter: AuditFilter): Promise<Readable> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, (tx) =>
        recordAudit(tx, actor, {
          action: 'audit.exported',
          organisationId: client || actor.organisationId,
          after: { client, ...filter },
        }),
      );
      const known = await actorsScope(actor);
      const actors = await searchedActors(known, filter.search);
      async function* lines() {
        yield csvStart(['Time', 'Organisation', 'Action', 'Target', 'By', 'Email', 'Of', 'Address', 'Before', 'After']);
        let below: { position: string; id: number } | undefined;
        for (let count = 0; count < maxExported; count += exportBatchSize) {
          const rows = await scoped(
            db,
            scope,
            (tx) =>
              listEntries(tx, scope, filter, {
                searchedActors: actors,
                limit: exportBatchSize,
                below,
                characters: exportedCharacters,
              }),
            reading,
          );
          yield (await toRows(known, rows))
            .map((row) =>
              csvLine([
                row.at,
                row.clientOrganizationName,
                row.action,
                row.target,
                row.actorName,
                row.actorEmail,
                row.actorOrganizationName,
                row.address,
                row.before,
                row.after,
              ]),
            )
            .join('');
          below = rows.at(-1);
          if (rows.length < exportBatchSize) return;
        }
      }
      return Readable.from(lines());
    },

    exportLines: (actor: Actor, client: number, filter: AuditFilter): Promise<Readable> =>
      lines.exportLines(actor, client, filter),

    async seal(actor: Actor, client: number): Promise<AnswerOf<typeof auditApi.seal>> {
      const scope = scopeFor(actor, client);
      const seals = await scoped(db, scope, (tx) => listSeals(tx, scope), reading);
      const times = seals.map(({ verifiedAt }) => verifiedAt?.getTime() ?? null);
      const newest = Math.max(...seals.map(({ checkpointAt }) => checkpointAt.getTime()));
      return {
        sealed: seals.reduce((sum, { position }) => sum + position, 0),
        checkpointAt: seals.length > 0 ? new Date(newest).toISOString() : null,
        verifiedAt: times.length > 0 && times.every((time) => time !== null) ? new Date(Math.min(...times)).toISOString() : null,
        broken: seals
          .flatMap(({ organisationId, broken }) =>
            broken === null ? [] : [{ clientOrganizationID: organisationId, text: broken }],
          )
          .slice(0, 200),
      };
    },

    async dropOld(): Promise<void> {
      await scoped(db, 'system', dropOld, { statementTimeoutMs: 0 });
    },
  };
}
