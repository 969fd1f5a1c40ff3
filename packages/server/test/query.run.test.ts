/** Meaning of queries on a real database: absent values, relations, groups, zones, comparisons, scope and hostile values. */
import { attackApi } from '@parapet/contract/attack.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Query, QueryFilter } from '@parapet/contract/rules/query.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { readScoped, type Scope, scoped } from '../src/core/db/scope.ts';
import { controlsOf } from '../src/domain/facts.ts';
import { checkQuery } from '../src/domain/query/check.ts';
import { idsOf } from '../src/domain/query/compile.ts';
import { runQuery } from '../src/domain/query/run.ts';
import type { QueryContext } from '../src/domain/query/schema.ts';
import { isWorkingHours } from '../src/domain/workingHours.ts';
import { sapphireWorld } from './sapphire.fixture.ts';
import { seedAlerts, seedCase, seedRule } from './seed.ts';
import { useFixture } from './use.ts';

const now = Date.now();
const world = useFixture(sapphireWorld, (fixture) => fixture.t.close());
/** Alerts of a client of its own: three on SRV-1 (one without a user), one on SRV-2, two without a device. */
let client: number;
let other: number;
let second: number;
let partner: number;

const time = (start: string | number, end: string | number) => ({
  start: new Date(start).toISOString(),
  end: new Date(end).toISOString(),
  label: 'the time',
});
// A Friday.
const friday = Date.parse('2026-02-06T00:00:00Z');
const device = (organisationId: number, name: string, into?: string) => ({
  organisation_id: organisationId,
  name,
  device_type: 'server',
  agent_version: null,
  agent_updated_at: null,
  last_event_at: null,
  ...(into !== undefined && { merged_into: into, merged_at: new Date() }),
});

beforeAll(async () => {
  const { t, provider } = world;
  partner = await t.organisation({ isPartner: true, parentId: provider, name: 'Summit' });
  client = await t.organisation({ parentId: partner, name: 'Elm' });
  other = await t.organisation({ parentId: partner, name: 'Dogwood' });
  second = await t.organisation({ parentId: partner, name: 'Gingko' });
  const rule = await seedRule(
    t.db,
    { title: 'Spraying', criticality: 4 },
    { techniques: ['T1110.003'], tactics: ['credential-access', 'persistence'] },
  );
  const at = friday + 23.5 * hourMs;
  await seedAlerts(t.db, client, [
    { at, rule, device: 'SRV-1', user: 'ann', count: 4 },
    { at: at + hourMs, rule, device: 'SRV-1', user: null, count: 2 },
    { at: at + 2 * hourMs, rule, device: 'srv-old', user: 'Ann' },
    { at: at + 3 * hourMs, rule, device: 'SRV-2', user: 'bob' },
    { at: at + 4 * hourMs, rule, device: null, user: 'bob', isNew: false },
    { at: at + 5 * hourMs, rule, device: null, user: null },
  ]);
  await seedAlerts(t.db, other, [{ at, rule, device: 'SRV-1', user: 'ann' }]);
  await scoped(t.db, 'system', async (tx) => {
    const [first] = await tx
      .insertInto('devices')
      .values([device(client, 'SRV-1'), device(client, 'SRV-2'), device(client, 'SRV-3'), device(other, 'SRV-1')])
      .returning('id')
      .execute();
    await tx
      .insertInto('devices')
      .values(device(client, 'srv-old', first!.id))
      .execute();
  });
  const cases = { organisationId: client, at, alerts: [] };
  await seedCase(t.db, {
    ...cases,
    set: { device_names: ['SRV-1', 'srv-old', 'SRV-2'], user_names: ['ann'], tactics: ['Execution', 'Impact', 'Execution'] },
  });
  await seedCase(t.db, {
    ...cases,
    set: { device_names: ['SRV-1'], user_names: [], tactics: ['Execution'], status: 'closed', closed_at: new Date(at + hourMs) },
  });
  await seedCase(t.db, { ...cases, set: { device_names: [], user_names: [], tactics: [] } });
});

