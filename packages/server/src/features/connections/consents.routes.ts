import { connectionInvitesApi } from '@parapet/contract/connectionInvites.ts';
import { vendorApplicationsApi } from '@parapet/contract/vendorApplications.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Serving, serve } from '../../core/http/serve.ts';
import { hashOfToken } from '../../core/secrets.ts';
import type { ApplicationsService } from './applications.service.ts';
import type { ConsentRedirect, ConsentsService } from './consents.ts';

const hostOf = (request: FastifyRequest) => request.headers.host ?? '';

/** Cookie that binds a state to its browser. Over HTTPS the `__Host-` prefix keeps other hosts and plain HTTP from setting it. */
const cookieName = (state: string, isSecure: boolean) =>
  `${isSecure ? '__Host-' : ''}consent-${hashOfToken(state).toString('hex').slice(0, 16)}`;
const cookieOf = (request: FastifyRequest, state: string, isSecure: boolean): string | undefined =>
  new RegExp(`(?:^|; *)${cookieName(state, isSecure)}=([\\w-]{43})(?:;|$)`).exec(request.headers.cookie ?? '')?.[1];
const cookieWith = (state: string, browser: string, isSecure: boolean) =>
  `${cookieName(state, isSecure)}=${browser}; Path=/; Max-Age=${browser ? 1800 : 0}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
/** Leaves the cookies of other states alone. */
function setCookies(reply: FastifyReply, { bound, spent, isSecure }: ConsentRedirect): FastifyReply {
  const cookies = bound ? [cookieWith(bound.state, bound.browser, isSecure)] : [];
  if (spent !== undefined) cookies.push(cookieWith(spent, '', isSecure));
  return cookies.length > 0 ? reply.header('set-cookie', cookies) : reply;
}

export function consentsRoutes(serving: Serving, consents: ConsentsService, applications: ApplicationsService): void {
  serve(serving, connectionInvitesApi.consent, async ({ body, request, reply }) => {
    const started = await consents.begin(body.token, hostOf(request), request.ip);
    setCookies(reply, started);
    return { url: started.location };
  });
  serve(serving, connectionInvitesApi.consentCallback, async ({ query, request, reply }) => {
    const { state, code, error, tenant, admin_consent: consent } = query;
    const callback = { state, code, error, tenant, isGrant: consent !== undefined, isGranted: consent?.toLowerCase() === 'true' };
    const browserOf = (given: string, isSecure: boolean) => cookieOf(request, given, isSecure);
    const redirect = await consents.finish(hostOf(request), callback, browserOf, request.ip);
    setCookies(reply, redirect).redirect(redirect.location, 302);
  });
  serve(serving, vendorApplicationsApi.list, ({ actor }) => applications.list(actor));
  serve(serving, vendorApplicationsApi.save, ({ actor, params, body }) => applications.save(actor, params.organisation, body));
  serve(serving, vendorApplicationsApi.remove, async ({ actor, params }) => {
    await applications.remove(actor, params.organisation);
    return {};
  });
}
