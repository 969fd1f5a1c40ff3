import { casesApi } from '@parapet/contract/cases.ts';
import { dayMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTestApp } from '../../../test/app.ts';
import { correlationFixture } from '../../../test/correlation.fixture.ts';
import { type SeedRule, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { moveAlertManually } from './correlation.manual.ts';
import { createCorrelationService } from './correlation.service.ts';

const t = useTestApp();
let correlation: ReturnType<typeof createCorrelationService>;
let { raised, casesOf, update } = {} as ReturnType<typeof correlationFixture>;
let severe: SeedRule;
let medium: SeedRule;
const start = Date.now() - 10 * dayMs;

beforeAll(async () => {
  ({ raised, casesOf, update } = correlationFixture(t));
  correlation = createCorrelationService({ db: t.db, log: silentLog });
  severe = await seedRule(t.db, { title: 'Ransomware behaviour', criticality: 4 }, { tactics: ['impact'] });
  medium = await seedRule(t.db, { title: 'Odd program', criticality: 3 }, { tactics: ['execution'] });
});

describe('cases that become one', () => {
  /** Two cases by two devices, and an alert of the second device that names the first as where it came from. */
  async function twoCases(work: (client: number, ids: number[]) => Promise<unknown> = async () => {}) {
    const client = await t.organisation();
    await raised(client, [
      { at: start, rule: severe, device: 'WS-1', user: null, document: { process: { executable: 'a.exe' } } },
      { at: start + minuteMs, rule: severe, device: 'FS-1', user: null, document: { process: { executable: 'b.exe' } } },
      { at: start + minuteMs, rule: medium, device: 'FS-1', user: null },
    ]);
    await correlation.run(client);
    const [first, second] = (await casesOf(client)).map(({ id }) => id) as [number, number];
    await work(client, [first, second]);
    await raised(client, [
      {
        at: start + 5 * minuteMs,
        rule: severe,
        device: 'FS-1.corp.example',
        user: null,
        document: { source: { domain: 'WS-1' } },
      },
    ]);
    await scoped(t.db, 'system', (tx) =>
      tx
        .insertInto('identity_rules')
        .values({ organisation_id: client, kind: 'suffix', name: 'corp.example', origin: 'manual', reason: 'x' })
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    );
    await correlation.run(client);
    return { client, first, second };
  }
  const historyOf = (id: number) =>
    scoped(t.db, 'system', (tx) =>
      tx.selectFrom('case_history').select('text').where('case_id', '=', id).orderBy('id').execute(),
    );
  const fatesOf = (client: number) =>
    scoped(t.db, 'system', (tx) =>
      sql<{
        fate: string;
        n: string;
      }>`select fate, sum(count) as n from alert_fates where organisation_id = ${client} group by 1`.execute(tx),
    );

  test('keep the earlier one with all alerts, figures and artifacts, and its history names the other', async () => {
    const { client, first, second } = await twoCases();
    expect(await casesOf(client)).toMatchObject([
      { id: first, alert_count: 4, device_names: ['WS-1', 'FS-1', 'FS-1.corp.example'] },
    ]);
    expect((await historyOf(first)).map(({ text }) => text)).toContainEqual(
      expect.stringContaining(`Case ${second} became part of`),
    );
    const artifacts = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('case_artifacts').select('value').where('case_id', '=', first).where('kind', '=', 'process').execute(),
    );
    expect(artifacts.map(({ value }) => value).sort()).toEqual(['a.exe', 'b.exe']);
    expect((await fatesOf(client)).rows.find(({ fate }) => fate === 'inCase')).toMatchObject({ n: '4' });
  });

  test('take later alerts of either, over several steps, and of their own once separated', async () => {
    const { client, first, second } = await twoCases();
    const later = { rule: medium, user: null, device: 'FS-1' };
    await raised(client, [{ at: start + 6 * minuteMs, ...later }]);
    await correlation.run(client);
    expect(await casesOf(client)).toMatchObject([{ id: first, alert_count: 5 }]);
    // An older case takes the one that took the other.
    await raised(client, [{ at: start - 5 * minuteMs, rule: severe, device: 'DC-1', user: null }]);
    await correlation.run(client);
    const third = (await casesOf(client)).find(({ id }) => id !== first)!.id;
    await raised(client, [
      { at: start + 7 * minuteMs, rule: severe, device: 'WS-1', user: null, document: { source: { domain: 'DC-1' } } },
    ]);
    await correlation.run(client);
    expect(await casesOf(client)).toMatchObject([{ id: third, alert_count: 7 }]);
    await raised(client, [{ at: start + 8 * minuteMs, ...later }]);
    await correlation.run(client);
    expect(await casesOf(client)).toMatchObject([{ id: third, alert_count: 8 }]);
    await expect(correlation.separate(client, second, { by: 'Ana Ruiz', now: new Date() })).rejects.toThrow();
    await correlation.separate(client, first, { by: 'Ana Ruiz', now: new Date() });
    await raised(client, [{ at: start + 6.2 * minuteMs, ...later }]);
    await correlation.run(client);
    expect((await casesOf(client)).find(({ id }) => id === first)).toMatchObject({ alert_count: 6 });
  });

  test('name the other case to readers of the client only', async () => {
    const { client, first, second } = await twoCases();
    const reader = await t.user({ organisationId: client, role: 'Analyst' });
    const stranger = await t.user({ organisationId: await t.organisation(), role: 'Analyst' });
    const list = (user: typeof reader) =>
      t.call(casesApi.detail, { params: { id: second, clientOrgId: user.organisationId } }, user);
    const answer = await list(reader);
    expect([answer.statusCode, answer.json().error]).toEqual([
      404,
      `Case ${second} became part of case ${first}. Open case ${first}.`,
    ]);
    expect((await list(stranger)).json().error).toBe(`Couldn’t find case ${second}, or you don’t have access to it.`);
  });

  test('stay separate once a person has separated them', async () => {
    const { client, first, second } = await twoCases();
    await correlation.separate(client, second, { by: 'Ana Ruiz', now: new Date() });
    expect(await casesOf(client)).toMatchObject([
      { id: first, alert_count: 2 },
      { id: second, alert_count: 2 },
    ]);
    expect((await historyOf(second)).map(({ text }) => text)).toEqual([
      expect.stringContaining('Opened with 2 alerts'),
      `Separated from case ${first} by Ana Ruiz.`,
    ]);
    expect((await fatesOf(client)).rows.find(({ fate }) => fate === 'inCase')).toMatchObject({ n: '4' });
    await raised(client, [
      { at: start + 9 * minuteMs, rule: severe, device: 'FS-1', user: null, document: { source: { domain: 'WS-1' } } },
    ]);
    await correlation.run(client);
    expect(await casesOf(client)).toHaveLength(2);
  });

  test('stay two where both are being worked on, and name each other once', async () => {
    const { client, first, second } = await twoCases(async (_client, ids) => {
      for (const id of ids) await update(id, { status: 'investigating', acknowledged_at: new Date() });
    });
    expect(await casesOf(client)).toMatchObject([{ id: first }, { id: second }]);
    await raised(client, [
      { at: start + 9 * minuteMs, rule: severe, device: 'FS-1', user: null, document: { source: { domain: 'WS-1' } } },
    ]);
    await correlation.run(client);
    for (const [id, other] of [
      [first, second],
      [second, first],
    ] as const)
      expect((await historyOf(id)).filter(({ text }) => text.startsWith(`Related to case ${other}`))).toHaveLength(1);
  });

  test('take an alert that a person moves under the name that stands for its device', async () => {
    const { client, first } = await twoCases();
    await raised(client, [{ at: start + 9 * minuteMs, rule: medium, device: 'DB-1.corp.example', user: null }]);
    await correlation.run(client);
    const parties = await scoped(t.db, { organisationIds: [client] }, async (tx) => {
      const alert = await tx
        .selectFrom('alerts')
        .select(['id', 'at'])
        .where('device_name', '=', 'DB-1.corp.example')
        .executeTakeFirstOrThrow();
      const placed = { ...alert, ruleId: medium.id, criticality: 3 };
      await moveAlertManually(tx, client, placed, { from: undefined, to: first! }, new Date());
      return sql<{ party: string }>`select party from alert_entities where alert_id = ${alert.id}`.execute(tx);
    });
    expect(parties.rows).toEqual([{ party: 'db-1' }]);
  });

  test('leave a closed one as it is', async () => {
    const { client, second } = await twoCases(async (_client, [id]) => update(id!, { status: 'closed', closed_at: new Date() }));
    expect((await casesOf(client)).map(({ alert_count }) => alert_count)).toEqual([1, 3]);
    expect((await casesOf(client))[1]).toMatchObject({ id: second });
  });

  test('keeps foreign organisations out of merges, rules and sightings', async () => {
    const { client, first } = await twoCases();
    const [other] = [await t.organisation()];
    await expect(
      scoped(t.db, { organisationIds: [other] }, (tx) =>
        sql`select absorb_case(${client}, ${first}, ${first + 1}, 1, '', now())`.execute(tx),
      ),
    ).rejects.toThrow('the organisation is not in scope');
    for (const table of ['case_merges', 'identity_rules', 'entity_parties'] as const) {
      const rows = (organisationId: number) =>
        scoped(t.db, { organisationIds: [organisationId] }, (tx) => sql`select from ${sql.table(table)}`.execute(tx));
      expect((await rows(other)).rows).toHaveLength(0);
      expect((await rows(client)).rows.length).toBeGreaterThan(0);
    }
    await expect(correlation.separate(other, first + 1, { by: 'x', now: new Date() })).rejects.toThrow();
  });
});

