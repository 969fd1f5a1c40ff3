/** Continues from the question before: what is said replaces what it concerns, the rest stays. */
import type { Query, QueryFilter } from '@parapet/contract/rules/query.ts';
import type { Built } from './build.ts';
import type { Composed } from './composed.ts';
import { allOf, filterFields, type Schemas, topOf } from './frames.ts';

/** "Cedar", then "not Cedar". */
const contradicts = (fresh: QueryFilter, kept: QueryFilter): boolean =>
  'not' in fresh &&
  'in' in fresh.not &&
  'in' in kept &&
  fresh.not.field === kept.field &&
  kept.in.every((value) => 'in' in fresh.not && fresh.not.in.includes(value));

/** "Mine" and "unassigned" say who the analyst is. */
const concept = (field: string): string =>
  field === 'isMine' || field === 'isAssigned' ? 'analyst' : field === 'isWeekend' ? 'weekday' : field;

/** `built` is the reading of the new words with the entity of the question before. */
export function follow(previous: Query, { query, left }: Built, composed: Composed, schemas: Schemas): Built {
  const fresh = topOf(query.where);
  const { superlative } = composed;
  // "Only the top 3": of the groups before.
  if (previous.groupBy && superlative && fresh.length === 0 && !query.groupBy && !composed.isHeadSaid)
    if (superlative.isTime || superlative.field !== undefined || superlative.related !== undefined)
      return { query, left: [...left, superlative.isMost ? 'most' : 'least'] };
    else
      return {
        query: { ...previous, orderBy: { field: 'count', isAscending: !superlative.isMost }, limit: composed.limit ?? 1 },
        left,
      };
  // "Does it have …" after the first of an order concerns that one; only its number is kept, not the record.
  if (composed.reference === 'those' && previous.limit !== undefined && fresh.length > 0) return { query, left: [...left, 'it'] };
  const isNarrowing = composed.reference === 'those';
  const fields = new Set(fresh.flatMap((filter) => ('not' in filter ? [] : filterFields(filter).map(concept))));
  let kept = topOf(previous.where);
  if (composed.reference === 'rest' || composed.isElliptic) {
    const last = kept.at(-1);
    if (last === undefined) return { query, left: [...left, composed.isElliptic ? 'not' : 'the rest'] };
    kept = [...kept.slice(0, -1), 'not' in last ? last.not : { not: last }];
  } else if (!isNarrowing)
    kept = kept
      .filter((filter) => !fresh.some((each) => contradicts(each, filter)))
      .filter((filter) => !filterFields(filter).some((field) => fields.has(concept(field))));
  if (previous.measure.kind === 'share' && composed.measure === 'count') kept.push(previous.measure.of);
  // "Closed in October", "and in September": the new time takes the place of the old, of whatever time it was.
  // "New ones in November" after those fixed then: another time is meant.
  if (composed.hasTimeVerb) kept = kept.filter((filter) => !('within' in filter));
  const timed = query.time && kept.find((filter) => 'within' in filter);
  if (timed && 'within' in timed) kept = kept.map((filter) => (filter === timed ? { ...timed, within: query.time! } : filter));
  const where = allOf([...kept, ...fresh]);
  const time = timed ? previous.time : (query.time ?? previous.time);
  const isMeasured =
    composed.measure !== undefined || composed.groups.length > 0 || composed.isWho || composed.superlative !== undefined;
  const groups = query.groupBy ?? (composed.measure === undefined && !composed.superlative ? previous.groupBy : undefined);
  // "Split by partner" divides what was measured.
  const isOnlyDivided =
    composed.measure === undefined &&
    !composed.isWho &&
    composed.superlative === undefined &&
    previous.measure.kind !== 'list' &&
    previous.measure.kind !== 'exists';
  const measure = isMeasured && !isOnlyDivided && !(composed.measure === 'list' && groups) ? query.measure : previous.measure;
  const order = query.orderBy ?? (groups === previous.groupBy ? previous.orderBy : undefined);
  const limit = query.limit ?? (order === previous.orderBy && !isMeasured ? previous.limit : undefined);
  const against = query.against ?? (query.time === undefined || previous.against?.average ? previous.against : undefined);
  const show = query.show ?? (composed.reference === 'same' ? previous.show : undefined);
  const next: Query = {
    entity: previous.entity,
    measure: measure.kind === 'exists' && fresh.length > 0 && composed.measure === undefined ? { kind: 'list' } : measure,
    ...(where && { where }),
    ...(time && schemas[previous.entity].time !== undefined && { time }),
    ...(groups && { groupBy: groups }),
    ...(order && { orderBy: order }),
    ...(limit !== undefined && { limit }),
    ...(against && { against }),
    ...(show && { show }),
  };
  return { query: next, left };
}
