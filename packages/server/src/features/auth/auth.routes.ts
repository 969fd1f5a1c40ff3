import { authApi } from '@parapet/contract/auth.ts';
import { nothing } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { AuthService } from './auth.service.ts';
import type { SecondFactor } from './mfa.service.ts';
import type { ResetService } from './reset.service.ts';
import type { Origin } from './sessions.ts';
import type { Redirect, SingleSignOn } from './sso.service.ts';
import type { StepUp } from './stepUp.service.ts';

export interface AuthServices {
  auth: AuthService;
  secondFactor: SecondFactor;
  singleSignOn: SingleSignOn;
  reset: ResetService;
  stepUp: StepUp;
}

const originOf = (request: FastifyRequest): Origin => ({
  address: request.ip,
  userAgent: String(request.headers['user-agent'] ?? ''),
});
const hostOf = (request: FastifyRequest) => request.headers.host ?? '';

/** Cookie that binds a single sign-on to its browser. Over HTTPS the `__Host-` prefix keeps other hosts and plain HTTP from setting it. */
const cookieName = (isSecure: boolean) => (isSecure ? '__Host-sign_on' : 'sign_on');
const cookieOf = (request: FastifyRequest, isSecure: boolean): string | undefined =>
  new RegExp(`(?:^|; *)${cookieName(isSecure)}=([\\w-]{43})(?:;|$)`).exec(request.headers.cookie ?? '')?.[1];
const setCookie = (reply: FastifyReply, value: string | undefined, isSecure: boolean) =>
  reply.header(
    'set-cookie',
    `${cookieName(isSecure)}=${value ?? ''}; Path=/; Max-Age=${value ? 600 : 0}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
  );

function redirect(reply: FastifyReply, { location, cookie, isSecure }: Redirect): void {
  setCookie(reply, cookie, isSecure).redirect(location, 302);
}

/** One-time code of single sign-on; a stored token contains dots. */
const oneTimeCode = /^[\w-]{43}$/;

export function authRoutes(serving: Serving, { auth, secondFactor, singleSignOn, reset, stepUp }: AuthServices): void {
  serve(serving, authApi.authenticate, ({ body, request }) => auth.authenticate(body, originOf(request), hostOf(request)));
  serve(serving, authApi.completeMfa, ({ body, request }) => secondFactor.complete(body, originOf(request)));
  serve(serving, authApi.accessToken, async ({ body: { accessToken }, request, reply }) => {
    if (!oneTimeCode.test(accessToken)) return auth.renew(accessToken);
    const isSecure = await singleSignOn.isSecureAt(hostOf(request));
    const browser = cookieOf(request, isSecure);
    const signedIn = await singleSignOn.exchange(accessToken, browser, originOf(request));
    setCookie(reply, undefined, isSecure);
    return signedIn;
  });
  serve(serving, authApi.stepUp, ({ actor, body }) => stepUp.confirm(actor, body));
  serve(serving, authApi.stepUpSingleSignOn, async ({ actor, request, reply }) => {
    const { location, cookie, isSecure } = await singleSignOn.startStepUp(hostOf(request), actor);
    setCookie(reply, cookie, isSecure);
    return { url: location };
  });
  serve(serving, authApi.logout, async ({ actor }) => {
    await auth.logout(actor);
    return {};
  });
  serve(serving, authApi.updateUserData, ({ actor, body }) => auth.updateUserData(actor, body.user.data));
  serve(serving, authApi.customerSuccess, async ({ actor, query }) => auth.customerSuccess(actor, query.link));

  serve(serving, authApi.singleSignOn, async ({ query, request, reply }) =>
    redirect(reply, await singleSignOn.start(hostOf(request), query.redirect_url, originOf(request))),
  );
  serve(serving, authApi.singleSignOnCallback, async ({ query, request, reply }) => {
    const search = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : '';
    const browser = (isSecure: boolean) => cookieOf(request, isSecure);
    redirect(reply, await singleSignOn.finish(hostOf(request), search, query.state, browser, originOf(request)));
  });

  serve(serving, authApi.forgotPassword, ({ params, request }) => reset.forgot(params.resetEmail, originOf(request)));
  serve(serving, authApi.resetForm, ({ params }) => reset.form(params.token));
  serve(serving, authApi.resetPassword, async ({ body, request }) => {
    await reset.reset(body.formData.token, body.newPassword, originOf(request));
    return {};
  });
  if (reset.allowsRegistration)
    serve(serving, authApi.register, ({ body, request }) => reset.register(body, hostOf(request), originOf(request)));
  // Accepts any body: the refusal explains itself.
  else
    serve(serving, { ...authApi.register, body: nothing }, async () => {
      throw problem.forbidden('Accounts of this portal are by invitation. Ask your contact for one.');
    });
}
