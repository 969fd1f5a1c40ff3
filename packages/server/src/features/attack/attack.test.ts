import { alertsApi } from '@parapet/contract/alerts.ts';
import { attackApi } from '@parapet/contract/attack.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { allInForce, type TestUser, useTestApp } from '../../../test/app.ts';
import { type SeedRule, seedAlerts, seedMonths, seedRule } from '../../../test/seed.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { listFed } from '../../domain/logSources.ts';
import { createAttackService } from './attack.service.ts';

const now = Date.now();
const instant = (ago: number) => new Date(now - ago).toISOString();
const range = { start: instant(10 * dayMs), end: instant(0) };
const t = useTestApp();
let client: number;
let other: number;
let analyst: TestUser;
let guessing: SeedRule;

beforeAll(async () => {
  client = await t.organisation();
  other = await t.organisation();
  analyst = await t.user({ organisationId: client, role: 'Analyst' });
  guessing = await seedRule(t.db, { criticality: 4 }, { techniques: ['T1110.001', 'T1110.003'], tactics: ['credential-access'] });
  const scripts = await seedRule(t.db, { criticality: 2 }, { techniques: ['T1059'], tactics: ['execution'] });
  const none = await seedRule(t.db, {}, { techniques: [], tactics: [] });
  await seedMonths(t.db, now - 60 * dayMs, now);
  const at = (days: number, rule: SeedRule) => ({ at: now - days * dayMs - hourMs, rule });
  await seedAlerts(t.db, client, [at(1, guessing), at(2, guessing), at(12, guessing), at(3, scripts), at(3, none)]);
  await seedAlerts(t.db, other, [at(1, guessing)]);
});

const matrixOf = async (query = {}, user = analyst) =>
  attackApi.matrix.answer.parse((await t.call(attackApi.matrix, { params: { client, ...range }, query }, user)).json());
const cellsOf = (matrix: Awaited<ReturnType<typeof matrixOf>>, id: string) =>
  matrix.tactics
    .flatMap((tactic) => tactic.techniques.flatMap(({ subtechniques, ...technique }) => [technique, ...subtechniques]))
    .filter((cell) => cell.id === id);

describe('ATT&CK matrix', () => {
  test('contains all tactics and techniques in order, each rule once per cell', async () => {
    const matrix = await matrixOf();
    expect(matrix.tactics.map(({ name }) => name).slice(0, 3)).toEqual([
      'Reconnaissance',
      'Resource Development',
      'Initial Access',
    ]);
    expect(matrix.techniques).toBeGreaterThan(200);
    for (const id of ['T1110', 'T1110.001', 'T1110.003'])
      expect(cellsOf(matrix, id)).toMatchObject([{ count: 2, before: 0, criticality: 4, coverage: 'seen' }]);
    expect(cellsOf(matrix, 'T1059')[0]).toMatchObject({ count: 1, criticality: 2 });
    expect(matrix.tactics.find(({ name }) => name === 'Credential Access')!.count).toBe(2);
    expect(matrix).toMatchObject({ total: 3, untagged: 1 });
  });

  test('matches the alert list’s counts by technique', async () => {
    const listed = async (technique: string) =>
      (
        await t.call(
          alertsApi.list,
          { params: { client, ...range }, query: { severity: [], rule: [], category: [], status: [], technique: [technique] } },
          analyst,
        )
      ).json().total;
    expect([await listed('T1110'), await listed('T1110.001'), await listed('t1110.002'), await listed('T1059.001')]).toEqual([
      2, 2, 0, 0,
    ]);
    const { total, untagged } = await matrixOf();
    expect([await listed('any'), await listed('none')]).toEqual([total, untagged]);
  });

  test('compares with another timeframe given by both ends', async () => {
    const compared = await matrixOf({ compareStart: instant(20 * dayMs), compareEnd: range.start });
    expect(cellsOf(compared, 'T1110')[0]).toMatchObject({ count: 2, before: 1 });
    for (const query of [{ compareStart: range.start }, { compareStart: range.end, compareEnd: range.start }])
      expect((await t.call(attackApi.matrix, { params: { client, ...range }, query }, analyst)).statusCode).toBe(400);
  });

  test('marks rules without a live source as blind', async () => {
    const blind = await matrixOf();
    // A product rule on shell commands, without a source.
    expect(cellsOf(blind, 'T1059.004')[0]).toMatchObject({ count: 0, coverage: 'blind', liveRules: 0 });
    expect(blind.sources.find(({ logSource }) => logSource === 'linux / process_creation')).toMatchObject({
      isLive: false,
      devices: 0,
      lastEventAt: null,
    });
    await scoped(t.db, 'system', async (tx) => {
      const { rows } = await sql<{ id: string }>`insert into devices (organisation_id, name, device_type, last_event_at)
        values (${client}, 'srv-1', 'server', now()), (${client}, 'srv-2', 'server', now() - interval '9 days'), (${other}, 'srv-3', 'server', now())
        returning id`.execute(tx);
      await tx
        .insertInto('device_sources')
        .values(
          rows.map(({ id }, index) => ({
            organisation_id: index === 2 ? other : client,
            device_id: id,
            log_source: 'linux / process_creation',
            last_at: new Date(),
          })),
        )
        .execute();
    });
    const live = await matrixOf();
    expect(cellsOf(live, 'T1059.004')[0]).toMatchObject({ coverage: 'covered' });
    expect(live.covered).toBeGreaterThan(blind.covered);
    expect(live.sources[0]).toMatchObject({ logSource: 'linux / process_creation', isLive: true, devices: 1 });
  });

  test('shows the sources of a technique’s rules and the recording that proves it', async () => {
    const matrix = await matrixOf();
    const [shell] = cellsOf(matrix, 'T1059.004');
    expect(shell!.sources.map((position) => matrix.sources[position]!.logSource)).toContain('linux / process_creation');
    const [proved] = cellsOf(matrix, 'T1003.001');
    expect(proved!.recordings).toBeGreaterThan(0);
    expect(proved!.provedBy).toEqual(expect.any(String));
    const [parent] = cellsOf(matrix, 'T1003');
    expect(parent!.recordings).toBeGreaterThanOrEqual(proved!.recordings);
    const without = matrix.tactics.flatMap(({ techniques }) => techniques).find(({ rules }) => rules === 0);
    expect(without).toMatchObject({ provedBy: null, recordings: 0, sources: [] });
  });

  test('ignores rules that are no longer loaded', async () => {
    const service = createAttackService({ db: t.db, clock: systemClock, inForce: { ...allInForce, isInForce: () => false } });
    const actor = { organisationId: client, organisationIds: [client], role: 'Analyst', isPartner: false, userId: 1 };
    const matrix = await service.matrix(actor as never, { client, ...range }, {});
    expect(cellsOf(matrix, 'T1110')[0]).toMatchObject({ count: 2, rules: 0, coverage: 'seen' });
    expect([matrix.covered, matrix.sources]).toEqual([0, []]);
  });
});

