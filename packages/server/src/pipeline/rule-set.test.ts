import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/database.ts';
import { scoped } from '../core/db/scope.ts';
import type { RuleState } from '../core/db/tables.rules.ts';
import { createDetector, type Detector, readBuiltIn } from './detector.ts';

let database: TestDatabase;
let rulesDir: string;
let detector: Detector;
const [provider, partner, client, sibling, stranger] = [1, 20, 21, 22, 31];

const ruleText = (id: string, value = id, more = '') =>
  `title: Rule ${id}\nid: ${id}\nlogsource: { product: linux }\ndetection: { selection: { action: ${value} }, condition: selection }\nlevel: low\n${more}`;
const exceptionText = (field: string, value: string) =>
  `title: Exception\nlogsource: { product: linux }\nfilter:\n  rules: [a]\n  selection:\n    ${field}: ${value}\n  condition: not selection\n`;
const event = (action: string, more: object = {}) => ({ action, host: { os: { type: 'linux' } }, ...more });

beforeAll(async () => {
  database = await testDatabase();
  rulesDir = await mkdtemp(join(tmpdir(), 'parapet-rules-'));
  for (const id of ['a', 'b']) await writeFile(join(rulesDir, `${id}.yml`), ruleText(id));
  await writeFile(
    join(rulesDir, 'count.yml'),
    'title: Many\nid: many\ncorrelation:\n  type: event_count\n  rules: [b]\n  timespan: 10m\n  condition: { gte: 3 }\nlevel: high\n',
  );
  await scoped(database.db, 'system', async (tx) => {
    const organisation = (id: number, parent_id: number | null, is_partner = false) =>
      tx
        .insertInto('organisations')
        .values({ id, name: `Organisation ${id}`, is_partner, parent_id })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    await organisation(provider, null, true);
    await organisation(partner, null, true);
    await organisation(30, null, true);
    await organisation(client, partner);
    await organisation(sibling, partner);
    await organisation(stranger, 30);
  });
  detector = await createDetector({ db: database.db, builtIn: await readBuiltIn(rulesDir) });
});
afterAll(async () => {
  await database.close();
  await rm(rulesDir, { recursive: true });
});
beforeEach(() =>
  scoped(database.db, 'system', async (tx) => {
    for (const table of ['rule_versions', 'rule_overrides'] as const) await tx.deleteFrom(table).execute();
    // Exceptions end and stay.
    await tx
      .updateTable('exceptions')
      .set({ ends_at: new Date(0) })
      .execute();
  }),
);

const saveVersion = (key: string, yaml: string, state: RuleState = 'live', organisationId = provider) =>
  scoped(database.db, 'system', (tx) =>
    tx
      .insertInto('rule_versions')
      .values({
        organisation_id: organisationId,
        rule_key: key,
        version: state === 'shadow' ? 2 : 1,
        state,
        yaml,
        base: null,
        revision: `revision of ${key}`,
        title: key,
        criticality: 2,
        note: '',
        author_id: null,
        author_name: '',
        shadow_since: null,
        stopped_at: null,
      })
      .execute(),
  );
const override = (organisationId: number, key: string, is_on: boolean | null, criticality: number | null = null) =>
  scoped(database.db, 'system', (tx) =>
    tx
      .insertInto('rule_overrides')
      .values({ organisation_id: organisationId, rule_key: key, is_on, criticality, reason: '', owner_id: null, owner_name: '' })
      .execute(),
  );
const except = (organisationId: number, key: string, yaml: string, ends_at = new Date(Date.now() + 60_000)) =>
  scoped(database.db, 'system', (tx) =>
    tx
      .insertInto('exceptions')
      .values({
        organisation_id: organisationId,
        kind: 'exception',
        rule_key: key,
        yaml,
        reason: '',
        owner_user_id: null,
        owner_name: '',
        ends_at,
      })
      .execute(),
  );
const matches = (organisationId: number, document: Record<string, unknown>) =>
  detector
    .of(organisationId)
    .match(document)
    .map(({ id }) => id);

