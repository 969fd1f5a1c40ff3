/**
 * POST /mcp: the streamable HTTP transport of the Model Context Protocol without sessions, for API keys and assistants with consent. Revision 2026-07-28, and requests of 2025
 * revisions one by one. Source: modelcontextprotocol.io/specification.
 */
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { isHost } from '@parapet/contract/access.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { type Problem, problem } from '@parapet/contract/problem.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../../core/http/actor.ts';
import { refusalOf, type Serving, underMaintenance } from '../../core/http/serve.ts';
import type { AssistantsService } from '../assistants/assistants.service.ts';
import { type Caller, createMcpServer, loadSdk, type McpDeps, toolsOf } from './mcp.server.ts';
import { tools } from './mcp.tools.ts';

const maxBytes = 64 * 1024;
const operation = 'mcp';

export type Assistants = Pick<AssistantsService, 'actorOfToken' | 'originOf'>;

export function mcpRoutes(serving: Serving, deps: McpDeps, assistants: Assistants): void {
  const { app, identify, denied, recordAccess, budgets, isUnderMaintenance } = serving;
  if (!app.hasRequestDecorator('actor')) app.decorateRequest('actor', undefined);
  let handler: Promise<McpHttpHandler> | undefined;

  const open = async (): Promise<McpHttpHandler> => {
    const { createMcpHandler } = await loadSdk();
    return createMcpHandler(({ authInfo }) => createMcpServer(deps, authInfo?.extra as unknown as Caller), {
      onerror: (error) => deps.log.debug({ err: error }, 'a request of the model context protocol was refused'),
    });
  };
  const refused = async (error: Problem, request: FastifyRequest): Promise<Problem> => {
    await budgets?.count(error, request);
    if (request.actor && error.code === 'forbidden') await denied(request.actor, operation, request);
    return error;
  };

  const admit = async (request: FastifyRequest, reply: FastifyReply) => {
    const actor = (await identify(request)) ?? (await identifyAssistant(assistants, request));
    request.actor = actor;
    if (isUnderMaintenance && !(actor && isHost(actor))) throw underMaintenance();
    if (!actor) {
      reply.header('www-authenticate', await challengeOf(assistants, request));
      throw await refused(problem.signInNeeded(), request);
    }
    // Also a request that calls no tool; each call of a tool counts again, because one request may hold several.
    await budgets?.take(casesApi.detail, request);
    const reason = refusalFor(actor, request);
    if (reason !== undefined) throw await refused(problem.forbidden(reason), request);
  };

  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    config: { operation: 'open' },
    exposeHeadRoute: false,
    bodyLimit: maxBytes,
    onRequest: admit,
    handler: async (request, reply) => {
      reply.header('cache-control', 'no-store');
      // There are no sessions and nothing to subscribe to, so there is no stream to hold open.
      if (request.method !== 'POST' || isSubscription(request.body))
        return reply
          .code(405)
          .header('allow', 'POST')
          .send({ jsonrpc: '2.0', error: { code: -32000, message: 'Method not allowed.' }, id: null });
      handler ??= open();
      const caller: Caller = {
        actor: request.actor as Actor,
        take: async ({ endpoint }) => budgets?.take(endpoint, request),
        recordAccess: ({ endpoint }, { case: caseId, client }) =>
          recordAccess?.(request.actor as Actor, endpoint, { params: { client, caseId } }, 'assistant'),
        refused: (error) => refused(error, request),
      };
      const { fetch } = await handler;
      const answer = await fetch(webRequestOf(request), {
        parsedBody: request.body,
        authInfo: { token: '', clientId: String(caller.actor.apiKey?.id), scopes: [], extra: caller as never },
      });
      reply.code(answer.status);
      const type = answer.headers.get('content-type');
      if (type) reply.header('content-type', type);
      return answer.body ? reply.send(Readable.fromWeb(answer.body as ReadableStream)) : reply.send();
    },
  });
}

async function identifyAssistant({ actorOfToken }: Assistants, request: FastifyRequest): Promise<Actor | undefined> {
  const { authorization = '', host = '' } = request.headers;
  const token = /^Bearer ([\w-]{20,100})$/.exec(authorization)?.[1];
  const actor = token && (await actorOfToken(token, host));
  return actor ? { ...actor, address: request.ip } : undefined;
}

/** Leads a client to the authorization server (RFC 9728). */
async function challengeOf({ originOf }: Assistants, { headers: { authorization, host = '' } }: FastifyRequest): Promise<string> {
  const fault = authorization === undefined ? '' : 'error="invalid_token", ';
  return `Bearer ${fault}resource_metadata="${await originOf(host)}/.well-known/oauth-protected-resource/mcp", scope="read propose"`;
}

/** Reason to refuse every call of a caller; undefined when a tool is left. */
function refusalFor(actor: Actor, request: FastifyRequest): string | undefined {
  const { origin } = request.headers;
  // A page in a browser never holds a key; one that sends requests here was led to do so.
  if (origin !== undefined) return 'Requests from web pages are refused. Connect from a client of the Model Context Protocol.';
  if (!actor.apiKey) return 'Use an API key (Settings › API keys) with the scope read, or connect by OAuth.';
  if (toolsOf(actor).length > 0) return undefined;
  return tools.map(({ endpoint }) => refusalOf(actor, endpoint)).find((reason) => reason !== undefined);
}

const isSubscription = (body: unknown): boolean =>
  [body].flat().some((message) => (message as { method?: unknown } | null)?.method === 'subscriptions/listen');

function webRequestOf(request: FastifyRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (/^(accept|content-type|mcp-[\w-]+)$/.test(name)) headers.set(name, String(value));
  return new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(request.body) });
}
