import { createAfterwards } from '../../core/afterwards.ts';
import type { Feature, Platform } from '../../core/feature.ts';
import type { Identify } from '../../core/http/serve.ts';
import { openOutbound } from '../../core/outbound.ts';
import type { PasswordCheck } from '../../domain/passwordCheck.ts';
import { createAddressThrottle } from '../../domain/throttle.ts';
import type { AlarmsService } from '../alarms/alarms.service.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { authRoutes } from './auth.routes.ts';
import { createAuthService } from './auth.service.ts';
import { createIdentify } from './identity.ts';
import { createIssuers } from './issuers.ts';
import { type AuthLinks, createAuthLinks } from './links.service.ts';
import { createSecondFactor } from './mfa.service.ts';
import { removeSecondFactor } from './mfa.store.ts';
import { ownFactorRoutes } from './ownFactor.routes.ts';
import { createOwnFactorService } from './ownFactor.service.ts';
import { createResetService } from './reset.service.ts';
import { createSessions } from './sessions.ts';
import { createSingleSignOn } from './sso.service.ts';
import { createStepUp } from './stepUp.service.ts';
import { createTokens } from './tokens.ts';

// For the composition of the application; other features receive them as arguments.
export { findActorOfUser } from './auth.store.ts';
export { sealerOf } from './mfa.service.ts';
export { findAdministrators } from './reset.store.ts';
export { idleMinutes } from './sessions.ts';

export interface AuthDeps extends Platform {
  brand: BrandService;
  outbox: OutboxService;
  alarms: Pick<AlarmsService, 'wrongPassword'>;
  checkPassword: PasswordCheck;
  /** Signed path of a profile picture; empty when there is none. */
  pictureUrl: (userId: number, version: string | null) => string;
}

export interface Auth {
  identify: Identify;
  links: AuthLinks;
  removeSecondFactor: typeof removeSecondFactor;
}

export async function registerAuth(deps: AuthDeps): Promise<Feature<Auth>> {
  const { db, keys, clock, config, brand, outbox, alarms, log } = deps;
  const { allowsRegistration, allowsInsecureIssuers: allowsInsecure } = config;
  const tokens = createTokens(await keys.shared('access tokens'));
  const throttle = createAddressThrottle(clock);
  const outbound = openOutbound({ allowsInsecure, proxy: config.egressProxy });
  const afterwards = createAfterwards(db, log);
  const links = createAuthLinks({
    outbox,
    clock,
    partnerOf: brand.partnerOf,
    originOf: async (tx, organisationId) => (await brand.ofMails(tx, organisationId)).origin,
  });
  const sessions = createSessions({
    ...deps,
    tokens,
    partnerOf: brand.partnerOf,
    maxSessions: config.maxSessionsPerUser,
  });
  const secondFactor = createSecondFactor({ ...deps, sessions });
  const singleSignOn = createSingleSignOn({
    ...deps,
    issuers: createIssuers({ outbound, clock, allowsInsecure }),
    sessions,
    throttle,
    own: config.singleSignOn,
    acrValues: config.secondFactorAcrValues,
  });
  const reset = createResetService({ ...deps, links, throttle, allowsRegistration, afterwards });
  const auth = createAuthService({
    ...deps,
    tokens,
    sessions,
    secondFactor,
    throttle,
    customerSuccessUrl: config.customerSuccessUrl,
    onWrongPassword: alarms.wrongPassword,
    afterwards,
  });
  const stepUp = createStepUp({ ...deps, secondFactor, throttle });
  const ownFactor = createOwnFactorService({ ...deps, secondFactor });
  return {
    service: { identify: createIdentify({ db, tokens, clock }), links, removeSecondFactor },
    routes(serving) {
      authRoutes(serving, { auth, secondFactor, singleSignOn, reset, stepUp });
      ownFactorRoutes(serving, ownFactor, secondFactor);
    },
    jobs: [{ name: 'signIns.sweep', cron: '25 * * * *', run: auth.sweep }],
    closers: [() => outbound.close(), () => afterwards.close()],
  };
}
