import { allDevices } from '@parapet/world/fleet.ts';
import { organisations } from '@parapet/world/organisations.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { movableClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { createAdvisoriesService } from '../vulnerabilities/advisories.service.ts';
import { createMatchingService } from '../vulnerabilities/matching.service.ts';
import { createVulnerabilitiesService } from '../vulnerabilities/vulnerabilities.service.ts';
import { insertVulnerabilities } from './demo.vulnerabilities.ts';
import { weaknesses } from './demo.weaknesses.ts';

test('includes open and fixed findings, timely and late, with and without known exploitation', async () => {
  const t = await testApp();
  try {
    for (const { id, name, kind } of organisations) await t.organisation({ id, name, isPartner: kind !== 'client' });
    const devices = allDevices.map(({ organisationId, name, type }) => ({
      organisation_id: organisationId,
      name,
      device_type: type,
    }));
    await scoped(t.db, 'system', (tx) =>
      tx
        .insertInto('devices')
        .values(devices as never)
        .execute(),
    );
    const now = Date.now();
    const clock = movableClock(now);
    const service = createVulnerabilitiesService({
      db: t.db,
      clock,
      advisories: createAdvisoriesService({ db: t.db, clock }),
      matching: createMatchingService({ db: t.db, clock, log: silentLog }),
      isLoaded: () => true,
      alertRetentionMonths: 12,
    });
    const imports: unknown[] = [];
    const parts = {
      db: t.db,
      clock,
      scanOwn: service.scanOwn,
      importOwn: async (...input: Parameters<typeof service.advisories.importOwn>) =>
        imports.push(await service.advisories.importOwn(...input)),
    };
    const started = performance.now();
    await insertVulnerabilities(parts, now, 1);
    expect(performance.now() - started).toBeLessThan(30_000);
    expect(imports).toMatchObject([
      { imported: weaknesses.length, skippedCount: 0 },
      { imported: weaknesses.length, skippedCount: 0 },
      { imported: weaknesses.filter(([, , , , exploited]) => exploited !== '').length, skippedCount: 0 },
    ]);
    const { rows } = await scoped(t.db, 'system', (tx) =>
      sql<Record<string, number>>`
        select count(*) filter (where fixed_at is null)::integer as open, count(*) filter (where fixed_at is not null)::integer as fixed,
          count(*) filter (where fixed_at is null and k.cve is not null)::integer as exploited, count(distinct f.cve)::integer as cves,
          count(distinct organisation_id)::integer as clients, count(*) filter (where f.cvss is null)::integer as unscored,
          max(priority)::integer as most, min(priority)::integer as least
        from findings f left join known_exploited k on k.cve = f.cve`.execute(tx),
    );
    expect(rows[0]!.open).toBeGreaterThan(30);
    expect(rows[0]!.fixed).toBeGreaterThan(30);
    expect(rows[0]!.exploited).toBeGreaterThan(3);
    expect(rows[0]!.cves).toBeGreaterThan(30);
    expect(rows[0]!.clients).toBeGreaterThan(3);
    expect(rows[0]!.unscored).toBe(0);
    expect(rows[0]!.most).toBeGreaterThan(80);
    expect(rows[0]!.least).toBeLessThan(35);
    // Scores are computed from the vectors in the table.
    const scores = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('advisories').select(['id', 'cvss']).orderBy('id').execute(),
    );
    const wanted = weaknesses.map(([cve, , score]) => ({ id: cve, cvss: score })).sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(scores).toEqual(wanted);
  } finally {
    await t.close();
  }
});
