/** The isolation service over all pairs of organisations: minutes, left to `npm run soak`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStage } from '../src/application.isolation.ts';
import { readScoped, scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import type { ProbeDeps } from '../src/features/isolation/isolation.probe.ts';
import { createIsolationService } from '../src/features/isolation/isolation.service.ts';
import { requireProvidersHost } from '../src/features/organisations/organisations.rules.ts';
import { places, type World } from './access.fixture.ts';
import { actorOf, type ProbedPortal, probedPortal, tooWide } from './isolation.fixture.ts';

let portal: ProbedPortal;
let world: World;
let platform: ProbedPortal['platform'];
beforeAll(async () => {
  portal = await probedPortal();
  ({ world, platform } = portal);
}, 60_000);
afterAll(() => portal.close());

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
    await expect(isolation.get(partner, places.foreignClient)).rejects.toThrow('don’t have access to');
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