const contextOf = (organisationIds: number[], more: Partial<QueryContext> = {}): QueryContext => ({
  scope: { organisationIds, reader: { organisationId: partner, canSeeInternal: true } },
  userId: 1,
  organisationId: partner,
  now,
  timeZone: 'UTC',
  reach: () => 's',
  ...more,
});
const run = (query: Partial<Query>, context = contextOf([client]), scope: Scope = context.scope) =>
  readScoped(world.t.db, scope, (tx) => runQuery(tx, { entity: 'alert', measure: { kind: 'count' }, ...query }, context));
const count = async (where: QueryFilter, query: Partial<Query> = {}, context = contextOf([client])) =>
  (await run({ where, ...query }, context)).total;

describe('conditions', () => {
  test('hold for absent values when negated', async () => {
    expect(await count({ not: { field: 'device', in: ['SRV-2'] } })).toBe(5);
    expect(await count({ not: { field: 'user', contains: 'b' } })).toBe(4);
    expect(
      await count({
        not: {
          or: [
            { field: 'device', in: ['SRV-2'] },
            { field: 'user', in: ['ANN'] },
          ],
        },
      }),
    ).toBe(3);
    expect(await count({ not: { not: { field: 'user', is: true } } })).toBe(4);
    expect(await count({ or: [] })).toBe(0);
    expect(await count({ and: [] })).toBe(6);
  });

  test('find a device by all of its names', async () => {
    for (const name of ['SRV-1', 'srv-1', 'SRV-OLD']) expect(await count({ field: 'device', in: [name] })).toBe(3);
  });

  test('compare numbers and ordered choices', async () => {
    expect(await count({ field: 'fireCount', compare: '>=', value: 2 })).toBe(2);
    expect(await count({ field: 'severity', compare: '>', value: 'medium' })).toBe(6);
    expect(await count({ field: 'severity', compare: '>', value: 'high' })).toBe(0);
  });

  test('compare with the mean over all records in scope', async () => {
    // Matches: 4, 2 and four times 1.
    expect(await count({ field: 'fireCount', compare: '>', value: 1, isOfAverage: true })).toBe(2);
    expect(await count({ field: 'fireCount', compare: '<', value: 1, isOfAverage: true })).toBe(4);
    const devices = async (compare: '>' | '<') =>
      (
        await run({
          entity: 'device',
          measure: { kind: 'list' },
          where: { some: 'alert', count: { compare, value: 1, isOfAverage: true } },
        })
      ).rows.map(({ identity }) => identity.name);
    expect(await devices('>')).toEqual(['SRV-1']);
    expect(await devices('<')).toEqual(['SRV-2', 'SRV-3']);
  });

  test('treat hostile values as text', async () => {
    for (const value of ["'; drop table alerts; --", '%', '_', '\\', '\u0000', "') or true --", '{"a":1}', '\ud800']) {
      expect(await count({ field: 'device', in: [value] })).toBe(0);
      expect(await count({ field: 'rule', in: [value] })).toBe(0);
      expect(await count({ field: 'user', contains: value })).toBe(0);
    }
  });
});

describe('scope', () => {
  test('hides other clients in filters, relations and groups', async () => {
    expect(await count({ field: 'client', in: ['Dogwood'] })).toBe(0);
    expect(await count({ some: 'client', where: { field: 'name', in: ['Dogwood'] } })).toBe(0);
    expect(await count({ field: 'partner', in: ['Summit'] })).toBe(0);
    expect(await count({ field: 'partner', in: ['Summit'] }, {}, contextOf([partner, client]))).toBe(6);
    const { groups } = await run({ groupBy: ['client'] });
    expect(groups).toEqual([{ keys: ['Elm'], value: 6 }]);
  });

  test('holds by row-level security as well', async () => {
    // The arguments permit more than the transaction.
    const wide = contextOf([client, other]);
    expect((await run({}, wide)).total).toBe(7);
    expect((await run({}, wide, { organisationIds: [client] })).total).toBe(6);
    expect((await run({}, contextOf([client]), 'system')).total).toBe(6);
  });

  test('does not relate equal names of two clients', async () => {
    const { rows } = await run(
      { entity: 'device', measure: { kind: 'list' }, where: { some: 'alert' }, orderBy: { field: 'count', isAscending: false } },
      contextOf([client, other]),
    );
    expect(rows.map(({ identity, cells }) => [identity.organisationId, cells.name, cells.count])).toEqual([
      [client, 'SRV-1', 3],
      [other, 'SRV-1', 1],
      [client, 'SRV-2', 1],
    ]);
  });

  test('refuses entities that the viewer may not list', async () => {
    const context = contextOf([client], { reach: (permission) => (permission === 'alerts:read' ? 's' : undefined) });
    await expect(run({ where: { some: 'case' } }, context)).rejects.toMatchObject({ code: 'forbidden' });
    expect((await run({ where: { some: 'user' } }, context)).total).toBe(4);
  });
});

