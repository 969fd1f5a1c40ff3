/** Dependencies and scope of packs. */
import { providerId } from '@parapet/contract/access.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { rulePacksApi } from '@parapet/contract/rulePacks.ts';
import type { z } from 'zod';
import type { Blobs } from '../../core/blobs.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import type { Scope } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import type { SigningKey } from '../../core/keys/signing.ts';
import type { Detector } from '../../pipeline/detector.ts';

export interface PacksDeps {
  db: Database;
  clock: Clock;
  blobs: Blobs;
  detector: Detector;
  signingKey: () => Promise<SigningKey>;
}

export type Body<K extends keyof typeof rulePacksApi> = z.output<(typeof rulePacksApi)[K]['body']>;

/** Scope of the provider’s packs; refuses others. */
export const ownScope = (actor: Actor): Scope => {
  if (!actor.organisationIds.includes(providerId)) throw problem.forbidden('Rule packs are managed by the provider.');
  return scopeFor(actor, providerId);
};
