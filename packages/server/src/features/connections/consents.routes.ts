import { connectionInvitesApi } from '@parapet/contract/connectionInvites.ts';
import { vendorApplicationsApi } from '@parapet/contract/vendorApplications.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { ApplicationsService } from './applications.service.ts';
import type { ConsentsService } from './consents.ts';

const hostOf = (request: FastifyRequest) => request.headers.host ?? '';

/** Cookie that binds a consent to its browser. Over HTTPS the `__Host-` prefix keeps other hosts and plain HTTP from setting it. */
const cookieName = (isSecure: boolean) => (isSecure ? '__Host-consent' : 'consent');
const cookieOf = (request: FastifyRequest, isSecure: boolean): string | undefined =>
  new RegExp(`(?:^|; *)${cookieName(isSecure)}=([\\w-]{43})(?:;|$)`).exec(request.headers.cookie ?? '')?.[1];
const setCookie = (reply: FastifyReply, { cookie, isSecure }: { cookie: string | undefined; isSecure: boolean }) =>
  reply.header(
    'set-cookie',
    `${cookieName(isSecure)}=${cookie ?? ''}; Path=/; Max-Age=${cookie ? 1800 : 0}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
  );

export function consentsRoutes(serving: Serving, consents: ConsentsService, applications: ApplicationsService): void {
  serve(serving, connectionInvitesApi.consent, async ({ body, request, reply }) => {
    const started = await consents.begin(body.token, hostOf(request), request.ip);
    setCookie(reply, started);
    return { url: started.location };
  });
  serve(serving, connectionInvitesApi.consentCallback, async ({ query, request, reply }) => {
    const { state, code, error, tenant, admin_consent: consent } = query;
    const callback = { state, code, error, tenant, isGrant: consent !== undefined, isGranted: consent?.toLowerCase() === 'true' };
    const browserOf = (isSecure: boolean) => cookieOf(request, isSecure);
    const redirect = await consents.finish(hostOf(request), callback, browserOf, request.ip);
    setCookie(reply, redirect).redirect(redirect.location, 302);
  });
  serve(serving, vendorApplicationsApi.list, ({ actor }) => applications.list(actor));
  serve(serving, vendorApplicationsApi.save, ({ actor, params, body }) => applications.save(actor, params.organisation, body));
  serve(serving, vendorApplicationsApi.remove, async ({ actor, params }) => {
    await applications.remove(actor, params.organisation);
    return {};
  });
}
