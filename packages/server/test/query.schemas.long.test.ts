/** Every attribute of every entity on a real database: shown, filtered by each comparison of its type, grouped and ordered. */
import type { Query, QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';
import { describe, expect, test } from 'vitest';
import { readScoped } from '../src/core/db/scope.ts';
import { checkQuery } from '../src/domain/query/check.ts';
import type { Cell } from '../src/domain/query/result.ts';
import { maxGroups, runQuery } from '../src/domain/query/run.ts';
import type { Attribute, QueryContext } from '../src/domain/query/schema.ts';
import { schemas } from '../src/domain/query/schemas.ts';
import { queryWorld } from './query.fixture.ts';
import { useFixture } from './use.ts';

const world = useFixture(queryWorld, (fixture) => fixture.t.close());

const time = { start: '2020-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z', label: 'ever' };

/** Filters of each kind that the type has; values are taken from a cell that has one. */
function filtersOf(field: string, attribute: Attribute, cells: readonly Cell[]): QueryFilter[] {
  const { type } = attribute;
  const value = cells.find(hasValue);
  const present: QueryFilter[] = [{ field, is: true }, { not: { field, is: true } }, { field, is: false }];
  if (type === 'time') return [...present, { field, within: time }];
  if (type === 'flag') return [...present, { field, in: [true] }, { not: { field, in: [true] } }];
  if (type === 'number') {
    const number = Number(value ?? 1);
    return [...present, { field, in: [number, 2.5] }, { not: { field, in: [number] } }, { field, compare: '>=', value: number }];
  }
  const one = String(Array.isArray(value) ? value[0] : (value ?? "O'Brien"));
  if (type === 'choice') {
    const choice = Object.hasOwn(attribute.choices, one) ? one : Object.keys(attribute.choices)[0]!;
    const ordered: QueryFilter[] = attribute.isOrdered ? [{ field, compare: '>=', value: choice }] : [];
    return [...present, { field, in: [choice] }, { not: { field, in: [choice] } }, ...ordered];
  }
  const part = one.slice(1, 4);
  const filters: QueryFilter[] = part === '' ? [] : [{ field, contains: part }, { not: { field, contains: part } }];
  return [...present, { field, in: ['x', one] }, { not: { field, in: [one] } }, { field, contains: '%_\\' }, ...filters];
}

const hasValue = (cell: Cell): boolean =>
  Array.isArray(cell) ? cell.length > 0 : typeof cell === 'boolean' ? cell : cell !== null && cell !== '';

/** The meaning of a filter over the shown value. */
function isMet(filter: QueryFilter, attribute: Attribute, cell: Cell): boolean {
  if ('not' in filter) return !isMet(filter.not, attribute, cell);
  if ('is' in filter) return hasValue(cell) === filter.is;
  if (!hasValue(cell)) return false;
  const texts = [cell].flat().map((each) => String(each).toLowerCase());
  if ('in' in filter) return filter.in.some((value) => texts.includes(String(value).toLowerCase()));
  if ('contains' in filter) return texts.some((text) => text.includes(filter.contains.toLowerCase()));
  if ('within' in filter)
    return Date.parse(String(cell)) >= Date.parse(time.start) && Date.parse(String(cell)) < Date.parse(time.end);
  if (!('compare' in filter)) throw new Error(JSON.stringify(filter));
  if (attribute.type !== 'choice') return Number(cell) >= Number(filter.value);
  const places = Object.keys(attribute.choices);
  return places.indexOf(String(cell)) >= places.indexOf(String(filter.value));
}

describe.each(Object.keys(schemas) as QueryEntity[])('%s', (entity) => {
  const schema = schemas[entity]!;
  const run = (query: Partial<Query>) => {
    const context: QueryContext = {
      scope: { organisationIds: [world.client, world.sibling], reader: { organisationId: world.partner, canSeeInternal: true } },
      userId: world.people.partnerAnalyst.id,
      organisationId: world.partner,
      now: world.now,
      timeZone: 'Europe/Berlin',
      reach: () => 's',
      industryAverages: { health: 400 },
    };
    const whole: Query = { entity, measure: { kind: 'list' }, ...query };
    expect(checkQuery(whole)).toBeUndefined();
    return readScoped(world.t.db, context.scope, (tx) => runQuery(tx, whole, context));
  };

  test.each(Object.keys(schema.attributes))('%s', async (field) => {
    const attribute = schema.attributes[field]!;
    const { total, rows } = await run({ show: [field], orderBy: { field, isAscending: true }, limit: 200 });
    for (const { cells } of rows) expect(cells).toHaveProperty(field);
    const [isPresent, isNotPresent, isAbsent] = await Promise.all(
      [{ field, is: true }, { not: { field, is: true } }, { field, is: false }].map((where) => run({ where })),
    );
    expect(isPresent!.total + isNotPresent!.total).toBe(total);
    expect(isAbsent!.total).toBe(isNotPresent!.total);
    const shown = rows.map(({ cells }) => cells[field]!);
    for (const where of filtersOf(field, attribute, shown)) {
      const found = await run({ where });
      if (total > rows.length) continue;
      const wanted = shown.filter((cell) => isMet(where, attribute, cell)).length;
      // Further names of the same thing match as well.
      const isByName = attribute.matches !== undefined && !('is' in where);
      if (isByName && 'not' in where) expect(found.total, JSON.stringify(where)).toBeLessThanOrEqual(wanted);
      else if (isByName) expect(found.total, JSON.stringify(where)).toBeGreaterThanOrEqual(wanted);
      else expect(found.total, JSON.stringify(where)).toBe(wanted);
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
