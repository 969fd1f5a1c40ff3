/**
 * Checks queries of a model against the question: only its names and values, and none of its words left behind.
 */
import type { Query, QueryFilter, QueryTime } from '@parapet/contract/rules/query.ts';
import { checkQuery } from '../../domain/query/check.ts';
import type { Attribute } from '../../domain/query/schema.ts';
import type { Lexicon } from './parsing/lexicon.ts';
import { findNames } from './parsing/names.ts';
import { edgesOf, type Segment, segmentsOf } from './parsing/segments.ts';
import { findTimes } from './parsing/times.ts';
import { tidy, tokensOf } from './parsing/tokens.ts';
import type { Vocabulary } from './parsing/vocabulary.ts';

export interface PlanInput {
  question: string;
  lexicon: Lexicon;
  vocabulary: Vocabulary;
  now: number;
  timeZone: string;
}

/** Times as the portal reads their words; a model does not compute them. */
export function withOwnTimes<T>(value: T, input: Pick<PlanInput, 'now' | 'timeZone'>): T {
  if (Array.isArray(value)) return value.map((each) => withOwnTimes(each, input)) as T;
  if (typeof value !== 'object' || value === null) return value;
  if ('start' in value && 'end' in value && 'label' in value)
    return (findTimes(String(value.label), input.now, input.timeZone)[0]?.timeframe ?? { ...value, label: '' }) as T;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withOwnTimes(each, input)])) as T;
}

export interface Plan {
  queries: Query[];
  /** Words that the lexicon lacks, with the entity, field or value that they stand for. */
  words: { said: string; means: string }[];
}

/** The first fault of a plan, as a sentence; undefined for a valid one. */
export function planFault({ queries, words }: Plan, input: PlanInput): string | undefined {
  const fault = queries.map(checkQuery).find((each) => each !== undefined);
  if (fault !== undefined) return fault;
  if (queries.some((query) => timesOf(query).some(({ label }) => label === ''))) return 'It has a time that is not understood.';
  const text = tidy(input.question);
  const foreign = queries.flatMap((query) => namesOf(query, input, text))[0];
  if (foreign !== undefined) return `It names ${foreign.slice(0, 100)}, which the question does not.`;
  const json = JSON.stringify(queries).toLowerCase();
  const empty = words.find(({ means }) => !json.includes(`"${means.toLowerCase()}"`));
  if (empty) return `It has nothing that is ${empty.means.slice(0, 100)}.`;
  const readWords = words.flatMap((word) => tokensOf(tidy(word.said)).map((token) => token.text));
  const tokens = tokensOf(text);
  const { edges } = findNames({ ...input, tokens, text, previousTime: undefined });
  const left = segmentsOf(tokens, text, edgesOf(tokens, input.lexicon, edges)).find(
    (segment) => !isExpressed(segment, queries) || (segment.items.unknown && !readWords.includes(segment.text.toLowerCase())),
  );
  return left && `It leaves out ${left.text.slice(0, 100)}.`;
}

/** All parts of a query, at any depth. */
function partsOf(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(partsOf);
  return Array.isArray(value) ? inner : [value as Record<string, unknown>, ...inner];
}

const timesOf = (query: Query): QueryTime[] =>
  partsOf(query).filter((part): part is Record<string, unknown> & QueryTime => 'label' in part);

/** Names that the viewer’s scope or the question lacks, and texts that the question lacks. */
function namesOf(query: Query, { lexicon, vocabulary }: PlanInput, text: string): string[] {
  const { clients, devices, users, rules, techniques, tags, accounts } = vocabulary;
  const known = [
    ...clients.map(({ name }) => name),
    ...devices,
    ...users,
    ...rules,
    ...techniques.map(({ id }) => id),
    ...tags,
    ...accounts,
  ];
  const names = new Set(known.map((name) => name.toLowerCase()));
  const isSaid = (name: string) =>
    name
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .some((word) => word.length > 2 && text.toLowerCase().includes(word));
  const attributes = Object.values(lexicon.schemas).flatMap(({ attributes: own }) => Object.entries(own));
  const typesOf = (field: unknown) =>
    attributes.filter(([name]) => name === field).map(([, { type }]): Attribute['type'] => type);
  return partsOf(query).flatMap((part) => {
    if (typeof part.contains === 'string') return text.toLowerCase().includes(part.contains.toLowerCase()) ? [] : [part.contains];
    if (!Array.isArray(part.in)) return [];
    const types = typesOf(part.field);
    const isName = types.includes('name') || types.includes('names');
    return isName || types.includes('text')
      ? part.in.map(String).filter((name) => !isSaid(name) || (isName && !names.has(name.toLowerCase())))
      : [];
  });
}

/** True if the queries contain the segment’s meaning. Unknown words are read by the model. */
function isExpressed({ items }: Segment, queries: readonly Query[]): boolean {
  const parts = queries.flatMap(partsOf);
  const has = (test: (part: Record<string, unknown>) => boolean) => parts.some(test);
  if (items.filler || items.unknown) return true;
  if (items.not || items.except)
    return has(
      (part) => 'not' in part || part.is === false || (Object(part.count).compare === '=' && Object(part.count).value === 0),
    );
  if (items.distinct) return has((part) => 'distinct' in part);
  if (items.superlative) return has((part) => 'orderBy' in part || part.kind === 'max' || part.kind === 'min');
  if (items.compare || items.between) return has((part) => 'compare' in part || 'within' in part || 'time' in part);
  if (items.group || items.bucket) return has((part) => 'groupBy' in part);
  if (items.versus || items.average) return has((part) => 'against' in part || 'groupBy' in part);
  if (items.measure && !['list', 'count', 'exists'].includes(items.measure.measure))
    return queries.some(({ measure }) => measure.kind === items.measure!.measure);
  if (items.time) return queries.some((query) => timesOf(query).length > 0);
  if (items.number) return has((part) => Object.values(part).includes(items.number!.value));
  if (items.value) return items.value.options.some(({ filter }) => has((part) => isSame(part, filter)));
  return true;
}

const isSame = (part: Record<string, unknown>, filter: QueryFilter): boolean =>
  'field' in filter &&
  part.field === filter.field &&
  (!('in' in filter) || (Array.isArray(part.in) && filter.in.some((value) => (part.in as unknown[]).includes(value)))) &&
  (!('is' in filter) || part.is === filter.is);
