/** Attributes that no list has as a column, and rows that a reader must not find. */
import { may, type RoleHolder, reachOf } from '@parapet/contract/access.ts';
import type { Query, QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';
import { defaultIndustryAverage } from '@parapet/contract/rules/risk.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { readScoped, scoped } from '../src/core/db/scope.ts';
import { runQuery } from '../src/domain/query/run.ts';
import type { QueryContext } from '../src/domain/query/schema.ts';
import { schemas } from '../src/domain/query/schemas.ts';
import { queryWorld } from './query.fixture.ts';
import { useFixture } from './use.ts';

const world = useFixture(queryWorld, (fixture) => fixture.t.close());

const analyst = (): RoleHolder => ({ role: 'Partner Analyst', isPartner: true, organisationId: world.partner });
function contextOf(viewer: RoleHolder, userId: number, organisationIds: readonly number[]): QueryContext {
  return {
    scope: { organisationIds, reader: { organisationId: viewer.organisationId, canSeeInternal: viewer.isPartner } },
    userId,
    organisationId: viewer.organisationId,
    now: world.now,
    timeZone: 'Europe/Berlin',
    reach: (permission) => reachOf(viewer, permission),
  };
}
const partnerContext = () => contextOf(analyst(), world.people.partnerAnalyst.id, [world.partner, world.client, world.sibling]);
const run = (query: Partial<Query> & { entity: QueryEntity }, context = partnerContext()) =>
  readScoped(world.t.db, context.scope, (tx) => runQuery(tx, { measure: { kind: 'list' }, limit: 200, ...query }, context));
const count = async (entity: QueryEntity, where: QueryFilter, context?: QueryContext) =>
  (await run({ entity, where }, context)).total;
const clients = 2;

test('counts pending, unsuccessful and holding responses', async () => {
  const actions = 5;
  expect(await count('response', { field: 'isPending', is: true })).toBe(clients * 3 * actions);
  expect(await count('response', { field: 'isUnsuccessful', is: true })).toBe(clients * 2 * actions);
  // Acknowledged or verified isolations, blocked users and blocked addresses; not releases and ended processes.
  expect(await count('response', { field: 'isInForce', is: true })).toBe(clients * 2 * 3);
  expect(await count('response', { field: 'user', is: true })).toBe(clients * 8);
  expect(await count('response', { field: 'device', in: ['ald-dc-01'] })).toBe(clients * 8);
});

test('measures findings by fix, time to fix and other clients', async () => {
  const { rows } = await scoped(world.t.db, 'system', (tx) =>
    sql<{ unfixable: number; days: number }>`select (count(*) filter (where fixed_version is null))::integer as unfixable,
      avg(extract(epoch from fixed_at - first_seen_at) / 60)::float8 as days
      from findings where not is_repeated and organisation_id = any(${[world.client, world.sibling]}::integer[])`.execute(tx),
  );
  expect(await count('vulnerability', { field: 'hasFix', is: false })).toBe(rows[0]!.unfixable);
  const mean = await run({ entity: 'vulnerability', measure: { kind: 'mean', field: 'timeToFix' } });
  expect(mean.value).toBeCloseTo(rows[0]!.days, 3);
  // Both clients have the same findings; within one of them alone, there is no other client.
  const isOpen: QueryFilter = { field: 'state', in: ['open'] };
  const shared: QueryFilter = { and: [isOpen, { field: 'isElsewhere', is: true }] };
  expect(await count('vulnerability', shared)).toBe(await count('vulnerability', isOpen));
  const one = contextOf({ role: 'Analyst', isPartner: false, organisationId: world.client }, world.people.analyst.id, [
    world.client,
  ]);
  expect(await count('vulnerability', shared, one)).toBe(0);
});

test('measures reviews against their verdict', async () => {
  expect(await count('review', { field: 'agreesWithVerdict', is: true })).toBe(0);
  const disagreeing: QueryFilter = {
    and: [{ field: 'isDecided', is: true }, { field: 'verdict', is: true }, { not: { field: 'agreesWithVerdict', is: true } }],
  };
  expect(await count('review', disagreeing)).toBe(clients * 2);
});

test('reports the movement of a risk score and the average of its industry', async () => {
  const where: QueryFilter = { field: 'isCurrent', is: true };
  const show = ['change', 'industryAverage'];
  const { rows } = await run({ entity: 'risk', where, show });
  expect(rows.map(({ cells }) => [cells.change, cells.industryAverage])).toEqual(Array(clients).fill([-30, null]));
  await scoped(world.t.db, 'system', (tx) =>
    tx.updateTable('organisations').set({ industry: ' Dental ' }).where('id', '=', world.sibling).execute(),
  );
  const averaged = await run(
    { entity: 'risk', where, show, orderBy: { field: 'industryAverage', isAscending: true } },
    { ...partnerContext(), industryAverages: { dental: 321 } },
  );
  expect(averaged.rows.map(({ cells }) => cells.industryAverage)).toEqual([321, defaultIndustryAverage]);
});

test('relates tags, devices, cases and people to their records', async () => {
  expect(await count('device', { some: 'tag', where: { field: 'name', in: ['critical'] } })).toBe(clients);
  expect(
    (await run({ entity: 'tag', where: { field: 'name', in: ['Critical'] } })).rows.map(({ cells }) => cells.devices),
  ).toEqual([1, 1]);
  expect(
    await count('case', { some: 'response', where: { field: 'action', in: ['isolate'] }, count: { compare: '=', value: 8 } }),
  ).toBe(clients);
  expect(await count('case', { some: 'review', where: { field: 'decision', in: ['Pending'] } })).toBe(clients);
  expect(await count('device', { some: 'vulnerability', where: { field: 'severity', in: ['critical'] } })).toBe(clients);
});

test('finds nothing of a foreign client', async () => {
  const host = contextOf({ role: 'Host', isPartner: true, organisationId: world.provider }, world.people.host.id, [
    world.foreign,
    world.client,
  ]);
  const foreign: QueryFilter = { field: 'client', in: ['Fir Biotech'] };
  for (const entity of [
    'vulnerability',
    'response',
    'review',
    'suppression',
    'collector',
    'account',
    'tag',
    'event',
    'rejected',
    'risk',
  ] as const) {
    expect([entity, await count(entity, foreign)]).toEqual([entity, 0]);
    expect(await count(entity, foreign, host), entity).toBeGreaterThan(0);
  }
});

test('refuses entities without their permission, also inside other entities', async () => {
  const viewer: RoleHolder = { role: 'Analyst', isPartner: false, organisationId: world.client };
  const context = contextOf(viewer, world.people.analyst.id, [world.client]);
  for (const { entity, allow, ownAllow } of Object.values(schemas)) {
    if (may(viewer, allow) || ownAllow) continue;
    await expect(run({ entity }, context), entity).rejects.toMatchObject({ code: 'forbidden' });
  }
  await expect(run({ entity: 'case', where: { some: 'review' } }, context)).rejects.toMatchObject({ code: 'forbidden' });
  const hidden: QueryFilter = { not: { some: 'suppression' } };
  await expect(run({ entity: 'device', where: hidden }, context)).rejects.toMatchObject({ code: 'forbidden' });
});

test('refuses rows of others instead of counting none, also inside other entities', async () => {
  const context = contextOf({ role: 'Analyst', isPartner: false, organisationId: world.client }, world.people.analyst.id, [
    world.client,
  ]);
  const isMine: QueryFilter = { field: 'isMine', is: true };
  const refused: [QueryEntity, QueryFilter | undefined][] = [
    ['account', undefined],
    ['account', { not: isMine }],
    ['account', { field: 'isMine', is: false }],
    ['account', { or: [isMine, { field: 'role', in: ['Analyst'] }] }],
    ['account', { and: [isMine, { some: 'mailSubscription' }] }],
    ['mailSubscription', { some: 'account', where: isMine }],
  ];
  for (const [entity, where] of refused)
    await expect(run({ entity, ...(where && { where }) }, context), JSON.stringify(where)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('You have access to your own'),
    });
  const own: QueryFilter = { and: [isMine, { some: 'mailSubscription', where: { and: [isMine] } }] };
  expect((await run({ entity: 'account', where: own }, context)).rows.map(({ identity }) => identity.id)).toEqual([
    String(world.people.analyst.id),
  ]);
});
