/**
 * Parses a question into queries. All readings are built and ranked; one is taken only if it consumed every word. Pure: names, time and zone come from
 * outside.
 */
import type { Query, QueryEntity, QueryFilter, QueryTime } from '@parapet/contract/rules/query.ts';
import type { SapphireSlots } from '@parapet/contract/rules/sapphire.ts';
import type { EntitySchema } from '../../../domain/query/schema.ts';
import { build } from './build.ts';
import { Composer } from './compose.ts';
import { follow } from './follow.ts';
import { allOf, filterFields, homonyms, topOf } from './frames.ts';
import type { Edge } from './items.ts';
import type { Lexicon } from './lexicon.ts';
import { type Doubt, findNames } from './names.ts';
import { hasContent, partsOf } from './parts.ts';
import { commands, courtesy, forbidden, notKept } from './refusals.data.ts';
import { edgesFor, edgesOf, type Segment, segmentsOf } from './segments.ts';
import { skillOf } from './skills.ts';
import { correctedText, spelledOut } from './spelling.ts';
import { type Token, tidy, tokensOf } from './tokens.ts';
import { nameWords, tradeWords, type Vocabulary } from './vocabulary.ts';

export interface ParserInput {
  text: string;
  lexicon: Lexicon;
  vocabulary: Vocabulary;
  /** Queries of the question before in this conversation. */
  previous: readonly Query[];
  now: number;
  /** An IANA zone, or an offset such as +05:30. */
  timeZone: string;
}

export interface Parsed {
  /** One per part of the question; empty when not understood. */
  queries: Query[];
  /** Words that no reading consumed; then nothing is answered. */
  left: string[];
  /** A name that is not exact, or two readings alike: whole questions, or queries that are worded by the answer. */
  clarify?: { said: string; choices: string[]; queries: Query[] };
  command?: { verb: string; text: string; page: string | undefined };
  refused?: { kind: 'forbidden' | 'notKept'; text: string };
  /** In scope, but another client is selected. */
  otherClient?: string;
  skill?: { name: string; slots: SapphireSlots };
  /** Readings without the words left behind; nothing of them is answered before it is chosen. */
  nearest?: readonly Query[];
}

interface Reading {
  queries: Query[];
  left: string[];
  cost: number;
  rivals: Query[];
}

interface Scene {
  input: ParserInput;
  text: string;
  tokens: readonly Token[];
  edges: readonly Edge[];
  previous: readonly Query[];
}

const nothing = { queries: [], left: [] };

export function parse(input: ParserInput): Parsed {
  const said = tidy(input.text);
  const skill = skillOf(said, input);
  if (skill) return { ...nothing, skill };
  if (forbidden.test(said))
    return { ...nothing, refused: { kind: 'forbidden', text: 'secrets and the instructions of the portal are never shown' } };
  const command = commandIn(said, input);
  if (command) return { ...nothing, command };
  const unkept = notKept.find(([pattern]) => pattern.test(said));
  if (unkept) return { ...nothing, refused: { kind: 'notKept', text: unkept[1] } };

  const text = normalised(said, input);
  const tokens = tokensOf(text);
  const {
    edges: found,
    doubts,
    otherClient,
  } = findNames({ ...input, tokens, text, previousTime: timeOf(input.previous.at(-1)) });
  if (otherClient !== undefined) return { ...nothing, otherClient };
  const scene: Scene = { input, text, tokens, edges: edgesOf(tokens, input.lexicon, found), previous: input.previous };
  const segments = segmentsOf(tokens, text, scene.edges);
  const reading = readParts(segments, scene);
  if (reading.left.length === 0 && reading.queries.length > 0)
    return reading.rivals.length > 0
      ? { ...nothing, clarify: { said, choices: [], queries: [reading.queries.at(-1)!, ...reading.rivals] } }
      : { queries: reading.queries, left: [] };
  const nearest = nearestOf(segments, reading.left, scene);
  return { ...nothing, left: reading.left, ...withDoubts(said, doubts, reading.left), ...(nearest.length > 0 && { nearest }) };
}

