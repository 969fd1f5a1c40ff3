/** "Alerts per case on average", "the average number of devices per client": the mean of a number that each of the others has. */
import type { Query, QueryEntity } from '@parapet/contract/rules/query.ts';
import type { Composed } from './composed.ts';
import { allOf, type Schemas, signed } from './frames.ts';

/** Undefined if the question has further conditions: the number counts all records. */
export function meanOfEach(composed: Composed, schemas: Schemas): Query | undefined {
  const [group, another] = composed.groups;
  const owner = group !== undefined && group in schemas ? (group as QueryEntity) : undefined;
  const isPlain =
    composed.measure === 'mean' &&
    composed.measured === undefined &&
    another === undefined &&
    composed.left.length === 0 &&
    composed.frames.length === 1 &&
    composed.times.length === 0 &&
    composed.shown.length === 0 &&
    composed.reference === undefined &&
    !(composed.superlative ?? composed.having ?? composed.limit) &&
    !composed.isCompared &&
    !composed.isWho;
  if (owner === undefined || !isPlain || composed.frames[0]!.time) return undefined;
  const { attributes } = schemas[owner];
  const counted = composed.head === 'user' ? 'account' : composed.head;
  const field = [`${counted}Count`, `${counted}s`].find((each) => attributes[each]?.type === 'number');
  const conditions = composed.frames[0]!.conditions;
  if (field === undefined || !conditions.every((each) => each.field === 'client' || each.field === 'partner')) return undefined;
  if (!conditions.every((each) => attributes[each.field])) return undefined;
  const where = allOf(conditions.map(signed));
  return { entity: owner, measure: { kind: 'mean', field }, ...(where && { where }) };
}
