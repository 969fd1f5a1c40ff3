/** Changes of connections, each with its audit entry. A pull in progress saves nothing once its connection changed. */
import type { Connection, IncidentMode } from '@parapet/contract/connections.ts';
import { problem } from '@parapet/contract/problem.ts';
import { publish } from '../../core/bus.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { checkValues, pick } from '../../domain/fields.ts';
import type { ConnectionsDeps, Stored } from './connections.deps.ts';
import { updateIncidentMode } from './connections.incidents.people.ts';
import { shown } from './connections.shown.ts';
import {
  type ConnectionRow,
  insertConnection,
  makeDue,
  newConnectionId,
  removeConnection,
  updateMayAct,
  updateSecrets,
  updateState,
} from './connections.store.ts';
import type { Values } from './connections.values.ts';
import { createVault } from './connections.vault.ts';
import { syslogKind } from './syslog.kind.ts';

type Find = (tx: Tx, scope: Scope, id: number) => Promise<ConnectionRow>;

/** Changes of a connection's permissions, which only people make. */
export function createPermissions({ db }: ConnectionsDeps, connectorOf: (kind: string) => Stored['connector'], find: Find) {
  return {
    async allowResponses(actor: Actor, client: number, id: number, mayAct: boolean): Promise<void> {
      const scope = scopeFor(actor, client);
      if (mayAct) requirePerson(actor);
      await scoped(db, scope, async (tx) => {
        const { organisationId, kind, mayAct: before } = await find(tx, scope, id);
        if (before === mayAct) return;
        const { actions, title } = connectorOf(kind);
        if (mayAct && actions.length === 0) throw cannotAct(title);
        await updateMayAct(tx, scope, id, mayAct);
        const entry = { action: 'connection.responsesChanged', organisationId, target: String(id) } as const;
        await recordAudit(tx, actor, { ...entry, before: { mayAct: before }, after: { mayAct } });
      });
    },

    async setIncidentMode(actor: Actor, client: number, id: number, mode: IncidentMode): Promise<void> {
      const scope = scopeFor(actor, client);
      requirePersonFor(actor, mode);
      await scoped(db, scope, async (tx) => {
        const { organisationId, kind } = await find(tx, scope, id);
        const { incidents, title } = connectorOf(kind);
        if (!incidents) throw hasNoIncidents(title);
        const before = await updateIncidentMode(tx, { organisationId, id }, mode);
        // Also with the same mode: after a failure, as when a permission was given, saving tries again.
        await publish(tx, 'connections.incidentsDue', {});
        if (before === mode) return;
        const entry = { action: 'connection.incidentModeChanged', organisationId, target: String(id) } as const;
        await recordAudit(tx, actor, { ...entry, before: { incidentMode: before }, after: { incidentMode: mode } });
      });
    },
  };
}

/** Reading at once, for people who would otherwise wait for the next pull. */
export function createReading({ db, clock }: ConnectionsDeps, connectorOf: (kind: string) => Stored['connector'], find: Find) {
  return {
    async read(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        const { organisationId, kind, name, state } = await find(tx, scope, id);
        if (connectorOf(kind).isPush) throw problem.conflict(`The devices of ${name} send on their own. Nothing is fetched.`);
        if (state !== 'active') throw problem.conflict(`${name} is ${state}. Resume it first.`);
        if (!(await makeDue(tx, scope, id, new Date(clock.now()))))
          throw problem.conflict(`The vendor limits requests of ${name}. It is read as soon as the vendor allows it.`);
        await recordAudit(tx, actor, { action: 'connection.readRequested', organisationId, target: String(id) });
        await publish(tx, 'connections.due', {});
      });
    },
  };
}

