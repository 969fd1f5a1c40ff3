import { authApi } from '@parapet/contract/auth.ts';
import type { FastifyRequest } from 'fastify';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { AuthService, Origin } from './auth.service.ts';

const originOf = (request: FastifyRequest): Origin => ({
  address: request.ip,
  userAgent: String(request.headers['user-agent'] ?? ''),
});

export function authRoutes(serving: Serving, auth: AuthService): void {
  serve(serving, authApi.authenticate, ({ body, request }) => auth.authenticate(body, originOf(request)));
  serve(serving, authApi.accessToken, ({ body }) => auth.renew(body.accessToken));
  serve(serving, authApi.logout, async ({ actor }) => {
    await auth.logout(actor);
    return {};
  });
}
