/**
 * Invitations to connect: a client's administrator gets a link by email and enters the values there, so that secrets pass no other person. The link is bound to
 * client and kind, works once and for 7 days.
 */
import type { Connector } from '@parapet/connectors/connector.ts';
import { allClients } from '@parapet/contract/access.ts';
import type { ConnectionInvite, connectionInvitesApi } from '@parapet/contract/connectionInvites.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { Problem, problem } from '@parapet/contract/problem.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { publish } from '../../core/bus.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { hashOfToken, newToken } from '../../core/secrets.ts';
import { recordAudit } from '../../domain/audit.ts';
import { checkValues, pick, shownFields } from '../../domain/fields.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import type { ApplicationsService } from './applications.service.ts';
import type { ConnectionsDeps } from './connections.deps.ts';
import {
  findInvite,
  type InviteRow,
  insertInvite,
  listInvites,
  revokeInvite,
  takeAttempt,
  useInvite,
} from './connections.invites.store.ts';
import { insertConnection, newConnectionId } from './connections.store.ts';
import { tryOut, type Values } from './connections.values.ts';
import { createVault } from './connections.vault.ts';

export interface InvitesDeps extends ConnectionsDeps {
  brand: Pick<BrandService, 'ofMails'>;
  outbox: Pick<OutboxService, 'queue'>;
  applications: Pick<ApplicationsService, 'offers'>;
}

const lifetimeMs = 7 * dayMs;

export type ConnectionInvitesService = ReturnType<typeof createConnectionInvites>;

export function createConnectionInvites(deps: InvitesDeps) {
  const { db, clock, connectors, brand, outbox, applications } = deps;
  const connectorOf = (kind: string): Connector => {
    const connector = connectors.find(({ id }) => id === kind);
    if (!connector) throw problem.notFound('kind of connection', kind);
    return connector;
  };
  const titleOf = (kind: string) => connectors.find(({ id }) => id === kind)?.title ?? kind;

  return {
    async list(actor: Actor, client: number): Promise<AnswerOf<typeof connectionInvitesApi.list>> {
      const scope = scopeFor(actor, client);
      const rows = await readScoped(db, scope, (tx) => listInvites(tx, scope));
      const results = rows.map((row) => shown(row, titleOf(row.kind), clock.now()));
      return { results, total: rows.length, offersConsent: client !== allClients && (await applications.offers(client)) };
    },

    async create(
      actor: Actor,
      client: number,
      { kind, name, email, tenant }: { kind: string; name: string; email: string; tenant?: string | undefined },
    ): Promise<ConnectionInvite> {
      const scope = scopeFor(actor, client);
      const { title, consent } = connectorOf(kind);
      if (tenant !== undefined && !consent) throw problem.invalid({ tenant: [`${title} has no tenants that consent.`] });
      const isConsent = consent !== undefined && (await applications.offers(client));
      const token = newToken();
      const expiresAt = new Date(clock.now() + lifetimeMs);
      // The mail's brand and the outbox need the portal's own scope; the statements are bound to the client's.
      const row = await scoped(db, 'system', async (tx) => {
        const author = { userId: actor.userId, userName: actor.displayName };
        const described = { kind, name, email };
        const bound = { tenant: tenant ?? null, expiresAt };
        const invite = { organisationId: client, tokenHash: hashOfToken(token), ...described, ...author, ...bound };
        const id = await insertInvite(tx, invite);
        const entry = { action: 'connection.invited', organisationId: client, target: String(id), after: described } as const;
        await recordAudit(tx, actor, entry);
        const { origin } = await brand.ofMails(tx, client);
        const url = `${origin}/connect/${token}`;
        await outbox.queue(tx, {
          organisationId: client,
          kind: 'connection.invited',
          to: [email],
          subject: `Connect ${title}`,
          title: `Connect ${title}`,
          paragraphs: [
            `${actor.displayName} (${actor.email}) asks you to connect ${title} to the security portal, so that its events are watched.`,
            isConsent ? consentText : valuesText,
          ],
          action: { label: 'Connect', url },
          notes: ['The link works once and for 7 days. If you don’t expect this email, ask the sender before you follow it.'],
          links: [url],
        });
        return (await listInvites(tx, scope, id))[0]!;
      });
      return shown(row, title, clock.now());
    },

    async revoke(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        if (!(await revokeInvite(tx, scope, id))) throw problem.notFound('open invitation', id);
        await recordAudit(tx, actor, { action: 'connection.inviteRevoked', organisationId: client, target: String(id) });
      });
    },

    ...createGuestCalls(deps, connectorOf),
  };
}