describe('versions', () => {
  test('replace the built-in text, and their end brings it back', async () => {
    await saveVersion('a', ruleText('a', 'changed'));
    await detector.reload();
    expect(matches(client, event('a'))).toEqual([]);
    expect(matches(client, event('changed'))).toEqual(['a']);
    expect(detector.known('a').revision).toBe('revision of a');
    await scoped(database.db, 'system', (tx) => tx.updateTable('rule_versions').set({ state: 'retired' }).execute());
    await detector.reload();
    expect(matches(client, event('a'))).toEqual(['a']);
    expect(detector.known('a').revision).toMatch(/^[0-9a-f]{16}$/);
  });

  const burst = (id: string, base: string) =>
    `title: Burst ${id}\nid: ${id}\ncorrelation:\n  type: event_count\n  rules: [${base}]\n  timespan: 10m\n  condition: { gte: 3 }\nlevel: high\n`;

  test('reach no rule of another partner, by reference, name or filter', async () => {
    const [other] = [30];
    await saveVersion('a', ruleText('a', 'changed'));
    await saveVersion('theirs', ruleText('theirs', 'theirs', 'name: shared\n'), 'live', partner);
    await saveVersion('theirs-burst', burst('theirs-burst', 'shared'), 'live', partner);
    // The other partner counts the provider's version, copies the name, and brings a filter of everything.
    await saveVersion('z-burst', burst('z-burst', 'a'), 'live', other);
    await saveVersion('z-copy', ruleText('z-copy', 'z-copy', 'name: shared\n'), 'live', other);
    await saveVersion(
      'z-filter',
      `${ruleText('z-filter')}---\n${exceptionText('action', '"*"').replace('[a]', 'any')}`,
      'live',
      other,
    );
    await detector.reload();
    expect(detector.of(client).match(event('changed'))).toMatchObject([{ id: 'a', standalone: true }]);
    expect(detector.of(stranger).match(event('changed'))).toMatchObject([{ id: 'a', standalone: true }]);
    expect(matches(client, event('theirs'))).toEqual(['theirs']);
    expect(
      detector
        .of(client)
        .correlationsOf('theirs')
        .map(({ id }) => id),
    ).toEqual(['theirs-burst']);
    expect(detector.of(stranger).correlationsOf('z-copy')).toEqual([]);
  });

  test('leave a built-in rule of the same ID in force for all', async () => {
    await saveVersion('b', ruleText('b', 'stolen'), 'live', partner);
    await detector.reload();
    expect([matches(client, event('b')), matches(stranger, event('b'))]).toEqual([['b'], ['b']]);
    expect(matches(client, event('stolen'))).toEqual([]);
    expect(detector.faults.map(({ id }) => id)).toContain('b');
    expect(detector.current().owners.has('b')).toBe(false);
    expect(detector.current().faultOf('b')?.organisationId).toBe(partner);
    const rows = await scoped(database.db, 'system', (tx) =>
      tx.selectFrom('rules').select(['key', 'organisation_id']).where('key', '=', 'b').execute(),
    );
    expect(rows).toEqual([{ key: 'b', organisation_id: null }]);
  });

  test('leave the built-in rule in force when they do not load', async () => {
    await saveVersion('a', 'title: a\nid: a\ndetection: { condition: nothing }\n');
    await detector.reload();
    expect(matches(client, event('a'))).toEqual(['a']);
    expect(detector.faults).toMatchObject([{ file: 'a' }]);
    expect(detector.current().faultOf('a')).toMatchObject({ organisationId: provider, reason: expect.any(String) });
    expect(detector.current().faultOf('b')).toBeUndefined();
  });

  test('hold for a batch that began before a change', async () => {
    await detector.reload();
    const before = detector.of(client);
    await saveVersion('a', ruleText('a', 'changed'));
    await detector.reload();
    expect(before.match(event('a')).map(({ id }) => id)).toEqual(['a']);
    expect(before.known('a').revision).not.toBe('revision of a');
    expect(matches(client, event('a'))).toEqual([]);
  });

  test('match for the clients of their partner only, and are stored with their owner', async () => {
    await saveVersion('own', ruleText('own'), 'live', partner);
    await detector.reload();
    expect([partner, client, stranger, provider].map((id) => matches(id, event('own')))).toEqual([['own'], ['own'], [], []]);
    const titles = (organisationId: number) =>
      scoped(database.db, { organisationIds: [organisationId] }, async (tx) =>
        (await tx.selectFrom('rules').select('key').where('is_loaded', '=', true).execute()).map(({ key }) => key),
      );
    expect(await titles(client)).toContain('own');
    expect(await titles(partner)).toContain('own');
    expect(await titles(stranger)).not.toContain('own');
    expect(await titles(stranger)).toContain('a');
  });

  test('count in shadow and match nothing else', async () => {
    await saveVersion('a', ruleText('a', 'later'), 'shadow');
    await detector.reload();
    expect(matches(client, event('later'))).toEqual([]);
    expect(detector.of(client).matchShadow(event('later'))).toEqual([{ key: 'a', version: 2 }]);
    expect(matches(client, event('a'))).toEqual(['a']);
  });

  test('may count matches of built-in rules', async () => {
    await saveVersion(
      'few',
      'title: Few\nid: few\ncorrelation:\n  type: event_count\n  rules: [a]\n  timespan: 1m\n  condition: { gte: 2 }\n',
      'live',
      partner,
    );
    await detector.reload();
    expect(
      detector
        .of(client)
        .correlationsOf('a')
        .map(({ id }) => id),
    ).toEqual(['few']);
    expect(detector.of(stranger).correlationsOf('a')).toEqual([]);
    // Counted rules stay detections of their own.
    expect(detector.ruleOf('a')?.standalone).toBe(true);
  });
});