export function createChanges(
  { db, keys }: ConnectionsDeps,
  connectorOf: (kind: string) => Stored['connector'],
  find: Find,
  stored: (scope: Scope, id: number) => Promise<Stored>,
) {
  const vault = createVault(db, keys);
  return {
    async create(
      actor: Actor,
      client: number,
      input: { kind: string; name: string; values: Values; mayAct: boolean; incidentMode: IncidentMode },
    ): Promise<Connection> {
      const scope = scopeFor(actor, client);
      const connector = connectorOf(input.kind);
      const { fields, actions, incidents } = connector;
      const { incidentMode } = input;
      checkValues(fields, input.values);
      connector.requireAllowed?.(actor, input.values);
      if (input.mayAct) requirePerson(actor);
      if (input.mayAct && actions.length === 0) throw cannotAct(connector.title);
      requirePersonFor(actor, incidentMode);
      if (incidentMode !== 'read' && !incidents) throw hasNoIncidents(connector.title);
      const account = connector.accountOf(input.values);
      const id = await scoped(db, scope, newConnectionId);
      const secrets = await vault.seal(client, id, pick(fields, input.values, true));
      // Ports are shared by all organisations; the statements are bound to the client's.
      return scoped(db, connector.claim ? 'system' : scope, async (tx) => {
        await connector.claim?.(tx, client, input.values);
        const described = { kind: input.kind, name: input.name, account, mayAct: input.mayAct };
        const row = { id, organisationId: client, ...described, settings: pick(fields, input.values, false), secrets };
        if (!(await insertConnection(tx, row))) throw problem.conflict(`A connection named "${input.name}" already exists.`);
        if (incidents) await updateIncidentMode(tx, { organisationId: client, id }, incidentMode);
        await recordAudit(tx, actor, {
          action: 'connection.created',
          organisationId: client,
          target: String(id),
          after: { ...described, ...(incidents && { incidentMode }) },
        });
        await publishChange(tx, input.kind);
        return shown(await find(tx, scope, id), connector);
      });
    },

    async pause(actor: Actor, client: number, id: number, isPaused: boolean): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        const { organisationId, kind } = await find(tx, scope, id);
        if (!(await updateState(tx, scope, id, isPaused))) return;
        const action = isPaused ? 'connection.paused' : 'connection.resumed';
        await recordAudit(tx, actor, { action, organisationId, target: String(id) });
        await publishChange(tx, kind);
      });
    },

    async replaceSecrets(actor: Actor, client: number, id: number, values: Values): Promise<void> {
      const scope = scopeFor(actor, client);
      const { organisationId, settings, connector, consentedBy } = await stored(scope, id);
      if (consentedBy !== null)
        throw problem.conflict('This connection works by consent. Ask an administrator of the tenant to consent again.');
      if (!connector.fields.some(({ isSecret }) => isSecret))
        throw problem.invalid({ values: [`${connector.title} has no secrets.`] });
      const all = { ...settings, ...values };
      checkValues(connector.fields, all);
      if (connector.accountOf(all) !== connector.accountOf(settings))
        throw problem.invalid({ values: ['Only secrets can be replaced. Add another connection for another account.'] });
      await connector.tryOut(organisationId, all, id);
      const sealed = await vault.seal(organisationId, id, pick(connector.fields, all, true));
      await scoped(db, scope, async (tx) => {
        await updateSecrets(tx, scope, id, sealed);
        await recordAudit(tx, actor, { action: 'connection.secretsReplaced', organisationId, target: String(id) });
        await publish(tx, 'connections.due', {});
      });
    },

    async remove(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        const { organisationId, kind, name, account } = await find(tx, scope, id);
        await removeConnection(tx, scope, id);
        const before = { kind, name, account };
        await publishChange(tx, kind);
        await recordAudit(tx, actor, { action: 'connection.removed', organisationId, target: String(id), before });
      });
    },
  };
}

/** Wakes the worker, or the listeners. */
const publishChange = (tx: Tx, kind: string): Promise<void> =>
  publish(tx, kind === syslogKind ? 'syslog.changed' : 'connections.due', {});

/** A key that ships events must not open the way to responses. */
function requirePerson(actor: Actor, what = 'execute responses'): void {
  if (actor.apiKey)
    throw problem.forbidden(`A person allows a connection to ${what}, not an API key. Allow it on the page of connections.`);
}

function requirePersonFor(actor: Actor, mode: IncidentMode): void {
  if (mode !== 'read') requirePerson(actor, 'change incidents or cases');
}

const hasNoIncidents = (title: string) => problem.invalid({ incidentMode: [`${title} has no incidents that belong to cases.`] });

const cannotAct = (title: string) => problem.invalid({ mayAct: [`${title} can’t execute responses.`] });