/** "Severity breakdown", "client-wise": what is divided by comes first. */
const divided =
  /\b(reason|severity|status|state|client|customer|tenant|partner|rule|device|host|user|type|verdict|role|month|week|day|weekday|hour|analyst|owner|tactic|technique|category|action|kind)(?:[ -]wise| breakdown| split| distribution)\b/gi;
/** "…, admins excluded", "with Dogwood left out". */
const excludedAfter =
  /(^|[,;(]|\bwith\b)\s*((?:[\w'-]+ ){0,3}[\w'-]+) (?:excluded|aside|apart|left out|not included|omitted|not counted|taken out|(?:do|does)(?:n't|nt| not) count)(?=\s*(?:[,;.)?]|$))/gi;

/** Misspelt words corrected, and turns of phrase that embrace what they concern put before it: "take Alder out". */
function normalised(text: string, { lexicon, vocabulary }: ParserInput): string {
  return correctedText(spelledOut(text), lexicon, tradeWords(vocabulary), nameWords(vocabulary))
    .replace(divided, 'by $1')
    .replace(excludedAfter, '$1 excluding $2')
    .replace(/\b(?:take|leave|filter|cut|keep) ((?:\S+ ){0,5}?\S+) out\b/gi, 'excluding $1')
    .replace(/\bnot (?:assigned to|owned by)(?! me\b)/gi, 'not of');
}

/** Asked back if the question is one with a similar name in place of the unknown. */
function withDoubts(text: string, doubts: readonly Doubt[], left: readonly string[]): Pick<Parsed, 'clarify'> {
  const doubt = doubts.find(({ said }) =>
    said
      .toLowerCase()
      .split(' ')
      .some((word) => left.some((each) => each.toLowerCase().includes(word))),
  );
  if (!doubt) return {};
  const choices = doubt.names.map((name) => {
    const [first = ''] = name.split(' ');
    const whole = text.replace(doubt.said, name);
    return whole.replace(new RegExp(`\\b${first.replace(/[^\p{L}]/gu, '')} (?=${first.replace(/[^\p{L}]/gu, '')} )`, 'iu'), '');
  });
  const others = left.filter((word) => !doubt.said.toLowerCase().includes(word.toLowerCase()));
  return others.length === 0
    ? { clarify: { said: doubt.said, choices: choices.map((choice) => choice.slice(0, 200)), queries: [] } }
    : {};
}

/** Times that words are taken out before the question counts as another one. */
const maxRounds = 3;

/** Readings of the words that are understood, while these are the greater part and none that is left narrows the others. */
function nearestOf(segments: readonly Segment[], left: readonly string[], scene: Scene): Query[] {
  let [kept, unread] = [segments, left];
  for (let round = 0; round < maxRounds; round++) {
    const without = kept.filter(({ text }) => !unread.includes(text));
    const dropped = segments.filter((each) => !without.includes(each) && hasContent(each));
    if (without.length === kept.length || dropped.some(narrows) || dropped.length > without.filter(hasContent).length) return [];
    const reading = readParts(without, scene);
    if (reading.left.length === 0)
      return [...reading.queries, ...reading.rivals, ...mentioning(reading.queries, dropped, scene)].slice(0, 3);
    [kept, unread] = [without, reading.left];
  }
  return [];
}

/** The question narrowed by the one word that is not understood, looked for in texts. */
function mentioning(queries: readonly Query[], dropped: readonly Segment[], { input }: Scene): Query[] {
  const [query, another] = queries;
  const [word, more] = dropped;
  if (!query || another || !word || more || !/^[\w.-]{3,60}$/.test(word.text)) return [];
  if (!input.lexicon.schemas[query.entity].attributes.text) return [];
  return [{ ...query, where: allOf([...topOf(query.where), { field: 'text', contains: word.text }])! }];
}

const narrows = ({ items }: Segment): boolean => Boolean(items.not ?? items.except ?? items.only);

function commandIn(text: string, { previous }: ParserInput): Parsed['command'] {
  const bare = text.replace(courtesy, '');
  for (const [pattern, what, page] of commands) {
    const verb = pattern.exec(bare)?.[0];
    // "Close" of "close calls", "release notes" are no commands: something must follow the verb.
    if (
      verb !== undefined &&
      /\s\S/.test(bare) &&
      !(previous.length > 0 && /^(?:set|change|drop|remove|add)\b/i.test(verb) && bare.split(/\s+/).length <= 4)
    )
      return { verb: verb.toLowerCase(), text: what, page };
  }
  return undefined;
}

/** Divides at breaks, and where a new measure begins; parts without a noun of their own continue from the part before. */
function readParts(segments: readonly Segment[], scene: Scene): Reading {
  const { context, parts } = partsOf(segments);
  let queries: Query[] = [];
  const whole: Reading = { queries: [], left: [], cost: 0, rivals: [] };
  for (const [index, part] of parts.entries()) {
    const reading = readPart([...part], { ...scene, previous: index === 0 ? scene.previous : queries }, context, index > 0);
    whole.left.push(...reading.left);
    whole.cost += reading.cost;
    if (parts.length === 1) whole.rivals = reading.rivals;
    queries = reading.queries.map((query) => (index === 0 ? query : withClientOf(query, queries.at(-1))));
    const remains =
      index > 0 && ((queries.some(isBare) && !whole.queries.every(isBare)) || isSame(queries, whole.queries.slice(-1)));
    if (remains) whole.left.push(...part.filter(hasContent).map(({ text }) => text));
    // "… this week? Alder or Cedar": words without a measure or a noun narrow the part before.
    if (
      index > 0 &&
      reading.left.length === 0 &&
      part.every(({ items }) => !items.measure && !items.entity && !items.reference && !items.who && !items.attribute)
    )
      whole.queries.pop();
    // "How many alerts and how many cases last week": the time holds for both.
    if (index > 0 && parts[index - 1]!.at(-1)!.items.and) {
      const { time } = whole.queries.at(-1) ?? {};
      queries = queries.map((query) =>
        time && !query.where && !query.time && scene.input.lexicon.schemas[query.entity].time ? { ...query, time } : query,
      );
      whole.queries = whole.queries.map((query) => (query.where || query.time ? query : withSharedOf(query, queries.at(-1))));
    }
    whole.queries.push(...queries);
  }
  if (parts.length === 0) whole.left.push(...segments.filter(({ items }) => items.unknown).map(({ text }) => text));
  return whole;
}

/** The client of the part before holds for the next, unless it names its own. */
function withClientOf(query: Query, before: Query | undefined): Query {
  const client = topOf(before?.where).find(
    (filter) => 'field' in filter && (filter.field === 'client' || filter.field === 'partner'),
  );
  const hasOwn = (query.where ? fieldsIn(query.where) : []).some((field) => field === 'client' || field === 'partner');
  if (!client || hasOwn || query.groupBy?.includes('client')) return query;
  return { ...query, where: allOf([...topOf(query.where), client])! };
}
const fieldsIn = (filter: QueryFilter): string[] =>
  'some' in filter && filter.where ? [...filterFields(filter), ...fieldsIn(filter.where)] : filterFields(filter);

const isSame = (one: readonly Query[], other: readonly Query[]): boolean => JSON.stringify(one) === JSON.stringify(other);

/** "The month before" is relative to the time of the question before, also of a state: "closed this month". */
const timeOf = (query: Query | undefined): QueryTime | undefined =>
  query?.time ?? topOf(query?.where).flatMap((filter) => ('within' in filter ? [filter.within] : []))[0];

/** All records of an entity: beside a narrower question it would be the remains of one. */
export const isBare = ({ measure, where, time, groupBy, orderBy, show }: Query): boolean =>
  measure.kind === 'list' && !where && !time && !groupBy && !orderBy && !show;

/** The best reading of a part: as a whole, or divided at a comma or "and". */
function readPart(part: Segment[], scene: Scene, context: Segment[], isContinued: boolean): Reading {
  const whole = bestOf(readWhole([...context, ...part], scene, isContinued), part);
  if (whole.left.length === 0 && whole.queries.length > 0) return whole;
  for (let at = 1; at < part.length - 1; at++) {
    const { items } = part[at]!;
    if (!(items.and ?? items.comma) || !part.slice(at + 1).some(hasContent)) continue;
    const begins = part.slice(at + 1).find(hasContent)!.items;
    if (begins.except ?? begins.only ?? begins.group ?? begins.order ?? (begins.not && !begins.measure)) continue;
    // "Leave out the deleted ones and the school": one exclusion.
    if (part.slice(0, at).some(({ items: own }) => own.except) && !(begins.measure ?? begins.which ?? begins.who)) continue;
    const first = bestOf(readWhole([...context, ...part.slice(0, at)], scene, isContinued), part);
    if (first.left.length > 0 || first.queries.length === 0) continue;
    const second = readPart(part.slice(at + 1), { ...scene, previous: first.queries }, context, true);
    if (second.left.length > 0 || second.queries.length === 0) continue;
    if (second.queries.some(isBare) && !first.queries.every(isBare)) continue;
    if (isSame(first.queries, second.queries)) continue;
    const shared = first.queries.map((query) => (query.where || query.time ? query : withSharedOf(query, second.queries.at(-1))));
    return {
      queries: [...shared, ...second.queries.map((query) => withClientOf(query, first.queries.at(-1)))],
      left: [],
      cost: first.cost + second.cost + 1,
      rivals: [],
    };
  }
  return whole;
}

/** "Alerts and cases at Birch this week": what follows holds for both. */
const withSharedOf = (query: Query, next: Query | undefined): Query => {
  const client = topOf(next?.where).filter((filter) => 'field' in filter && filter.field === 'client');
  const where = allOf(client);
  return { ...query, ...(where && { where }), ...(next?.time && { time: next.time }) };
};

const bestOf = (readings: readonly Reading[], segments: readonly Segment[]): Reading => {
  const [first, ...rest] = [...readings].sort((a, b) => a.left.length - b.left.length || a.cost - b.cost);
  if (!first) return { queries: [], left: segments.filter(hasContent).map(({ text }) => text), cost: 0, rivals: [] };
  const rivals = rest.filter(
    ({ left, cost, queries }) =>
      left.length === 0 && first.left.length === 0 && cost - first.cost < 0.05 && queries[0]?.entity !== first.queries[0]?.entity,
  );
  return { ...first, rivals: rivals.slice(0, 3).flatMap(({ queries }) => queries.slice(0, 1)) };
};

/** Meant rather than others when no noun says it. */
const usual: readonly QueryEntity[] = ['alert', 'case', 'device'];

/** One reading for each entity that the part can be about. */
function readWhole(
  segments: readonly Segment[],
  { input, previous, tokens, text, edges }: Scene,
  isContinued: boolean,
): Reading[] {
  const { schemas } = input.lexicon;
  const covered = (head: QueryEntity): Segment[] => {
    const own = edgesFor(edges, new Set([head, ...said, ...nouns]));
    const ranges: [number, number][] = [];
    for (const { from, to } of segments) {
      const last = ranges.at(-1);
      if (last && last[1] === from) last[1] = to;
      else ranges.push([from, to]);
    }
    return ranges.flatMap(([from, to]) => segmentsOf(tokens, text, own, from, to));
  };
  const before = previous.at(-1);
  // Nouns inside longer words count: "closed cases" is a kind of mail as well.
  const isInside = ({ from, to }: Edge) =>
    segments.some((segment) => segment.from <= from && to <= segment.to && !segment.items.value?.isName && !segment.items.time);
  const said = [...new Set(edges.flatMap((edge) => (edge.item.kind === 'entity' && isInside(edge) ? [edge.item.entity] : [])))];
  const nouns = segments.flatMap(({ items, isPlural }, index) =>
    items.value?.noun && !segments[index - 1]?.items.group && (isPlural || !segments[index + 1]?.items.entity)
      ? [items.value.noun]
      : [],
  );
  const heads = new Set<QueryEntity>([...said, ...nouns, ...said.flatMap((entity) => homonyms[entity] ?? [])]);
  const isAlone = said.length === 0;
  const isWild =
    !isContinued &&
    segments.some(({ items, text: word }) => items.anything && /^(?:(?:any|every|some)thing|stuff|all)$/i.test(word));
  if (isAlone && nouns.length === 0 && (!before || isWild)) for (const entity of impliedBy(segments)) heads.add(entity);
  if (heads.size === 0 && before) heads.add(before.entity);
  const readings: Reading[] = [];
  const read = (head: QueryEntity) => {
    const composed = new Composer(covered(head), head, schemas, input.now, before !== undefined).run();
    const { query, left } = build(composed, schemas, undefined);
    const isReferring = composed.reference !== undefined && before === undefined;
    const first = segments.findIndex(({ items }) => items.entity?.entity === head || items.value?.noun === head);
    const isHidden = first < 0 && said.includes(head);
    const place =
      segments.slice(0, Math.max(0, first)).filter(({ items }) => items.entity ?? items.value?.noun).length +
      (!said.includes(head) && said.some((entity) => homonyms[entity]?.includes(head)) ? 0.4 : 0);
    const isNoun = heads.has(head) && (said.length > 0 || nouns.length > 0);
    // Words that any entity has ("open", "Birch") alone are a question about none.
    // The name of a rule alone is about its alerts.
    const isOfRule =
      head === 'alert' &&
      segments.some(({ items }) =>
        items.value?.options.some(
          (option) => (items.value!.isName && option.field === 'rule') || (option.entity === 'alert' && option.field === 'text'),
        ),
      );
    const unsaid = isNoun ? 0 : isOfRule ? 0.8 : usual.includes(head) ? 1 : 1.1;
    const isOnlyShown =
      !isNoun &&
      (composed.measure === undefined || composed.measure === 'list') &&
      composed.superlative === undefined &&
      query.where === undefined &&
      query.time === undefined;
    if (isOnlyShown) left.push(...segments.filter(hasContent).map((segment) => segment.text));
    if (composed.reference === undefined || before === undefined)
      readings.push({
        queries: [query],
        left: isReferring ? [...left, 'those'] : left,
        cost: composed.cost + place * 0.3 + unsaid + (isHidden ? 0.2 : 0),
        rivals: [],
      });
  };
  for (const head of heads) read(head);
  // "Agent source only": the noun was no subject.
  const hasSubject = segments.some(({ items, isPlural }) => items.entity && isPlural);
  if (!hasSubject && !isContinued && readings.every(({ left }) => left.length > 0) && (!before || isWild))
    for (const head of impliedBy(segments)) if (!heads.has(head) && areValuesOf(head, segments, schemas[head])) read(head);
  if (
    before &&
    (isAlone || segments.some(({ items }) => items.reference ?? (said.includes(before.entity) ? undefined : items.anything))) &&
    segments.some(hasContent)
  ) {
    const composed = new Composer(covered(before.entity), before.entity, schemas, input.now, true).run();
    const { query, left } = follow(before, build(composed, schemas, before), composed, schemas);
    readings.push({
      queries: [query],
      left,
      cost: composed.cost - 1.5 + (nouns.length > 0 && !nouns.includes(before.entity) ? 1.5 : 0),
      rivals: [],
    });
  }
  return readings;
}

/** True if all nouns name a value or a choice of the entity as well: "agent source", "mails I signed up for". */
const areValuesOf = (head: QueryEntity, segments: readonly Segment[], { attributes }: EntitySchema): boolean =>
  segments.every(
    ({ items }) =>
      !items.entity ||
      items.value?.options.some(({ entity }) => entity === head) ||
      (attributes[items.entity.entity] && attributes[items.entity.entity]?.type !== 'number') ||
      items.attribute?.options.some(({ entity, field }) => entity === head && attributes[field]?.type === 'choice'),
  );

/** Entities that the values and verbs of a part can belong to. */
function impliedBy(segments: readonly Segment[]): QueryEntity[] {
  const lists = segments.flatMap(({ items }) => {
    const options = [...(items.value?.options ?? []), ...(items.verb?.options ?? []), ...(items.attribute?.options ?? [])];
    return options.length > 0 && !items.measure && !items.filler && !(items.entity && options.length < 3)
      ? [new Set(options.map(({ entity }) => entity))]
      : [];
  });
  const [first, ...rest] = lists;
  return first ? [...first].filter((entity) => rest.every((list) => list.has(entity))) : [];
}
