/** Consent to assistants, the access that they have, and the actor of a token. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeyScope } from '@parapet/contract/access.ts';
import { type AssistantScope, assistantScopes, type assistantsApi } from '@parapet/contract/assistants.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { InteractionResults, Provider } from 'oidc-provider';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, systemScope, type Tx } from '../../core/db/scope.ts';
import { type Actor, ownScope } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { isLoopback, resourceOf } from './assistants.provider.ts';
import { insertGrant, isFull, listGrants, removeEnded, removeTokens, revokeGrant, useGrant } from './assistants.store.ts';

export interface AssistantsDeps {
  db: Database;
  providerOf: (origin: string) => Promise<Provider>;
  /** Origin of the portal at a host, never taken from the header itself. */
  originOf: (host: string) => Promise<string>;
  actorOf: (tx: Tx, userId: number) => Promise<Omit<Actor, 'address'> | undefined>;
}

/** The exchange with the browser: its cookies tie a request to it. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Scopes of API keys that an assistant acts with; it reaches the tools of /mcp only. */
const keyScopesOf: Record<AssistantScope, readonly KeyScope[]> = { read: ['read'], propose: ['triage', 'respond'] };

export type AssistantsService = ReturnType<typeof createAssistantsService>;

interface Pending {
  client: string;
  redirectHost: string;
  isLocal: boolean;
  scopes: AssistantScope[];
  clientId: string;
}

async function readPending(provider: Provider, { request, response }: Exchange, uid: string): Promise<Pending> {
  const found = await provider.interactionDetails(request, response).catch(() => undefined);
  if (found?.uid !== uid) throw problem.notFound('request of an assistant in this browser', uid);
  const { client_id, redirect_uri, scope } = found.params as Record<string, string | undefined>;
  const client = await provider.Client.find(client_id ?? '');
  if (!client) throw problem.notFound('assistant', client_id ?? '');
  const tokens = (scope ?? '').split(' ');
  const scopes = assistantScopes.filter((each) => tokens.includes(each));
  const url = new URL(redirect_uri ?? client.redirectUris?.[0] ?? 'about:blank');
  return {
    client: (client.clientName ?? client.clientId).slice(0, 100),
    clientId: client.clientId,
    redirectHost: (url.host || url.protocol).slice(0, 253),
    isLocal: isLoopback(url.hostname),
    scopes: scopes.length > 0 ? scopes : ['read'],
  };
}

export function createAssistantsService({ db, providerOf, originOf, actorOf }: AssistantsDeps) {
  return {
    originOf,

    async consent(host: string, exchange: Exchange, uid: string): Promise<AnswerOf<typeof assistantsApi.consent>> {
      const { clientId: _, ...shown } = await readPending(await providerOf(await originOf(host)), exchange, uid);
      return shown;
    },

    async decide(actor: Actor, host: string, exchange: Exchange, uid: string, isAllowed: boolean): Promise<{ returnTo: string }> {
      const origin = await originOf(host);
      const provider = await providerOf(origin);
      const { clientId, client, redirectHost, scopes } = await readPending(provider, exchange, uid);
      const finish = async (result: InteractionResults) => {
        const options = { mergeWithLastSubmission: false };
        return { returnTo: await provider.interactionResult(exchange.request, exchange.response, result, options) };
      };
      if (!isAllowed) return finish({ error: 'access_denied', error_description: 'The person denied the access.' });
      const accountId = String(actor.userId);
      const grant = new provider.Grant({ accountId, clientId });
      // The scopes are of the server, which clients register with, and of the resource.
      grant.addOIDCScope(scopes.join(' '));
      grant.addResourceScope(resourceOf(origin), scopes.join(' '));
      const grantId = await grant.save();
      await scoped(db, ownScope(actor), async (tx) => {
        const of = { organisation_id: actor.organisationId, user_id: actor.userId };
        const { id } = await insertGrant(tx, { ...of, grant_id: grantId, client, redirect_host: redirectHost, scopes });
        await recordAudit(tx, actor, {
          action: 'assistant.allowed',
          organisationId: actor.organisationId,
          target: String(id),
          after: { client, redirectHost, scopes },
        });
      });
      return finish({ login: { accountId, remember: false }, consent: { grantId } });
    },

    async grants(actor: Actor): Promise<AnswerOf<typeof assistantsApi.grants>> {
      const scope = ownScope(actor);
      const rows = await readScoped(db, scope, (tx) => listGrants(tx, scope, actor.userId));
      const results = rows.map(({ redirect_host, created_at, last_used_at, revoked_at, ...row }) => ({
        ...row,
        redirectHost: redirect_host,
        createdAt: created_at.toISOString(),
        lastUsedAt: last_used_at?.toISOString() ?? null,
        revokedAt: revoked_at?.toISOString() ?? null,
      }));
      return { results, total: results.length };
    },

    async revoke(actor: Actor, id: number): Promise<Record<string, never>> {
      const scope = ownScope(actor);
      const grantId = await scoped(db, scope, async (tx) => {
        const revoked = await revokeGrant(tx, scope, actor.userId, id);
        if (!revoked) throw problem.notFound('assistant', id);
        await recordAudit(tx, actor, {
          action: 'assistant.revoked',
          organisationId: actor.organisationId,
          target: String(id),
          before: { client: revoked.client },
        });
        return revoked.grant_id;
      });
      await scoped(db, 'system', (tx) => removeTokens(tx, grantId));
      return {};
    },

    /** Actor of an access token, with the permissions that its person has now; undefined for a token that is not valid here. */
    async actorOfToken(token: string, host: string): Promise<Omit<Actor, 'address'> | undefined> {
      const origin = await originOf(host);
      const found = await (await providerOf(origin)).AccessToken.find(token);
      if (!found?.grantId || found.aud !== resourceOf(origin)) return undefined;
      const granted = found.scope?.split(' ') ?? [];
      return scoped(db, 'system', async (tx) => {
        const grant = await useGrant(tx, found.grantId ?? '');
        const actor = grant && (await actorOf(tx, grant.user_id));
        // A person who moved to another organisation consents there.
        if (!actor || actor.organisationId !== grant.organisation_id) return undefined;
        const scopes = assistantScopes.filter((scope) => granted.includes(scope)).flatMap((scope) => keyScopesOf[scope]);
        // Negative: of no API key, and with a budget of its own.
        return { ...actor, apiKey: { id: -grant.id, scopes, addressRanges: [] } };
      });
    },

    isFull: () => readScoped(db, systemScope, isFull),
    sweep: () => scoped(db, 'system', removeEnded),
  };
}