const valuesText =
  'The page behind the link has instructions for the administrator of the service. You enter the values yourself; they are stored encrypted and never shown again.';
const consentText =
  'The page behind the link lists the permissions, then leads to the sign-in of the service, where an administrator of your organisation grants them. They can be revoked there at any time.';

/** Calls of the link's holder, who has not signed in. */
function createGuestCalls(
  { db, clock, keys, http, examples, applications }: InvitesDeps,
  connectorOf: (kind: string) => Connector,
) {
  const vault = createVault(db, keys);
  const gone = () => new Problem('notFound', 'This link was used, was revoked or has expired. Ask its sender for another one.');
  return {
    async open(token: string): Promise<AnswerOf<typeof connectionInvitesApi.open>> {
      const now = new Date(clock.now());
      const invite = await readScoped(db, 'system', (tx) => findInvite(tx, hashOfToken(token), now));
      if (!invite) throw gone();
      const { id, title, documentation, steps, fields, consent } = connectorOf(invite.kind);
      const isConsent = consent !== undefined && (await applications.offers(invite.organisationId));
      return {
        client: invite.client,
        name: invite.name,
        invitedBy: invite.invitedBy ?? invite.client,
        expiresAt: invite.expiresAt.toISOString(),
        kind: {
          id,
          title,
          documentation,
          steps: [...steps],
          fields: shownFields(fields),
          example: examples[id] ?? null,
        },
        consent: isConsent ? { permissions: [...consent.permissions], tenant: invite.tenant } : null,
      };
    },

    async accept(token: string, values: Values, address: string): Promise<{ name: string }> {
      const invite = await scoped(db, 'system', (tx) => takeAttempt(tx, hashOfToken(token), new Date(clock.now())));
      if (!invite) throw gone();
      const { organisationId, kind, name, email } = invite;
      const connector = connectorOf(kind);
      checkValues(connector.fields, values);
      await tryOut(http, clock, connector, values);
      const scope = { organisationIds: [organisationId] };
      const id = await scoped(db, scope, newConnectionId);
      const secrets = await vault.seal(organisationId, id, pick(connector.fields, values, true));
      const account = connector.accountOf(values);
      await scoped(db, scope, async (tx) => {
        if (!(await useInvite(tx, invite.id))) throw gone();
        const described = { kind, name, account, mayAct: false };
        const row = { id, organisationId, ...described, settings: pick(connector.fields, values, false), secrets };
        if (!(await insertConnection(tx, row)))
          throw problem.conflict(`A connection named "${name}" already exists. Ask the sender for another link.`);
        const after = { ...described, invitedEmail: email };
        const entry = { action: 'connection.createdByInvite', organisationId, target: String(id), after } as const;
        await recordAudit(tx, { userId: null, organisationId, address }, entry);
        await publish(tx, 'connections.due', {});
      });
      return { name };
    },
  };
}

const stateOf = ({ usedAt, revokedAt, expiresAt }: InviteRow, now: number): ConnectionInvite['state'] =>
  usedAt ? 'used' : revokedAt ? 'revoked' : expiresAt.getTime() <= now ? 'expired' : 'open';

const shown = (row: InviteRow, title: string, now: number): ConnectionInvite => ({
  id: row.id,
  clientOrganizationID: row.organisationId,
  kind: row.kind,
  title,
  name: row.name,
  email: row.email,
  tenant: row.tenant,
  state: stateOf(row, now),
  createdBy: row.createdBy || 'A former user',
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
});
