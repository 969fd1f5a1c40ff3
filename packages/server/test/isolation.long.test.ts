/** The isolation probe against the whole portal: it has nothing foreign, finds what is planted, and leaves nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FeatureDeps } from '../src/application.features.ts';
import { openStage } from '../src/application.isolation.ts';
import { openPlatform } from '../src/application.ts';
import { readConfig } from '../src/core/config.ts';
import { readScoped, scoped } from '../src/core/db/scope.ts';
import type { Close } from '../src/core/feature.ts';
import { silentLog } from '../src/core/log.ts';
import { findActorOfUser } from '../src/features/auth/auth.store.ts';
import { type ProbeDeps, tryIsolation } from '../src/features/isolation/isolation.probe.ts';
import { createIsolationService } from '../src/features/isolation/isolation.service.ts';
import { requireProvidersHost } from '../src/features/organisations/organisations.rules.ts';
import { readBuiltIn } from '../src/pipeline/detector.ts';
import { accessFixture, places, type World } from './access.fixture.ts';
import { runAs } from './database.ts';
import { secretKey } from './keys.ts';

let world: World;
let platform: FeatureDeps;
const closers: Close[] = [];
beforeAll(async () => {
  world = await accessFixture();
  const { ownerUrl } = world.t.database;
  const config = readConfig({ DATABASE_URL: ownerUrl, PORTAL_DEMO: '0', PORTAL_ROLES: 'api', SECRET_KEY: secretKey });
  platform = await openPlatform({
    config,
    log: silentLog,
    closers,
    ownerUrl: Promise.resolve(ownerUrl),
    builtIn: readBuiltIn(config.rulesDir),
    isReplaying: () => false,
    version: async () => 'dev',
  });
}, 60_000);
afterAll(async () => {
  for (const close of closers.reverse()) await close();
  await world.t.close();
});

const actorOf: ProbeDeps['actorOf'] = (tx, userId) => findActorOfUser(tx, userId, undefined);
const deps = (more: Partial<ProbeDeps> = {}): ProbeDeps => ({
  db: platform.db,
  open: openStage(platform),
  actorOf,
  now: () => Date.now(),
  restShare: 0,
  ...more,
});

/** A partner's people see a foreign client. */
const tooWide: ProbeDeps['actorOf'] = async (tx, userId) => {
  const actor = await actorOf(tx, userId);
  return actor?.organisationId === places.partner
    ? { ...actor, organisationIds: [...actor.organisationIds, places.foreignClient] }
    : actor;
};