describe('relations', () => {
  test('count each related record once', async () => {
    const devices = (compare: '=' | '<' | '>=', value: number, where?: QueryFilter) =>
      run({
        entity: 'device',
        measure: { kind: 'list' },
        where: { some: 'case', count: { compare, value }, ...(where && { where }) },
      });
    const namesOf = ({ rows }: Awaited<ReturnType<typeof devices>>) => rows.map(({ identity }) => identity.name);
    // The first case names SRV-1 twice.
    expect(namesOf(await devices('=', 2))).toEqual(['SRV-1']);
    expect(namesOf(await devices('=', 0))).toEqual(['SRV-3']);
    expect(namesOf(await devices('<', 2))).toEqual(['SRV-2', 'SRV-3']);
    expect(namesOf(await devices('>=', 1, { field: 'isOpen', is: false }))).toEqual(['SRV-1']);
  });

  test('apply their own time', async () => {
    const some = (end: number): QueryFilter => ({ some: 'alert', time: time(friday, end) });
    expect((await run({ entity: 'device', where: some(friday + 24 * hourMs) })).total).toBe(1);
    expect((await run({ entity: 'device', where: some(friday + 48 * hourMs) })).total).toBe(2);
  });

  test('nest', async () => {
    const where: QueryFilter = { some: 'alert', where: { and: [{ field: 'user', in: ['bob'] }, { not: { some: 'case' } }] } };
    expect((await run({ entity: 'device', where })).total).toBe(1);
    expect((await run({ entity: 'client', where: { some: 'device', where } })).total).toBe(1);
  });

  test('order lists, with records without related ones', async () => {
    const { rows } = await run(
      {
        entity: 'client',
        measure: { kind: 'list' },
        where: { some: 'alert', count: { compare: '>=', value: 0 } },
        orderBy: { field: 'count', isAscending: true },
      },
      contextOf([partner, client, other, second]),
    );
    expect(rows.map(({ cells }) => [cells.name, cells.count])).toEqual([
      ['Gingko', 0],
      ['Dogwood', 1],
      ['Elm', 6],
    ]);
  });

  test('need more than the client in common', () => {
    expect(checkQuery({ entity: 'device', measure: { kind: 'count' }, where: { some: 'rule' } })).toMatch('not related');
  });
});