describe('overrides', () => {
  test('pass on to organisations below, and the nearest one holds', async () => {
    await override(partner, 'a', false, 5);
    await override(sibling, 'a', true);
    await detector.reload();
    expect([client, sibling, stranger].map((id) => matches(id, event('a')))).toEqual([[], ['a'], ['a']]);
    expect([sibling, stranger].map((id) => detector.of(id).known('a').criticality)).toEqual([5, 2]);
  });

  test('switch correlations off', async () => {
    await override(client, 'many', false);
    await detector.reload();
    expect(detector.of(client).correlationsOf('b')).toEqual([]);
    expect(detector.of(sibling).correlationsOf('b')).toHaveLength(1);
  });

  test('follow a client that moves', async () => {
    await override(partner, 'a', false);
    await detector.reload();
    expect(matches(stranger, event('a'))).toEqual(['a']);
    const move = (parent_id: number) =>
      scoped(database.db, 'system', (tx) =>
        tx.updateTable('organisations').set({ parent_id }).where('id', '=', stranger).execute(),
      );
    await move(partner);
    await detector.reload();
    expect(matches(stranger, event('a'))).toEqual([]);
    await move(30);
  });
});

describe('exceptions', () => {
  test('leave out what they match, for their organisation and those below', async () => {
    await except(client, 'a', exceptionText('user', 'backup'));
    await except(partner, 'a', exceptionText('user', 'deploy'));
    await detector.reload();
    expect(['backup', 'deploy', 'mallory'].map((user) => matches(client, event('a', { user })))).toEqual([[], [], ['a']]);
    expect(['backup', 'deploy', 'mallory'].map((user) => matches(sibling, event('a', { user })))).toEqual([['a'], [], ['a']]);
    expect(matches(stranger, event('a', { user: 'deploy' }))).toEqual(['a']);
  });

  test('end at their time', async () => {
    await except(client, 'a', exceptionText('user', 'backup'), new Date(Date.now() + 700));
    await detector.reload();
    expect(matches(client, event('a', { user: 'backup' }))).toEqual([]);
    await expect.poll(() => matches(client, event('a', { user: 'backup' })), { timeout: 5_000 }).toEqual(['a']);
  });
});

test('compiles no rules for hundreds of organisations with exceptions of their own', async () => {
  for (let id = 1; id <= 300; id++) await except(client, 'a', exceptionText('user', `user${id}`));
  await detector.reload();
  const { matcher } = detector.builtIn;
  expect(detector.current().extra).toBeUndefined();
  expect(matcher.rules).toHaveLength(2);
  expect(matches(client, event('a', { user: 'user300' }))).toEqual([]);
  expect(matches(client, event('a', { user: 'mallory' }))).toEqual(['a']);
});
