/** The isolation probe over the portal of the access fixture. */
import type { FeatureDeps } from '../src/application.features.ts';
import { openStage } from '../src/application.isolation.ts';
import { openPlatform } from '../src/application.ts';
import { readConfig } from '../src/core/config.ts';
import type { Close } from '../src/core/feature.ts';
import { silentLog } from '../src/core/log.ts';
import { findActorOfUser } from '../src/features/auth/auth.store.ts';
import type { ProbeDeps } from '../src/features/isolation/isolation.probe.ts';
import { readBuiltIn } from '../src/pipeline/detector.ts';
import { accessFixture, places, type World } from './access.fixture.ts';
import { secretKey } from './keys.ts';

export interface ProbedPortal {
  world: World;
  platform: FeatureDeps;
  close(): Promise<void>;
}

export async function probedPortal(): Promise<ProbedPortal> {
  const closers: Close[] = [];
  const world = await accessFixture();
  const { ownerUrl } = world.t.database;
  const config = readConfig({ DATABASE_URL: ownerUrl, PORTAL_DEMO: '0', PORTAL_ROLES: 'api', SECRET_KEY: secretKey });
  const platform = await openPlatform({
    config,
    log: silentLog,
    closers,
    ownerUrl: Promise.resolve(ownerUrl),
    builtIn: readBuiltIn(config.rulesDir),
    isReplaying: () => false,
    version: async () => 'dev',
  });
  const close = async () => {
    for (const close of closers.reverse()) await close();
    await world.t.close();
  };
  return { world, platform, close };
}

export const actorOf: ProbeDeps['actorOf'] = (tx, userId) => findActorOfUser(tx, userId, undefined);

/** A partner’s people see a foreign client. */
export const tooWide: ProbeDeps['actorOf'] = async (tx, userId) => {
  const actor = await actorOf(tx, userId);
  return actor?.organisationId === places.partner
    ? { ...actor, organisationIds: [...actor.organisationIds, places.foreignClient] }
    : actor;
};

export const probeDeps = (platform: FeatureDeps, more: Partial<ProbeDeps> = {}): ProbeDeps => ({
  db: platform.db,
  open: openStage(platform),
  actorOf,
  now: () => Date.now(),
  restShare: 0,
  ...more,
});