describe('groups', () => {
  test('count an element of an array once per record', async () => {
    const { groups, total } = await run({ entity: 'case', groupBy: ['tactic'] });
    expect(total).toBe(3);
    expect(groups).toEqual([
      { keys: ['Execution'], value: 2 },
      { keys: ['Impact'], value: 1 },
      { keys: [null], value: 1 },
    ]);
  });

  test('come by two attributes, in the wished order and up to the limit', async () => {
    const { groups, groupTotal } = await run({
      groupBy: ['status', 'user'],
      orderBy: { field: 'user', isAscending: false },
      limit: 2,
    });
    expect(groups).toEqual([
      { keys: ['new', 'bob'], value: 1 },
      { keys: ['seen', 'bob'], value: 1 },
    ]);
    expect(groupTotal).toBe(5);
  });

  test('have buckets in the zone of the viewer', async () => {
    const inZone = async (timeZone: string, bucket: string) =>
      (await run({ groupBy: [bucket] }, contextOf([client], { timeZone }))).groups!.map(({ keys, value }) => [keys[0], value]);
    expect(await inZone('UTC', 'weekday')).toEqual([
      [5, 1],
      [6, 5],
    ]);
    expect(await inZone('America/New_York', 'weekday')).toEqual([[5, 6]]);
    expect(await inZone('Asia/Tokyo', 'day')).toEqual([['2026-02-07', 6]]);
    expect(await inZone('UTC', 'month')).toEqual([['2026-02', 6]]);
    expect(await inZone('UTC', 'week')).toEqual([['2026-02-02', 6]]);
    expect((await run({ groupBy: ['day'], bucketTime: 'lastSeenTime' })).groups).toHaveLength(2);
    const late: QueryFilter = { field: 'hour', compare: '>=', value: 23 };
    expect(await count(late, {}, contextOf([client], { timeZone: 'Europe/Berlin' }))).toBe(0);
    expect(await count(late)).toBe(1);
    expect(await count({ field: 'weekday', in: [5] })).toBe(1);
    expect(await count({ field: 'isWeekend', is: true }, {}, contextOf([client], { timeZone: 'America/New_York' }))).toBe(0);
  });

  test('leave those beyond a bound out', async () => {
    const { groups, groupTotal, total } = await run({ groupBy: ['device'], having: { compare: '>=', value: 2 } });
    expect(groups).toEqual([
      { keys: ['SRV-1'], value: 2 },
      { keys: [null], value: 2 },
    ]);
    expect([groupTotal, total]).toEqual([2, 6]);
    expect((await run({ groupBy: ['device'], having: { compare: '>', value: 9 } })).groups).toEqual([]);
  });

  test('hold measures of numbers', async () => {
    const { groups, value } = await run({ measure: { kind: 'mean', field: 'fireCount' }, groupBy: ['device'] });
    expect(groups).toEqual([
      { keys: ['SRV-1'], value: 3 },
      { keys: ['SRV-2'], value: 1 },
      { keys: ['srv-old'], value: 1 },
      { keys: [null], value: 1 },
    ]);
    expect(value).toBeCloseTo(10 / 6);
    const of = async (kind: 'median' | 'max' | 'min' | 'sum') => (await run({ measure: { kind, field: 'fireCount' } })).value;
    expect([await of('median'), await of('max'), await of('min'), await of('sum')]).toEqual([1, 4, 1, 10]);
    expect((await run({ measure: { kind: 'mean', field: 'fireCount' }, where: { or: [] } })).value).toBeNull();
  });
});

describe('measures', () => {
  test('count the part of a share', async () => {
    const share = await run({ measure: { kind: 'share', of: { field: 'user', in: ['bob'] } } });
    expect(share).toMatchObject({ total: 6, part: 2 });
    expect(share.value).toBeCloseTo(100 / 3);
    expect(await run({ measure: { kind: 'share', of: { field: 'user', in: ['bob'] } }, where: { or: [] } })).toMatchObject({
      total: 0,
      part: 0,
      value: null,
    });
  });

  test('compare with another time, another filter and the average of other clients', async () => {
    const where: QueryFilter = { field: 'client', in: ['Elm'] };
    const scope = contextOf([partner, client, other, second]);
    const whole = time(friday, friday + 48 * hourMs);
    expect((await run({ where, time: whole, against: { time: time(friday, friday + 24 * hourMs) } }, scope)).against).toEqual({
      total: 1,
    });
    expect((await run({ where, against: { where: { field: 'client', in: ['Dogwood'] } } }, scope)).against).toEqual({ total: 1 });
    expect((await run({ where, against: { average: 'client' } }, scope)).against).toEqual({ total: 2, value: 0.5 });
    expect((await run({ where, against: { average: 'client' } }, contextOf([client, other]))).against).toEqual({
      total: 1,
      value: null,
    });
    // Clients of the same name count separately.
    const namesake = await world.t.organisation({ parentId: partner, name: 'Dogwood' });
    const three = contextOf([partner, client, other, namesake]);
    expect((await run({ where, against: { average: 'client' } }, three)).against).toEqual({ total: 2, value: 0.5 });
    const withNone: Query['measure'] = { kind: 'max', field: 'fireCount' };
    expect((await run({ where, measure: withNone, against: { average: 'client' } }, three)).against?.value).toBe(1);
    expect((await run({ where: { and: [{ and: [where] }] }, against: { average: 'client' } }, three)).against?.total).toBe(2);
  });

  test('find the newest and the oldest time', async () => {
    const { groups, value } = await run({ measure: { kind: 'max', field: 'createdTime' }, groupBy: ['user'], limit: 1 });
    expect([groups![0], value]).toEqual([{ keys: ['bob'], value: friday + 27.5 * hourMs }, friday + 28.5 * hourMs]);
    expect(checkQuery({ entity: 'alert', measure: { kind: 'mean', field: 'createdTime' } })).toContain('is no number');
  });

  test('list up to the limit in order, with ids for lists', async () => {
    const query: Query = {
      entity: 'alert',
      measure: { kind: 'list' },
      where: { field: 'user', is: true },
      orderBy: { field: 'createdTime', isAscending: true },
      limit: 2,
      show: ['summary'],
    };
    const { total, rows } = await run(query);
    expect(total).toBe(4);
    expect(rows.map(({ cells }) => [cells.device, cells.user, cells.summary])).toEqual([
      ['SRV-1', 'ann', 'Something happened'],
      ['srv-old', 'Ann', 'Something happened'],
    ]);
    expect(rows[0]).toMatchObject({
      identity: { organisationId: client, name: 'Spraying' },
      cells: { severity: 'high', createdTime: '2026-02-06T23:30:00.000Z' },
    });
    const context = contextOf([client]);
    const idsIn = async (each: Query) =>
      (
        await readScoped(world.t.db, context.scope, (tx) =>
          sql<{ id: number }>`select id from alerts a where a.id in (${idsOf(each, context)})`.execute(tx),
        )
      ).rows
        .map(({ id }) => String(id))
        .sort();
    expect(await idsIn(query)).toEqual(rows.map(({ identity }) => identity.id).sort());
    const { limit: _, ...unlimited } = query;
    expect(await idsIn(unlimited)).toHaveLength(4);
    expect(await idsIn({ ...unlimited, where: { some: 'device', where: { field: 'name', in: ['SRV-2'] } } })).toHaveLength(1);
  });
});

