/**
 * Audit log of the administrator’s scope. Users of unrelated organisations are anonymous and the provider’s staff share
 * one name: a client sees its partner’s users, not the provider’s (docs/decisions/0021-visibility-and-names.md). Internal entries do not exist for clients: not listed,
 * counted, searchable or exported.
 */
import type { Readable } from 'node:stream';
import type { AuditRow, auditApi } from '@parapet/contract/audit.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { Clock } from '../../core/clock.ts';
import { type Columns, csvOf } from '../../core/csv.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, type Scope, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { queryText } from '../../domain/query/listed.ts';
import { namedScope, namesOf, searchNamed } from './audit.actors.ts';
import { exportLines } from './audit.lines.ts';
import { type AuditFilter, countActions, countActors, countEntries, dropOld, listEntries, selectionOf } from './audit.store.ts';
import { listSeals } from './chain.store.ts';

const maxExported = 50_000;
const exportBatchSize = 1_000;
/** Limit for `before` and `after` in an export: fits a spreadsheet cell with its quotes doubled. */
const exportedCharacters = 10_000;

const columns: Columns<AuditRow> = [
  ['Time', (row) => row.at],
  ['Organisation', (row) => row.clientOrganizationName],
  ['Action', (row) => row.action],
  ['Target', (row) => row.target],
  ['By', (row) => row.actorName],
  ['Email', (row) => row.actorEmail],
  ['Of', (row) => row.actorOrganizationName],
  ['Address', (row) => row.address],
  ['Before', (row) => row.before],
  ['After', (row) => row.after],
];

export type AuditService = ReturnType<typeof createAuditService>;

export interface AuditServiceDeps {
  db: Database;
  clock: Clock;
}

async function toRows(db: Database, named: Scope, rows: Awaited<ReturnType<typeof listEntries>>): Promise<AuditRow[]> {
  const actorIds = rows.map(({ actorId }) => actorId);
  const names = await namesOf(db, named, actorIds);
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
}

/** Streams the log as CSV in pages, to bound memory. */
const exportCsv =
  ({ db, clock }: AuditServiceDeps) =>
  async (actor: Actor, client: number, filter: AuditFilter): Promise<Readable> => {
    const scope = scopeFor(actor, client);
    const selected = selectionOf(actor, scope, filter, clock.now());
    await scoped(db, scope, (tx) =>
      recordAudit(tx, actor, {
        action: 'audit.exported',
        organisationId: client || actor.organisationId,
        after: { client, ...filter, query: queryText(filter.query) },
      }),
    );
    const { named, searchedActors } = await searchNamed(db, actor, filter.search);
    const read = async (below: { position: string; id: number } | undefined) => {
      const page = { searchedActors, limit: exportBatchSize, below, characters: exportedCharacters };
      const entries = await readScoped(db, scope, (tx) => listEntries(tx, scope, selected, page));
      const last = entries.length === exportBatchSize ? entries.at(-1) : undefined;
      return { rows: await toRows(db, named, entries), below: last };
    };
    return csvOf(columns, read, maxExported);
  };

export function createAuditService(deps: AuditServiceDeps) {
  const { db, clock } = deps;
  return {
    async list(
      actor: Actor,
      client: number,
      { page, pageSize: limit, ...rest }: AuditFilter & { page: number; pageSize: number },
    ): Promise<{ results: AuditRow[]; total: number }> {
      const scope = scopeFor(actor, client);
      const filter = selectionOf(actor, scope, rest, clock.now());
      const { named, searchedActors } = await searchNamed(db, actor, filter.search);
      const { rows, total } = await readScoped(db, scope, async (tx) => ({
        rows: await listEntries(tx, scope, filter, { searchedActors, limit, offset: (page - 1) * limit }),
        total: await countEntries(tx, scope, filter, searchedActors),
      }));
      return { results: await toRows(db, named, rows), total };
    },

    async actions(actor: Actor, client: number, range: { start: string; end: string }) {
      const scope = scopeFor(actor, client);
      const { actions, counts } = await readScoped(db, scope, async (tx) => ({
        actions: await countActions(tx, scope, range),
        counts: await countActors(tx, scope, range),
      }));
      const actorIds = counts.map(({ id }) => id);
      const names = await namesOf(db, await namedScope(db, actor), actorIds);
      const actors = counts.flatMap(({ id, count }) => {
        const who = id === null ? undefined : names.get(id);
        return who ? [{ id: who.id, name: who.name, count }] : [];
      });
      return { actions, actors };
    },

    exportList: exportCsv(deps),
    exportLines: exportLines(deps),

    async seal(actor: Actor, client: number): Promise<AnswerOf<typeof auditApi.seal>> {
      const scope = scopeFor(actor, client);
      const seals = await readScoped(db, scope, (tx) => listSeals(tx, scope));
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