test('exports a Navigator layer 4.5 with the same counts and audits it', async () => {
  const answer = await t.call(attackApi.navigator, { params: { client, ...range } }, analyst);
  expect(answer.headers['content-disposition']).toContain('attack-layer.json');
  const layer = answer.json();
  expect(layer).toMatchObject({ domain: 'enterprise-attack', versions: { layer: '4.5' } });
  expect(layer.techniques.find(({ techniqueID }: { techniqueID: string }) => techniqueID === 'T1110')).toMatchObject({
    score: 2,
  });
  const proved = await t.call(attackApi.navigator, { params: { client, ...range }, query: { layer: 'proved' } }, analyst);
  expect(proved.headers['content-disposition']).toContain('attack-layer-proved.json');
  const memory = proved.json().techniques.find(({ techniqueID }: { techniqueID: string }) => techniqueID === 'T1003.001');
  expect(memory.score).toBeGreaterThan(0);
  expect(memory.comment).toContain('Proved by recording: ');
  const rows = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('audit').select('organisation_id').where('action', '=', 'attack.exported').execute(),
  );
  expect(rows).toEqual([{ organisation_id: client }, { organisation_id: client }]);
});

test('counts each alert once per control, with its techniques', async () => {
  const { results } = attackApi.controls.answer.parse(
    (await t.call(attackApi.controls, { params: { client, ...range } }, analyst)).json(),
  );
  const lockout = results.find(({ nistControlID }) => nistControlID === 'AC-7')!;
  expect(lockout).toMatchObject({ nistControlName: 'Unsuccessful Logon Attempts', count: 2 });
  expect(lockout.techniques).toEqual([
    { id: 'T1110.001', name: 'Password Guessing', count: 2 },
    { id: 'T1110.003', name: 'Password Spraying', count: 2 },
  ]);
});

test('returns 403 for foreign clients, 401 without sign-in, and nothing for a foreign scope', async () => {
  for (const endpoint of [attackApi.matrix, attackApi.navigator, attackApi.controls]) {
    for (const id of [other, 0])
      expect((await t.call(endpoint, { params: { client: id, ...range }, query: {} } as never, analyst)).statusCode).toBe(403);
    expect((await t.call(endpoint, { params: { client, ...range }, query: {} } as never)).statusCode).toBe(401);
  }
  const fed = await scoped(t.db, { organisationIds: [client] }, (tx) => listFed(tx, { organisationIds: [other] }, now));
  expect(fed).toEqual([]);
});
