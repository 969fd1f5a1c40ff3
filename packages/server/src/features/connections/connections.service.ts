/** Connections of a client: added, tried, paused and removed by people. Secrets go in and never come out. */
import type { connectionsApi } from '@parapet/contract/connections.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { hasCase } from '../../domain/casesInScope.ts';
import { checkValues, shownFields } from '../../domain/fields.ts';
import { createChanges, createPermissions, createReading } from './connections.changes.ts';
import type { ConnectionsDeps, Kind, Stored } from './connections.deps.ts';
import { listCaseIncidents } from './connections.incidents.people.ts';
import { shown, shownIncident } from './connections.shown.ts';
import { type ConnectionRow, findConnection, findValues, listConnections } from './connections.store.ts';
import { type Tested, tryOut, type Values } from './connections.values.ts';
import { createVault } from './connections.vault.ts';

const maxCaseIncidents = 50;

export type ConnectionsService = ReturnType<typeof createConnectionsService>;

export function createConnectionsService(deps: ConnectionsDeps) {
  const { db, clock, keys, http, connectors, pushKinds, examples } = deps;
  const pullKinds = connectors.map(
    (connector): Kind => ({
      ...connector,
      isPush: false,
      tryOut: (_client, values) => tryOut(http, clock, connector, values),
    }),
  );
  const kinds = [...pullKinds, ...pushKinds];
  const byId = new Map(kinds.map((kind) => [kind.id, kind]));
  const connectorOf = (kind: string): Kind => {
    const connector = byId.get(kind);
    if (!connector) throw problem.notFound('kind of connection', kind);
    return connector;
  };

  const vault = createVault(db, keys);

  const stored = async (scope: Scope, id: number): Promise<Stored> => {
    const row = await scoped(db, scope, (tx) => findValues(tx, scope, id));
    if (!row) throw problem.notFound('connection', id);
    return { ...row, connector: connectorOf(row.kind) };
  };

  const find = async (tx: Tx, scope: Scope, id: number): Promise<ConnectionRow> => {
    const row = await findConnection(tx, scope, id, clock.now());
    if (!row) throw problem.notFound('connection', id);
    return row;
  };

  return {
    async kinds(): Promise<AnswerOf<typeof connectionsApi.kinds>> {
      const results = kinds.map(
        ({ id, title, documentation, steps, fields, actions, actionStep, incidents, isPush, consent }) => ({
          id,
          title,
          documentation,
          steps: [...steps],
          fields: shownFields(fields),
          actions: [...actions],
          actionStep,
          incidentStep: incidents?.step ?? '',
          isPush,
          permissions: [...(consent?.permissions ?? [])],
          example: examples[id] ?? null,
        }),
      );
      return { results, total: results.length };
    },

    async list(actor: Actor, client: number): Promise<AnswerOf<typeof connectionsApi.list>> {
      const scope = scopeFor(actor, client);
      const rows = await readScoped(db, scope, (tx) => listConnections(tx, scope, clock.now()));
      return { results: rows.map((row) => shown(row, byId.get(row.kind))), total: rows.length };
    },

    async test(actor: Actor, client: number, { kind, values }: { kind: string; values: Values }): Promise<Tested> {
      const scope = scopeFor(actor, client);
      const connector = connectorOf(kind);
      checkValues(connector.fields, values);
      connector.requireAllowed?.(actor, values);
      await scoped(db, scope, (tx) =>
        recordAudit(tx, actor, {
          action: 'connection.tested',
          organisationId: client,
          after: { kind, account: connector.accountOf(values) },
        }),
      );
      return connector.tryOut(client, values);
    },

    async testStored(actor: Actor, client: number, id: number): Promise<Tested> {
      const scope = scopeFor(actor, client);
      const { settings, connector, ...row } = await stored(scope, id);
      return connector.tryOut(row.organisationId, { ...settings, ...(await vault.open(row)) }, id);
    },

    async caseIncidents(actor: Actor, caseId: number): Promise<AnswerOf<typeof connectionsApi.caseIncidents>> {
      const scope = scopeOf(actor);
      const rows = await readScoped(db, scope, async (tx) => {
        if (!(await hasCase(tx, scope, caseId))) throw problem.notFound('case', caseId);
        return listCaseIncidents(tx, scope, caseId, maxCaseIncidents);
      });
      return { results: rows.map((row) => shownIncident(row, byId.get(row.connectionKind))), total: rows.length };
    },

    ...createChanges(deps, connectorOf, find, stored),
    ...createReading(deps, connectorOf, find),
    ...createPermissions(deps, connectorOf, find),
  };
}
