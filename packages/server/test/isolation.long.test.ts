/** The isolation probe against the whole portal: it has nothing foreign, finds what is planted, and leaves nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tryIsolation } from '../src/features/isolation/isolation.probe.ts';
import { places } from './access.fixture.ts';
import { runAs } from './database.ts';
import { type ProbedPortal, probeDeps, probedPortal, tooWide } from './isolation.fixture.ts';

let portal: ProbedPortal;
beforeAll(async () => {
  portal = await probedPortal();
}, 60_000);
afterAll(() => portal.close());

/** Rows of each table. */
async function rowsOf(): Promise<string[]> {
  const run = async (text: string) => (await runAs(portal.world.t.database.ownerUrl, text))[0]?.rows as Record<string, unknown>[];
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
      const { findings, failed, attempts, refused, seenByOwner } = await tryIsolation(probeDeps(portal.platform), actor, targets);
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
    const { findings } = await tryIsolation(probeDeps(portal.platform, { actorOf: tooWide }), places.partner, [
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