test('applies the working hours of approval rules, in the zone of the organisation', async () => {
  await scoped(world.t.db, 'system', (tx) =>
    tx.updateTable('organisations').set({ time_zone: 'Asia/Tokyo' }).where('id', '=', second).execute(),
  );
  const rule = await seedRule(world.t.db);
  const times = Array.from({ length: 7 * 24 }, (_, hour) => friday + hour * hourMs);
  await seedAlerts(
    world.t.db,
    second,
    times.map((at) => ({ at, rule })),
  );
  const { rows } = await run(
    { measure: { kind: 'list' }, where: { field: 'isWorkingHours', is: true }, limit: 200 },
    contextOf([second]),
  );
  const found = rows.map(({ cells }) => Date.parse(String(cells.createdTime))).sort();
  expect(found).toEqual(times.filter((at) => isWorkingHours(at, 'Asia/Tokyo')));
  expect(found).toHaveLength(50);
});

test('counts the coverage of techniques as the ATT&CK page', async () => {
  await scoped(world.t.db, 'system', async (tx) => {
    const values = { ...device(client, 'SRV-4'), last_event_at: new Date(now) };
    const { id } = await tx.insertInto('devices').values(values).returning('id').executeTakeFirstOrThrow();
    const source = { organisation_id: client, device_id: id, log_source: 'windows process_creation', last_at: new Date(now) };
    await tx.insertInto('device_sources').values(source).execute();
  });
  const user = await world.t.user({ organisationId: partner, role: 'Partner Analyst' });
  const params = { client: 0, start: new Date(now - 1).toISOString(), end: new Date(now).toISOString() };
  const matrix: AnswerOf<typeof attackApi.matrix> = (await world.t.call(attackApi.matrix, { params }, user)).json();
  const cells = new Map(matrix.tactics.flatMap(({ techniques }) => techniques.map((cell) => [cell.id, cell] as const)));
  const context = contextOf([partner, client, other, second]);
  for (const coverage of ['covered', 'blind', 'none']) {
    const { total } = await run({ entity: 'technique', where: { field: 'coverage', in: [coverage] } }, context);
    expect(total, coverage).toBe([...cells.values()].filter((cell) => cell.coverage === coverage).length);
    expect(total, coverage).toBeGreaterThan(0);
  }
  const { rows } = await run(
    { entity: 'technique', measure: { kind: 'list' }, show: ['rules', 'liveRules', 'recordings'], limit: 200 },
    context,
  );
  for (const { identity, cells: shown } of rows)
    expect({ id: identity.id, rules: shown.rules, liveRules: shown.liveRules, recordings: shown.recordings }).toEqual(
      Object.fromEntries(
        (['id', 'rules', 'liveRules', 'recordings'] as const).map((field) => [field, cells.get(identity.id)?.[field]]),
      ),
    );
  const tactics = await run({ entity: 'tactic', measure: { kind: 'list' }, show: ['techniques', 'covered'] }, context);
  expect(tactics.rows.map(({ cells: { name, techniques, covered } }) => [name, techniques, covered])).toEqual(
    matrix.tactics.map(({ name, techniques }) => [
      name,
      techniques.length,
      techniques.filter(({ liveRules }) => liveRules > 0).length,
    ]),
  );
});

