import { attackApi } from '@parapet/contract/attack.ts';
import { rulesApi } from '@parapet/contract/detectionRules.ts';
import { hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';
import { listKinds, readEvidence } from '../../domain/fieldSightings.ts';

let t: TestApp;
let client: number;
let other: number;
let analyst: TestUser;
let stranger: TestUser;
let key: string;
/** Reads the command line in every branch. */
const rule = 'f2ce5592-043d-4d7d-80bb-47d231e4a4be';

beforeAll(async () => {
  t = await testApp();
  client = await t.organisation();
  other = await t.organisation();
  analyst = await t.user({ organisationId: client, role: 'Analyst' });
  stranger = await t.user({ organisationId: other, role: 'Analyst' });
  key = await t.ingestKey(client);
});
afterAll(() => t.close());

let made = 0;
/** Process starts of Sysmon, as Winlogbeat ships them; each differs. */
const started = (at: number, fields: object) => {
  made++;
  return {
    '@timestamp': new Date(at - made).toISOString(),
    agent: { type: 'winlogbeat', version: '8.17.1' },
    host: { name: 'ws-1', os: { platform: 'windows' } },
    winlog: {
      channel: 'Microsoft-Windows-Sysmon/Operational',
      provider_name: 'Microsoft-Windows-Sysmon',
      event_id: 1,
      event_data: { Image: 'C:\\Program Files\\Editor\\editor.exe', ProcessId: String(made), User: 'ACME\\ann', ...fields },
    },
  };
};
const send = async (count: number, at: number, fields: object) => {
  const answer = await t.send(
    key,
    Array.from({ length: count }, () => started(at, fields)),
  );
  expect(answer.json().errors).toBe(false);
};
/** A stop writes all that was sampled. */
const restart = async () => {
  await t.application.close();
  const { database } = t;
  await t.db.close();
  t = await testApp({}, database);
};

const range = { start: new Date(Date.now() - 24 * hourMs).toISOString(), end: new Date(Date.now() + hourMs).toISOString() };
const matrixOf = async (user = analyst, id = client) =>
  attackApi.matrix.answer.parse((await t.call(attackApi.matrix, { params: { client: id, ...range }, query: {} }, user)).json());
const healthOf = async (user = analyst, id = client) =>
  rulesApi.get.answer.parse((await t.call(rulesApi.get, { params: { client: id, ruleID: rule } }, user)).json()).health!;
/** Also rules of a log source that nothing sends. */
const listedWithoutData = async () => {
  const query = { noise: ['noData'], pageSize: 200, search: 'stopped', product: ['windows'] };
  const answer = await t.call(rulesApi.list, { params: { client }, query } as never, analyst);
  return rulesApi.list.answer.parse(answer.json()).results.map(({ ruleID }) => ruleID);
};
const cellsBy = (matrix: Awaited<ReturnType<typeof matrixOf>>) =>
  new Map(matrix.tactics.flatMap(({ techniques }) => techniques.map((cell) => [cell.id, cell])));

describe('coverage by the fields that arrive', () => {
  test('turns when a source stops sending a field, names it, and turns back', async () => {
    const now = Date.now();
    const command = { CommandLine: 'editor.exe C:\\notes.txt' };
    // Fields that never arrive are missing by then, so that only the command line turns.
    for (const hours of [14, 7]) await send(1_700, now - hours * hourMs, command);
    await restart();
    const before = await matrixOf();
    expect((await healthOf()).canMatch).toBe(true);
    expect(before.missing.map(({ field }) => field)).not.toContain('CommandLine');

    for (let batch = 0; batch < 3; batch++) await send(800, now - minuteMs, {});
    await restart();
    const broken = await matrixOf();
    expect(broken.missing.find(({ field }) => field === 'CommandLine')).toMatchObject({
      logSource: 'windows / process_creation',
      code: '1',
      connectors: ['Winlogbeat with Sysmon', 'Winlogbeat with command lines in event 4688'],
    });
    const [cells, was] = [cellsBy(broken), cellsBy(before)];
    const turned = [...cells.values()].filter(({ id, coverage }) => coverage === 'blind' && was.get(id)!.coverage === 'covered');
    expect(turned.length).toBeGreaterThan(0);
    for (const { blockedRules, missing } of turned) {
      expect(blockedRules).toBeGreaterThan(0);
      expect(missing.map((position) => broken.missing[position]!.field)).toContain('CommandLine');
    }
    expect(broken.covered).toBe(before.covered - turned.length);
    const health = await healthOf();
    expect(health).toMatchObject({ canMatch: false, sources: [{ logSource: 'windows / process_creation', isLive: true }] });
    expect(await listedWithoutData()).toContain(rule);
    const [missing] = health.missing;
    expect(missing).toMatchObject({ field: 'CommandLine', code: '1' });
    expect(missing!.events).toBeGreaterThanOrEqual(100);
    expect(Date.parse(missing!.lastSeenTime!)).toBeLessThan(now - 6 * hourMs);

    await send(20, Date.now() - minuteMs, command);
    await restart();
    expect((await healthOf()).canMatch).toBe(true);
    expect(await listedWithoutData()).not.toContain(rule);
    expect((await matrixOf()).covered).toBe(before.covered);
  });

  test('judges by few events nothing, and by a switched-off rule neither', async () => {
    const small = await t.organisation({ id: 5001 });
    const reader = await t.user({ organisationId: small, role: 'Analyst' });
    key = await t.ingestKey(small);
    await send(40, Date.now() - 7 * hourMs, {});
    await send(40, Date.now() - minuteMs, {});
    await restart();
    expect((await healthOf(reader, small)).canMatch).toBe(true);
    await scoped(t.db, 'system', (tx) =>
      tx
        .insertInto('rule_overrides')
        .values({
          organisation_id: small,
          rule_key: rule,
          is_on: false,
          criticality: null,
          reason: 'Not used here.',
          owner_id: null,
          owner_name: 'Ann',
        })
        .execute(),
    );
    await restart();
    const answer = await t.call(rulesApi.get, { params: { client: small, ruleID: rule } }, reader);
    expect(answer.json().health).toBeNull();
  });

  test('shows a foreign tenant nothing of it', async () => {
    const matrix = await matrixOf(stranger, other);
    expect(matrix.missing).toEqual([]);
    for (const endpoint of [attackApi.matrix, rulesApi.get]) {
      const params = { client, ...range, ruleID: rule };
      expect((await t.call(endpoint, { params, query: {} } as never, stranger)).statusCode).toBe(403);
    }
    const kind = { source: '', codeField: '', code: '' };
    const foreign = { organisationIds: [client] };
    await scoped(t.db, { organisationIds: [other] }, async (tx) => {
      expect(await listKinds(tx, foreign, Date.now())).toEqual([]);
      const { rows } = await sql<{ count: number }>`select count(*)::integer as count from field_sightings`.execute(tx);
      expect(rows).toEqual([{ count: 0 }]);
      expect(await readEvidence(tx, foreign, kind, ['CommandLine'])).toEqual([]);
    });
    await scoped(t.db, 'system', async (tx) => {
      expect(await listKinds(tx, { organisationIds: [other] }, Date.now())).toEqual([]);
      expect(await listKinds(tx, foreign, Date.now())).not.toEqual([]);
    });
  });
});