describe('identity rules of a client', () => {
  test('join notations of one person, and undo it when switched off', async () => {
    const client = await t.organisation();
    await raised(client, [
      { at: start, rule: severe, device: 'WS-1', user: 'CORP\\ana' },
      { at: start + minuteMs, rule: severe, device: 'WS-2', user: 'ana@corp.example' },
      { at: start + 2 * minuteMs, rule: medium, device: 'WS-2', user: null },
      { at: start + 3 * minuteMs, rule: severe, device: 'WS-1', user: 'CORP\\bo' },
    ]);
    await correlation.run(client);
    const [record, ...none] = await casesOf(client);
    expect(none).toEqual([]);
    expect(record).toMatchObject({ alert_count: 4 });
    const rules = await correlation.listIdentityRules(client);
    expect(rules.map(({ kind, name, sameAs }) => [kind, name, sameAs])).toEqual([
      ['bare', '', ''],
      ['sid', '', ''],
      ['domain', 'corp', 'corp.example'],
    ]);
    const change = { kind: 'domain' as const, name: 'corp', reason: 'two companies', by: 'Ana Ruiz', now: new Date() };
    await correlation.changeIdentityRule(client, { ...change, isActive: false });
    expect(await casesOf(client)).toMatchObject([
      { id: record!.id, alert_count: 2, device_names: ['WS-1'] },
      { alert_count: 2, device_names: ['WS-2'] },
    ]);
    const { rows } = await scoped(t.db, 'system', (tx) =>
      sql`select sum(count)::integer as n from alert_fates where organisation_id = ${client} and fate = 'inCase'`.execute(tx),
    );
    expect(rows).toEqual([{ n: 4 }]);
    const history = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('case_history').select('text').where('case_id', '=', record!.id).execute(),
    );
    expect(history.map(({ text }) => text)).toContain(
      'Correlated again, as Ana Ruiz switched an identity rule off: domain corp = corp.example.',
    );
    // Learning never switches a rule on again, nor makes it the other way round.
    await raised(client, [{ at: start + 9 * minuteMs, rule: medium, device: 'WS-3', user: 'eve@corp.example' }]);
    await correlation.run(client);
    expect((await correlation.listIdentityRules(client)).filter(({ kind }) => kind === 'domain')).toMatchObject([
      { isActive: false },
    ]);
  });

  test('leave closed cases as they are', async () => {
    const client = await t.organisation();
    await raised(client, [
      { at: start, rule: severe, device: 'WS-1', user: 'CORP\\ana' },
      { at: start + minuteMs, rule: severe, device: 'WS-2', user: 'ana@corp.example' },
    ]);
    await correlation.run(client);
    const [record] = await casesOf(client);
    await update(record!.id, { status: 'closed', closed_at: new Date() });
    const change = { kind: 'domain' as const, name: 'corp', reason: 'x', by: 'x', now: new Date() };
    await correlation.changeIdentityRule(client, { ...change, isActive: false });
    expect(await casesOf(client)).toMatchObject([{ id: record!.id, alert_count: 2 }]);
  });

  test('apply to one client only', async () => {
    const [one, other] = [await t.organisation(), await t.organisation()];
    const change = { reason: 'the same person', by: 'x', now: new Date(), isActive: true };
    await correlation.changeIdentityRule(one, { ...change, kind: 'account', name: 'adm-ana@corp', sameAs: 'ana@corp' });
    const alerts = [
      { at: start, rule: severe, device: 'WS-1', user: 'CORP\\ana' },
      { at: start + minuteMs, rule: severe, device: 'WS-2', user: 'CORP\\adm-ana' },
    ];
    for (const client of [one, other]) {
      await raised(client, alerts);
      await correlation.run(client);
    }
    expect([(await casesOf(one)).length, (await casesOf(other)).length]).toEqual([1, 2]);
    await expect(
      correlation.changeIdentityRule(other, { ...change, kind: 'account', name: 'adm-ana@corp', isActive: false }),
    ).rejects.toThrow('identity rule');
  });
});
