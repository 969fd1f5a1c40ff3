/** Implicit subject of a part, and signs that a reading is a guess. */
import type { Query, QueryEntity } from '@parapet/contract/rules/query.ts';
import type { EntitySchema } from '../../../domain/query/schema.ts';
import { topOf } from './frames.ts';
import type { Segment } from './segments.ts';

/** All records of an entity: beside a narrower question it would be the remains of one. */
export const isBare = ({ measure, where, time, groupBy, orderBy, show }: Query): boolean =>
  measure.kind === 'list' && !where && !time && !groupBy && !orderBy && !show;

const plainly =
  /^(?:(?:do|does|we|have|has|are|there|is|in|on|of|for|all|please|pls|now|the|portal|our|my|i|you|to|exist|got|get|see|can|could|currently|right now|at the moment|ours|me|us|here|that|with|at|any|so|far|then|again|list|across|estate|whole|fleet|environment|scope|a|an|give|show|need|want|know|and|own|monitored|company|organisation|network|place|system|outbox|log|audit|inventory|everywhere)[ ,.?!]*)*$/i;
/** Words around the noun of a bare list are conditions that were not understood. */
export function saysMore(segments: readonly Segment[], head: QueryEntity): boolean {
  const noun = segments.findIndex(({ items }) => items.entity ?? items.value?.noun);
  const wordsOf = (some: readonly Segment[]) => some.map(({ text }) => text).join(' ');
  const isOne = segments.every(({ items, isPlural }) => !items.entity || !isPlural);
  return (
    !plainly.test(wordsOf(segments.slice(noun + 1))) ||
    (isOne && head !== 'risk' && /^(?:(?:on|in|at|from|of) )?(?:which|what) /i.test(wordsOf(segments)))
  );
}

/** A related noun that every record has: the words around it were understood as nothing. */
export const isIdle = ({ where, orderBy }: Query, { attributes }: EntitySchema): boolean =>
  orderBy?.field !== 'count' &&
  topOf(where).some(
    (filter) => 'some' in filter && !filter.where && !filter.time && !filter.count && attributes[filter.some]?.type === 'name',
  );

/** "MTTA, MTTC and MTTR": one mean each. */
export function severalMeans(query: Query, { attributes }: EntitySchema): Query[] {
  const { show = [], ...rest } = query;
  const isMean = query.measure.kind === 'mean' || query.measure.kind === 'median';
  if (!isMean || show.length === 0 || !show.every((field) => attributes[field]?.type === 'number')) return [query];
  const { kind } = query.measure as { kind: 'mean' };
  return [rest, ...show.map((field) => ({ ...rest, measure: { kind, field } }))];
}

/** True if all nouns name a value or a choice of the entity as well: "agent source", "mails I signed up for". */
export const areValuesOf = (head: QueryEntity, segments: readonly Segment[], { attributes }: EntitySchema): boolean =>
  segments.every(
    ({ items }) =>
      !items.entity ||
      items.value?.options.some(({ entity }) => entity === head) ||
      (attributes[items.entity.entity] && attributes[items.entity.entity]?.type !== 'number') ||
      items.attribute?.options.some(({ entity, field }) => entity === head && attributes[field]?.type === 'choice'),
  );

/** Entities that the values and verbs of a part can belong to. */
export function impliedBy(segments: readonly Segment[]): QueryEntity[] {
  const lists = segments.flatMap(({ items, text }) => {
    // "Of partners" qualifies a noun.
    if (/^(?:of|at|from) /i.test(text)) return [];
    const options = [...(items.value?.options ?? []), ...(items.verb?.options ?? []), ...(items.attribute?.options ?? [])];
    const isGrammar =
      items.bucket ?? items.measure ?? items.filler ?? items.compare ?? items.preposition ?? items.have ?? items.group;
    return options.length > 0 && !isGrammar && !(items.entity && options.length < 3)
      ? [new Set(options.map(({ entity }) => entity))]
      : [];
  });
  const [first, ...rest] = lists;
  // "Our busiest month": of alerts.
  if (!first && segments.some(({ items }) => items.bucket) && segments.some(({ items }) => items.superlative)) return ['alert'];
  return first ? [...first].filter((entity) => rest.every((list) => list.has(entity))) : [];
}
