import { secondFactorApi } from '@parapet/contract/secondFactor.ts';
import type { FastifyRequest } from 'fastify';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { SecondFactor } from './mfa.service.ts';
import type { OwnFactorService } from './ownFactor.service.ts';

const hostOf = (request: FastifyRequest) => request.headers.host ?? '';

export function ownFactorRoutes(serving: Serving, own: OwnFactorService, secondFactor: SecondFactor): void {
  serve(serving, secondFactorApi.get, ({ actor, request }) => own.get(actor, hostOf(request)));
  serve(serving, secondFactorApi.startAuthenticator, ({ actor }) => own.startAuthenticator(actor));
  serve(serving, secondFactorApi.confirmAuthenticator, ({ actor, body }) => own.confirmAuthenticator(actor, body));
  serve(serving, secondFactorApi.disable, async ({ actor }) => {
    await own.disable(actor);
    return {};
  });
  serve(serving, secondFactorApi.renewRecoveryCodes, ({ actor }) => own.renewRecoveryCodes(actor));
  serve(serving, secondFactorApi.startPasskey, ({ actor, request }) => own.startPasskey(actor, hostOf(request)));
  serve(serving, secondFactorApi.addPasskey, ({ actor, body }) => own.addPasskey(actor, body));
  serve(serving, secondFactorApi.removePasskey, async ({ actor, params }) => {
    await own.removePasskey(actor, params.id);
    return {};
  });
  serve(serving, secondFactorApi.requestPasskey, async ({ actor, request }) => ({
    request: await secondFactor.request(actor, hostOf(request)),
  }));
}
