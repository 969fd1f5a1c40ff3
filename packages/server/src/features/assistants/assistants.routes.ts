/** The authorization server's own paths, its metadata, and the calls of the portal's pages. */
import { assistantScopes, assistantsApi } from '@parapet/contract/assistants.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import type { Clock } from '../../core/clock.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import { createAddressThrottle } from '../../domain/throttle.ts';
import { consentPath, resourceOf } from './assistants.provider.ts';
import type { AssistantsService } from './assistants.service.ts';

const maxBytes = 64 * 1024;
/** A minute, of one address: requests of any kind, and registrations. Together with the sweep, the latter leave most clients to others. */
const requestsAMinute = 60;
const registrationsAMinute = 5;
const open = { config: { operation: 'open' }, exposeHeadRoute: false } as const;
const hostOf = (request: FastifyRequest): string => request.headers.host ?? '';

interface Deps {
  providerOf: (origin: string) => Promise<Provider>;
  clock: Clock;
}

/** Document of RFC 9728. */
export const metadataPath = '/.well-known/oauth-protected-resource/mcp';

export async function assistantsRoutes(serving: Serving, service: AssistantsService, deps: Deps): Promise<void> {
  const { app } = serving;
  const exchangeOf = ({ raw }: FastifyRequest, reply: FastifyReply) => ({ request: raw, response: reply.raw });
  serve(serving, assistantsApi.consent, ({ params, request, reply }) =>
    service.consent(hostOf(request), exchangeOf(request, reply), params.uid),
  );
  serve(serving, assistantsApi.decide, ({ actor, params, body, request, reply }) =>
    service.decide(actor, hostOf(request), exchangeOf(request, reply), params.uid, body.isAllowed),
  );
  serve(serving, assistantsApi.grants, ({ actor }) => service.grants(actor));
  serve(serving, assistantsApi.revoke, ({ actor, params }) => service.revoke(actor, params.id));

  const metadata = async (request: FastifyRequest) => {
    const origin = await service.originOf(hostOf(request));
    return {
      resource: resourceOf(origin),
      authorization_servers: [origin],
      scopes_supported: assistantScopes,
      bearer_methods_supported: ['header'],
    };
  };
  app.get(metadataPath, open, metadata);
  app.get('/.well-known/oauth-protected-resource', open, metadata);
  // The request's cookie is bound to this path; the page reads it through the calls below it.
  app.get<{ Params: { uid: string } }>(consentPath(':uid'), open, (request, reply) =>
    reply.redirect(`/assistants/${encodeURIComponent(request.params.uid)}`, 303),
  );
  await app.register((scope) => ownPaths(scope, service, deps));
}

/** Handed over whole: the library reads the body and writes the answer. */
async function ownPaths(app: FastifyInstance, service: AssistantsService, { providerOf, clock }: Deps): Promise<void> {
  const throttle = createAddressThrottle(clock, requestsAMinute);
  const throttleRegistration = createAddressThrottle(clock, registrationsAMinute);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  const pass = async (request: FastifyRequest, reply: FastifyReply) => {
    const origin = await service.originOf(hostOf(request));
    const { host, protocol } = new URL(origin);
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return reply.code(413).send();
    throttle('oauth', request.ip);
    const registers = request.method === 'POST' && request.url.startsWith('/oauth/register');
    if (registers) throttleRegistration('oauth', request.ip);
    if (registers && (await service.isFull()))
      return reply.code(503).header('retry-after', '3600').send({ error: 'temporarily_unavailable' });
    const { raw } = request;
    Object.assign(raw.headers, { 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': host });
    const provider = await providerOf(origin);
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
    await provider.callback()(raw, reply.raw);
    return reply;
  };
  const only = (method: 'GET' | 'POST', url: string) => app.route({ method, url, ...open, bodyLimit: maxBytes, handler: pass });
  only('GET', '/.well-known/oauth-authorization-server');
  only('GET', '/oauth/authorize');
  only('GET', '/oauth/authorize/:uid');
  only('POST', '/oauth/register');
  only('POST', '/oauth/revoke');
  only('POST', '/oauth/token');
}