/** Rows of each table. */
async function rowsOf(): Promise<string[]> {
  const run = async (text: string) => (await runAs(world.t.database.ownerUrl, text))[0]?.rows as Record<string, unknown>[];
  const tables = await run(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  const counts = await run(
    tables.map(({ name }) => `select '${name}' as name, count(*) as n from public."${name}"`).join(' union all '),
  );
  return counts.map(({ name, n }) => `${name} ${n}`).sort();
}

describe('an administrator of another organisation', () => {
  test.each([
    ['a client', places.client, [places.sibling, places.partner, places.foreignClient]],
    ['a partner', places.partner, [places.otherPartner, places.foreignClient]],
  ])(
    'gets nothing as %s, and leaves nothing',
    async (_who, actor, targets) => {
      const before = await rowsOf();
      const { findings, failed, attempts, refused, seenByOwner } = await tryIsolation(deps(), actor, targets);
      expect({ findings, failed }).toEqual({ findings: [], failed: [] });
      for (const target of targets) {
        expect(attempts.get(target)).toBeGreaterThan(250);
        expect(refused.get(target)).toBeGreaterThan(90);
      }
      expect(seenByOwner.length).toBeGreaterThan(40);
      expect(seenByOwner).toEqual(
        expect.arrayContaining(['alerts.live', 'events.live', 'sapphire.chat', 'search.find', 'reports.csv']),
      );
      expect(await rowsOf()).toEqual(before);
    },
    120_000,
  );

  test('finds a scope that is too wide', async () => {
    const { findings } = await tryIsolation(deps({ actorOf: tooWide }), places.partner, [
      places.foreignClient,
      places.otherPartner,
    ]);
    expect(new Set(findings.map(({ organisationId }) => organisationId))).toContain(places.foreignClient);
    const operations = (how: string) =>
      new Set(findings.filter((finding) => finding.how === how).map(({ operation }) => operation));
    expect([...operations('answered')]).toEqual(
      expect.arrayContaining(['alerts.list', 'cases.detail', 'devices.get', 'reports.csv']),
    );
    expect([...operations('content')]).toEqual(
      expect.arrayContaining(['alerts.list', 'alerts.live', 'search.find', 'sapphire.chat']),
    );
    // Figures without a word of the objects.
    expect([...operations('changed')]).toEqual(expect.arrayContaining(['cases.filters', 'vulnerabilities.clients']));
  }, 120_000);
});

describe('the service', () => {
  const service = (more: Partial<ProbeDeps> = {}) => {
    const { db, clock, url } = platform;
    return createIsolationService({
      db,
      url,
      clock,
      log: silentLog,
      requireProvidersHost,
      open: openStage(platform, 50),
      actorOf,
      restShare: 0,
      ...more,
    });
  };
  const actorOfUser = async ({ id }: { id: number }) => ({
    ...(await readScoped(platform.db, 'system', (tx) => actorOf(tx, id)))!,
    address: '127.0.0.1',
  });

  const deactivate = (...ids: number[]) =>
    scoped(platform.db, 'system', (tx) =>
      tx.updateTable('organisations').set({ deactivated_at: new Date() }).where('id', 'in', ids).execute(),
    );

  test('tries all pairs when the Host asks, once, and shows a client and a partner their own sums', async () => {
    const { host, clientAdmin, partnerAdmin } = world.users;
    await deactivate(places.sibling, places.providerClient);
    const isolation = service();
    expect(await isolation.get(await actorOfUser(clientAdmin), places.client)).toMatchObject({
      triedAt: null,
      attempts: 0,
      isWhole: false,
      others: null,
    });
    await isolation.request(await actorOfUser(host));
    expect((await isolation.findings(await actorOfUser(host))).isRunning).toBe(true);
    await isolation.runRequested();
    expect(await isolation.findings(await actorOfUser(host))).toEqual({ results: [], total: 0, isRunning: false });
    const own = await isolation.get(await actorOfUser(clientAdmin), places.client);
    expect(own).toMatchObject({ found: 0, failed: 0, isWhole: true, organisations: null, others: null });
    expect(own.attempts).toBeGreaterThan(2 * 250);
    expect(own.refused).toBeGreaterThan(2 * 90);
    // The number of other organisations is the provider’s.
    expect(await isolation.get(await actorOfUser(host), places.client)).toMatchObject({
      isWhole: true,
      organisations: 2,
      others: 2,
    });
    const partner = await actorOfUser(partnerAdmin);
    expect((await isolation.get(partner, 0)).attempts).toBeGreaterThan(own.attempts);
    await expect(isolation.get(partner, places.foreignClient)).rejects.toThrow('outside what you may see');
    const before = Date.now();
    await isolation.runRequested();
    expect(Date.now() - before).toBeLessThan(1_000);
    expect(await isolation.get(await actorOfUser(clientAdmin), places.client)).toEqual(own);
    await expect(isolation.findings(partner)).rejects.toThrow('Only the provider’s Host');
    await expect(isolation.request(partner)).rejects.toThrow('Only the provider’s Host');
  }, 600_000);

  test('fails and names what was had when a scope is too wide', async () => {
    const { host } = world.users;
    await deactivate(places.client);
    const isolation = service({ actorOf: tooWide });
    await isolation.request(await actorOfUser(host));
    await expect(isolation.runRequested()).rejects.toThrow('received data in');
    const { results, isRunning } = await isolation.findings(await actorOfUser(host));
    expect(isRunning).toBe(false);
    expect(results).toContainEqual(
      expect.objectContaining({
        clientOrganizationID: places.foreignClient,
        actorOrganizationName: 'partner',
        operation: 'alerts.list',
        how: 'content',
      }),
    );
    expect(new Set(results.map(({ actorOrganizationName }) => actorOrganizationName))).toEqual(new Set(['partner']));
  }, 600_000);
});