test('finds alerts by the controls of their techniques, a sub-technique that has none by its parent’s', async () => {
  // T1110.003 has controls of its own; T1027.013 is younger than the mapping.
  const rule = await seedRule(world.t.db, { title: 'Hidden File' }, { techniques: ['T1027.013'], tactics: [] });
  await seedAlerts(world.t.db, second, [{ at: friday, rule, device: null, user: null }]);
  const context = contextOf([second, other]);
  const controlIds = (technique: string) => controlsOf([technique]).map(({ id }) => id);
  for (const [technique, organisation] of [
    ['T1110.003', 'Dogwood'],
    ['T1027.013', 'Gingko'],
  ] as const) {
    const mine: QueryFilter[] = [
      { field: 'client', in: [organisation] },
      { field: 'technique', in: [technique] },
    ];
    const { groups } = await run({ where: { and: mine }, groupBy: ['control'] }, context);
    expect(controlIds(technique).length).toBeGreaterThan(0);
    expect(groups!.map(({ keys }) => keys[0]).sort()).toEqual(controlIds(technique).sort());
    for (const control of [controlIds(technique)[0]!, 'PE-3']) {
      const { total } = await run({ where: { and: [...mine, { field: 'control', in: [control] }] } }, context);
      expect(total > 0, control).toBe(controlIds(technique).includes(control));
    }
  }
});

describe('checkQuery', () => {
  const faults: [string, unknown][] = [
    ['nothing that can', { entity: 'constructor' }],
    ['no attribute "__proto__"', { where: { field: '__proto__', is: true } }],
    ['no attribute "x"', { where: { not: { field: 'x', in: ['a'] } } }],
    ['is no severity', { where: { field: 'severity', in: ['huge'] } }],
    ['has no order', { where: { field: 'device', compare: '>', value: 'a' } }],
    ['has no order', { where: { field: 'fireCount', compare: 'or', value: 1 } }],
    ['is no time', { where: { field: 'severity', within: time(0, 1) } }],
    ['is no time', { time: { start: 'x', end: 'y', label: 'then' } }],
    ['is no text', { where: { field: 'fireCount', contains: '1' } }],
    ['is no number', { where: { field: 'fireCount', in: ['1; drop'] } }],
    ['is no number', { measure: { kind: 'mean', field: 'user' } }],
    ['no attribute "day"', { entity: 'device', groupBy: ['day'] }],
    ['have no time', { entity: 'device', time: time(0, 1) }],
    ['have no time', { where: { some: 'device', time: time(0, 1) } }],
    ['nested too deeply', { where: Array.from({ length: 9 }).reduce<object>((not) => ({ not }), { field: 'user', is: true }) }],
    ['no attribute "severity"', { groupBy: ['day'], bucketTime: 'severity' }],
    ['need groups', { having: { compare: '>', value: 1 } }],
    ['need groups', { measure: { kind: 'count', isShare: true } }],
    ['is no number', { groupBy: ['user'], having: { compare: '>', value: '1' } }],
    ['no positive number', { limit: 0 }],
    ['no field', { where: {} }],
  ];
  test.each(faults)('refuses with "%s": %j', async (text, query) => {
    const whole = { entity: 'alert', measure: { kind: 'count' }, ...(query as object) } as Query;
    expect(checkQuery(whole)).toContain(text);
    await expect(run(whole)).rejects.toMatchObject({ code: 'invalid' });
  });
});
