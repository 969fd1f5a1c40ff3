/** Every attribute of every entity on a real database: shown, filtered by each comparison of its type, grouped and ordered. */
import type { Query, QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readScoped } from '../src/core/db/scope.ts';
import { checkQuery, maxGroups, runQuery } from '../src/domain/query/run.ts';
import type { Attribute, QueryContext } from '../src/domain/query/schema.ts';
import { schemas } from '../src/domain/query/schemas.ts';
import { queryWorld } from './query.fixture.ts';

let world: Awaited<ReturnType<typeof queryWorld>>;
beforeAll(async () => {
  world = await queryWorld();
});
afterAll(() => world.t.close());

const time = { start: '2020-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z', label: 'ever' };

function filtersOf(field: string, attribute: Attribute): QueryFilter[] {
  const { type } = attribute;
  const present: QueryFilter[] = [{ field, is: true }, { not: { field, is: true } }, { field, is: false }];
  if (type === 'time') return [...present, { field, within: time }];
  if (type === 'flag') return [...present, { field, in: [true] }];
  if (type === 'number') return [...present, { field, in: [1, 2.5] }, { field, compare: '>=', value: 0.5 }];
  if (type === 'choice') {
    const values = Object.keys(attribute.choices).slice(0, 100);
    const ordered: QueryFilter[] = attribute.isOrdered ? [{ field, compare: '>', value: values[0]! }] : [];
    return [...present, { field, in: values }, ...ordered];
  }
  return [...present, { field, in: ['x', "O'Brien"] }, { field, contains: '%_\\' }];
}

describe.each(Object.keys(schemas) as QueryEntity[])('%s', (entity) => {
  const schema = schemas[entity]!;
  const run = (query: Partial<Query>) => {
    const context: QueryContext = {
      scope: { organisationIds: [world.client, world.sibling], reader: { organisationId: world.partner, canSeeInternal: true } },
      userId: world.people.partnerAnalyst.id,
      organisationId: world.partner,
      now: Date.now(),
      timeZone: 'Europe/Berlin',
      may: () => true,
      viewer: { role: 'Partner Analyst', isPartner: true, organisationId: world.partner },
      industryAverages: { health: 400 },
    };
    const whole: Query = { entity, measure: { kind: 'list' }, ...query };
    expect(checkQuery(whole)).toBeUndefined();
    return readScoped(world.t.db, context.scope, (tx) => runQuery(tx, whole, context));
  };

  test.each(Object.keys(schema.attributes))('%s', async (field) => {
    const attribute = schema.attributes[field]!;
    const { total, rows } = await run({ show: [field], orderBy: { field, isAscending: true } });
    for (const { cells } of rows) expect(cells).toHaveProperty(field);
    const [isPresent, isNotPresent, isAbsent] = await Promise.all(
      [{ field, is: true }, { not: { field, is: true } }, { field, is: false }].map((where) => run({ where })),
    );
    expect(isPresent!.total + isNotPresent!.total).toBe(total);
    expect(isAbsent!.total).toBe(isNotPresent!.total);
    for (const where of filtersOf(field, attribute)) {
      const found = await run({ where });
      expect(found.total, JSON.stringify(where)).toBeLessThanOrEqual(total);
      const others = await run({ where: { not: where } });
      expect(found.total + others.total, JSON.stringify(where)).toBe(total);
    }
    const groups = await run({ measure: { kind: 'count' }, groupBy: [field] });
    const sum = (groups.groups ?? []).reduce((all, { value }) => all + value, 0);
    const isComplete = attribute.type !== 'names' && (groups.groupTotal ?? 0) <= maxGroups;
    if (isComplete) expect(sum).toBe(total);
    if (attribute.type === 'number') expect((await run({ measure: { kind: 'mean', field } })).value).toBeDefined();
  });

  test('relates to other entities', async () => {
    const { total } = await run({ measure: { kind: 'count' } });
    for (const other of Object.keys(schemas) as QueryEntity[]) {
      const some: QueryFilter = { some: other };
      if (checkQuery({ entity, measure: { kind: 'count' }, where: some }) !== undefined) continue;
      const related = await run({ where: some, orderBy: { field: 'count', isAscending: false } });
      const none = await run({ where: { some: other, count: { compare: '=', value: 0 } } });
      expect(related.total + none.total, other).toBe(total);
    }
  });

  test('groups by buckets of its time', async () => {
    if (schema.time === undefined) return;
    const { total } = await run({ measure: { kind: 'count' } });
    for (const bucket of ['hour', 'weekday', 'day', 'week', 'month']) {
      const { groups = [] } = await run({ measure: { kind: 'count' }, groupBy: [bucket] });
      expect(
        groups.reduce((sum, { value }) => sum + value, 0),
        bucket,
      ).toBe(total);
    }
  });
});
