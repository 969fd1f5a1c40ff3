/** The key that relates two entities. */
import type { QueryEntity } from '@parapet/contract/rules/query.ts';
import type { EntitySchema } from './schema.ts';

/** Keys that both have, the most specific first. Records that only share their client are not related. */
const specificity: readonly QueryEntity[] = [
  'alert',
  'case',
  'response',
  'vulnerability',
  'suppression',
  'review',
  'collector',
  'event',
  'device',
  'account',
  'user',
  'rule',
  'technique',
  'tactic',
  'tag',
  'mail',
  'report',
];

export function relationOf(one: EntitySchema, other: EntitySchema): QueryEntity | undefined {
  for (const { entity } of [other, one]) if (one.keys[entity] && other.keys[entity]) return entity;
  return specificity.find((entity) => one.keys[entity] && other.keys[entity]);
}
