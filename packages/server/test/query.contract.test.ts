/** Each column and filter of each list of the contract is an attribute with words, or stands in an exclusion with its reason. */
import { endpoints } from '@parapet/contract/api.ts';
import { type Endpoint, endpoint } from '@parapet/contract/endpoint.ts';
import { results } from '@parapet/contract/primitives.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Attribute, EntitySchema } from '../src/domain/query/schema.ts';
import { schemas } from '../src/domain/query/schemas.ts';
import { everywhere, type ListOfEntity, lists, unlisted } from './query.contract.lists.ts';

type Node = {
  def?: { type?: string; innerType?: Node; schema?: Node; out?: Node; element?: Node; shape?: Record<string, Node> };
};

/** The schema inside defaults, refinements and transformations. */
function inner(node: unknown): Node | undefined {
  const { def } = (node ?? {}) as Node;
  if (def?.innerType) return inner(def.innerType);
  if (def?.type === 'pipe' && def.out) return inner(def.out);
  return node as Node | undefined;
}
const shapeOf = (node: unknown): Record<string, Node> => inner(node)?.def?.shape ?? {};

/** Fields of a list’s row; undefined for other endpoints. */
function rowOf({ answer }: Endpoint): string[] | undefined {
  const list = inner(shapeOf(answer).results);
  const element = list?.def?.type === 'array' ? inner(list.def.element) : undefined;
  return element?.def?.shape && Object.keys(element.def.shape);
}

/** Filters in the query, or in the part `filter` or `filters` of the body. */
function filtersOf({ query, body }: Endpoint): string[] {
  const { filter, filters } = shapeOf(body);
  return [query, filter, filters].flatMap((part) => Object.keys(shapeOf(part)));
}

const hasWords = (attribute: Attribute | undefined): boolean => (attribute?.words.length ?? 0) > 0;
const attributeOf = ({ attributes }: EntitySchema, field: string): Attribute | undefined =>
  attributes[field] ?? Object.values(attributes).find(({ column }) => column === field);

/** Fields and filters without an attribute or an exclusion. */
function gapsOf(list: Endpoint, { entity, as = {}, without = {} }: ListOfEntity): string[] {
  const schema = schemas[entity];
  return [...new Set([...(rowOf(list) ?? []), ...filtersOf(list)])]
    .filter((field) => !(field in without) && !(field in everywhere) && !hasWords(attributeOf(schema, as[field] ?? field)))
    .map((field) => `${list.id}: ${field}`);
}

const allLists = endpoints.filter((each) => each.method !== 'DELETE' && rowOf(each) !== undefined);

test('declares every list as an entity or excludes it', () => {
  const ids = allLists.map(({ id }) => id);
  expect(ids.filter((id) => !(id in lists) && !(id in unlisted))).toEqual([]);
  expect(ids.filter((id) => id in lists && id in unlisted)).toEqual([]);
  expect([...Object.keys(lists), ...Object.keys(unlisted)].filter((id) => !ids.includes(id))).toEqual([]);
});

test('names every column and filter of every list', () => {
  expect(allLists.flatMap((each) => (lists[each.id] ? gapsOf(each, lists[each.id]!) : []))).toEqual([]);
});

test('reports a column and a filter that nothing names', () => {
  const list = endpoint({
    id: 'x.list',
    route: 'GET /x',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Lists x.',
    query: z.object({ severity: z.string().optional(), colour: z.array(z.string()).default([]) }),
    answer: results(z.object({ name: z.string(), deviceName: z.string(), shoeSize: z.number() })).extend({
      counts: z.array(z.string()),
    }),
  });
  expect(gapsOf(list, { entity: 'alert', without: { name: 'Excluded.' } })).toEqual(['x.list: shoeSize', 'x.list: colour']);
});

test('excludes and renames only fields that exist', () => {
  const stale = allLists.flatMap((each) => {
    const { as = {}, without = {}, entity } = lists[each.id] ?? { entity: 'alert' };
    const known = [...(rowOf(each) ?? []), ...filtersOf(each)];
    const named = Object.entries(as).filter(([, attribute]) => !schemas[entity].attributes[attribute]);
    const doubled = Object.keys(as).filter((field) => field in without);
    const unknown = [...Object.keys(as), ...Object.keys(without)].filter((field) => !known.includes(field));
    return [...unknown, ...named.flat(), ...doubled].map((field) => `${each.id}: ${field}`);
  });
  expect(stale).toEqual([]);
});

/** Singular nouns that end in s. */
const singular = new Set([
  'status',
  'address',
  'os',
  'cvss',
  'epss',
  'alias',
  'loss',
  'progress',
  'success',
  'correctness',
  'weakness',
  'tactics',
]);
const isSingular = (word: string): boolean => word.includes(' ') || !word.endsWith('s') || singular.has(word);
const entities = Object.values(schemas);
const wordsOf = ({ words, attributes }: EntitySchema) => [
  ...words,
  ...Object.values(attributes).flatMap((attribute) => attribute.words),
];

test('keeps words in lower case and in the singular', () => {
  const all = entities.flatMap((schema) => wordsOf(schema).map((word) => `${schema.entity}: ${word}`));
  expect(
    all.filter((word) => word.split(': ')[1] !== word.split(': ')[1]?.toLowerCase().trim() || !isSingular(word.split(': ')[1]!)),
  ).toEqual([]);
});

/** Values that occur more than once. */
const doubles = (values: readonly string[]) => values.filter((value, index) => values.indexOf(value) !== index);

test('gives each word of an entity to one attribute', () => {
  const faults = entities.flatMap(({ entity, attributes }) =>
    doubles(Object.values(attributes).flatMap(({ words }) => [...new Set(words)])).map((word) => `${entity}: ${word}`),
  );
  expect(faults).toEqual([]);
});

test('gives each word of a choice or flag to one of its values', () => {
  const faults = entities.flatMap(({ entity, attributes }) =>
    Object.entries(attributes).flatMap(([field, attribute]) => {
      const values =
        attribute.type === 'choice'
          ? Object.values(attribute.choices)
          : attribute.type === 'flag'
            ? [attribute.yes, attribute.no ?? []]
            : [];
      return doubles(values.flatMap((words) => [...new Set(words)])).map((word) => `${entity}.${field}: ${word}`);
    }),
  );
  expect(faults).toEqual([]);
});

test('gives each noun to one entity', () => {
  expect(doubles(entities.flatMap(({ words }) => [...new Set(words)]))).toEqual([]);
});

test('names a row, an order, a time and the initial filter by attributes', () => {
  const faults = entities.flatMap(({ entity, named = 'name', order, time, initial, attributes }) =>
    [
      named,
      order.field,
      ...(time === undefined ? [] : [time]),
      ...(initial && 'field' in initial.where ? [initial.where.field] : []),
    ]
      .filter((field) => !attributes[field])
      .map((field) => `${entity}: ${field}`),
  );
  expect(faults).toEqual([]);
  expect(Object.entries(schemas).filter(([key, { entity }]) => key !== entity)).toEqual([]);
});
