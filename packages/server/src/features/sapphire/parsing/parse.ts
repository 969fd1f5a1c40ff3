/**
 * Parses a question into queries. All readings are built and ranked; one is taken only if it consumed every word. Pure: names, time and zone come from
 * outside.
 */
import type { Query, QueryFilter, QueryTime } from '@parapet/contract/rules/query.ts';
import { suggestedQuestions } from '@parapet/contract/rules/sapphire.ts';
import { asideOf } from './asides.ts';
import { learnedOf } from './assembled.ts';
import { commandIn } from './commands.ts';
import { doingsOf, habitsOf, withClientAsked } from './doings.ts';
import { isDoubtful, ratio } from './doubt.ts';
import { allOf, filterFields, topOf } from './frames.ts';
import { askFrames, askRewritings } from './idioms.ask.data.ts';
import { caseRewritings } from './idioms.cases.data.ts';
import { applied, frames, rewritings } from './idioms.data.ts';
import { furtherRewritings } from './idioms.log.data.ts';
import { talkFrames, talkRewritings } from './idioms.talk.data.ts';
import { isBare } from './implied.ts';
import { findNames } from './names.ts';
import { nearestOf, withDoubts } from './nearest.ts';
import { normalised } from './normalised.ts';
import { candidatesOf, maxOffers, offersOf } from './offers.ts';
import { paraphrased } from './paraphrases.ts';
import type { Parsed, ParserInput } from './parsed.ts';
import { hasContent, partsOf } from './parts.ts';
import { withPronouns } from './pronouns.ts';
import { type Candidate, questionOf, rank } from './ranking.ts';
import { type Reading, readWhole, type Scene } from './readings.ts';
import { lostReference, withReferents } from './referents.ts';
import { forbidden, notKept } from './refusals.data.ts';
import { edgesOf, type Segment, segmentsOf } from './segments.ts';
import { skillOf, unfiltered } from './skills.ts';
import { subjectQueries } from './subject.ts';
import { tidy, tokensOf } from './tokens.ts';

const [nothing, suggested] = [{ queries: [], left: [] }, new Set<string>(suggestedQuestions)];

/** Names in place of "that host"; where these words would be lost, there is no reading. */
export function parse(input: ParserInput): Parsed {
  const own = withReferents(input);
  const named = own && parseDashed(own);
  const parsed = named?.left.length === 0 ? named : parseDashed(input);
  if (named && (parsed === named || parsed.queries.length === 0)) return named;
  const lost = lostReference(input, parsed);
  return lost === undefined
    ? parsed
    : { ...nothing, left: [lost], nearest: [...(named?.nearest ?? []), parsed.queries].slice(0, maxOffers) };
}

/** "Deaf devices - how many": a dash is a comma where the question is not understood without it. */
function parseDashed(input: ParserInput): Parsed {
  const parsed = withPronouns(input, parseText(input), (whole) =>
    parseText({ ...input, text: whole, previous: [], isAgain: true }),
  );
  const text = input.text.replace(dashes, ', ');
  if (parsed.left.length === 0 || text === input.text || input.isAgain) return parsed;
  const again = parseText({ ...input, text });
  return again.queries.length > 0 ? again : parsed;
}
const dashes =
  /(?<=[a-z]{3}|\?) --? (?=[a-z']{2,})(?!(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b)/gi;

const namesOf = ({ rules, techniques, tags, clients }: ParserInput['vocabulary']): string[] => [
  ...rules,
  ...tags,
  ...techniques.map(({ name }) => name),
  ...clients.map(({ name }) => name),
];

function parseText(input: ParserInput): Parsed {
  const aside = input.isAgain ? undefined : asideOf(tidy(input.text), firstWords(input.vocabulary));
  if (aside === undefined) return parseQuestion(input);
  const main = parseQuestion({ ...input, text: aside.main });
  if (aside.isPlain || main.queries.length === 0) return main;
  const { nearest, clarify } = parseQuestion(input);
  const others = (nearest ?? clarify?.queries ?? []).filter((each) => !isSame(each, main.queries));
  return {
    ...nothing,
    clarify: { phrase: input.text.slice(0, 200), choices: [], queries: [main.queries, ...others].slice(0, maxOffers) },
  };
}

const firstWords = ({ clients, otherClients }: ParserInput['vocabulary']): string[] =>
  [...clients, ...otherClients].map(({ name }) => name.split(' ')[0]!);

function parseQuestion(input: ParserInput): Parsed {
  const rewritten = paraphrased(
    [askFrames, talkFrames, frames, askRewritings, talkRewritings, caseRewritings, rewritings, furtherRewritings].reduce(
      applied,
      withClientAsked(habitsOf(doingsOf(tidy(input.text), input.vocabulary)), input.vocabulary),
    ),
    namesOf(input.vocabulary),
  ).trim();
  const skill = skillOf(rewritten, input);
  if (skill && !unfiltered.includes(skill.name)) return { ...nothing, skill };
  if (forbidden.test(tidy(input.text)))
    return { ...nothing, refused: { kind: 'forbidden', text: 'secrets and the instructions of the portal are never shown' } };
  const command = commandIn(rewritten, input);
  if (command) return { ...nothing, command };
  const unkept = notKept.find(([pattern]) => pattern.test(rewritten));
  if (unkept) return { ...nothing, refused: { kind: 'notKept', text: unkept[1] } };

  const text = normalised(input.previous.length > 0 ? rewritten.replace(there, 'on it') : rewritten, input);
  const tokens = tokensOf(text);
  const {
    edges: found,
    doubts,
    otherClient,
  } = findNames({ ...input, tokens, text, previousTime: timeOf(input.previous.at(-1)) });
  if (otherClient !== undefined) return { ...nothing, otherClient };
  const scene: Scene = { input, text, tokens, edges: edgesOf(tokens, input.lexicon, found), previous: input.previous };
  const segments = segmentsOf(tokens, text, scene.edges);
  const subject = subjectQueries(segments, input.now);
  if (subject) return { queries: subject, left: [] };
  if (skill) return { ...nothing, skill };
  const reading = readParts(segments, scene);
  const isRead = reading.left.length === 0 && reading.queries.length > 0;
  if (isRead && isSure(reading, segments, scene)) return { queries: reading.queries, left: [] };
  const near = isRead
    ? reading.alternatives.map((query) => [query])
    : nearestOf(segments, reading.left, input.lexicon, (remaining) => readParts(remaining, { ...scene, isAsked: true }));
  const supplied = isRead ? [] : suppliedWithNoun(segments, text, input);
  if (input.isAgain) {
    const all = [...(isRead ? [reading.queries] : supplied), ...near];
    return isRead ? clarified(rewritten, all) : { ...nothing, left: reading.left, ...(all.length > 0 && { nearest: all }) };
  }
  const learned = learnedOf(segments, input);
  const place = { text, tokens, segments, left: reading.left, lexicon: input.lexicon, before: input.previous.at(-1), learned };
  const read = readCandidates(isRead ? reading.queries : undefined, near, supplied);
  const candidates = candidatesOf(place, read, isRead, (again) => parse({ ...input, text: again, isAgain: true }));
  const question = questionOf(segments, reading.left, rewritten !== tidy(input.text).trim());
  const { ranked, none } = rank(candidates, learned.likely, input.lexicon.schemas, question);
  if (!input.isNamed) input.onRanked?.(ranked, none);
  if (isRead && !isDoubtful(reading, text, segments, learned, ranked, input.lexicon))
    return { queries: reading.queries, left: [] };
  const [bare] = near;
  const first = isRead
    ? [reading.queries, ...suppliedWithNoun(segments, text, input)]
    : [...aboutNamed(segments, reading.left, input), ...supplied, ...(bare ? [bare] : [])];
  const offers = offersOf(ranked, first, candidates, input.lexicon);
  if (isRead) return clarified(rewritten, offers);
  return {
    ...nothing,
    left: reading.left,
    ...(offers.length > 0 && { nearest: offers }),
    ...(input.isNamed
      ? {}
      : withDoubts(rewritten, doubts, reading.left, (again) => parse({ ...input, text: again, isNamed: true }))),
  };
}

/** The reading, or what is understood without the words that are not, and what else these words can be. */
const readCandidates = (reading: Query[] | undefined, near: readonly Query[][], supplied: readonly Query[][]): Candidate[] => [
  ...(reading ? [{ source: 'reading' as const, queries: reading, score: 1 }] : []),
  ...near.map((queries, at): Candidate => ({ source: reading ? 'challenger' : at === 0 ? 'bare' : 'near', queries, score: 1 })),
  ...supplied.map((queries): Candidate => ({ source: 'near', queries, score: 1 })),
];

const clarified = (phrase: string, queries: Query[][]): Parsed => ({ ...nothing, clarify: { phrase, choices: [], queries } });

/** Without a noun, the question of alerts and that of cases, every word of it understood. */
function suppliedWithNoun(segments: readonly Segment[], text: string, input: ParserInput): Query[][] {
  const isSaid = segments.some(({ items }) => items.entity ?? items.value?.noun ?? items.reference);
  if (isSaid || input.isAgain || input.previous.length > 0) return [];
  const wild = segments.find(({ items, text: word }) => items.anything && !/^all$/i.test(word));
  const wholeTexts = ['alerts', 'cases'].map((noun) => (wild ? text.replace(wild.text, noun) : `${noun} ${text}`));
  return wholeTexts.flatMap((whole) => {
    const { queries } = parse({ ...input, text: whole, isAgain: true });
    return queries.length > 0 && !queries.some(isBare) ? [queries] : [];
  });
}

/** "Is Birch in good shape": how the one client or device is that is named, where nothing else is understood. */
function aboutNamed(segments: readonly Segment[], left: readonly string[], input: ParserInput): Query[][] {
  const names = segments.filter(({ items: { value } }) => value?.isName && !value.isGuess);
  const isAlone = segments.every(
    ({ items, text }) =>
      !(items.entity ?? items.not ?? items.except ?? items.number ?? items.superlative ?? items.group) &&
      (!items.value || items.value.isName || items.filler || left.includes(text)),
  );
  const [name, another] = names;
  if (!name || another || !isAlone) return [];
  const times = segments
    .filter(({ items, text: word }) => items.time && !left.includes(word) && !left.includes(items.time.time.label))
    .map(({ text }) => text);
  const text = ['how is', name.text, 'doing', ...times].join(' ');
  const { queries } = parse({ ...input, text, previous: [], isAgain: true });
  return queries.length > 1 ? [queries] : [];
}

/** True without a search for other readings: of a suggested question, and of a continuation of the question before. */
function isSure({ queries, alternatives, isGuess }: Reading, segments: readonly Segment[], scene: Scene): boolean {
  const { input, text } = scene;
  if (alternatives.length > 0 || isGuess || ratio.test(text)) return false;
  if (input.isAgain || input.isUndoubted || suggested.has(input.text)) return true;
  const isWhole = () =>
    segments.some(({ items }) => items.entity) && isSame(readParts(segments, { ...scene, previous: [] }).queries, queries);
  return input.previous.length > 0 && !isWhole();
}

/** The place that the question before was about. */
const there = /\b(?:(?:in|on|at|from|over) )?there(?= *(?:[?.!,]|$))/i;

/** Divides at breaks, and where a new measure begins; parts without a noun of their own continue from the part before. */
function readParts(segments: readonly Segment[], scene: Scene): Reading {
  const { context, parts } = partsOf(segments);
  let queries: Query[] = [];
  const whole: Reading = { queries: [], left: [], cost: 0, alternatives: [], isGuess: false };
  for (const [index, part] of parts.entries()) {
    const reading = readPart([...part], { ...scene, previous: index === 0 ? scene.previous : queries }, context, index > 0);
    whole.left.push(...reading.left);
    whole.cost += reading.cost;
    if (parts.length === 1) whole.alternatives = reading.alternatives;
    whole.isGuess = whole.isGuess || (reading.isGuess ?? false);
    queries = reading.queries.map((query) => (index === 0 ? query : withClientOf(query, queries.at(-1))));
    const lead = index > 0 && reading.left.length === 0 ? parts[index - 1]! : undefined;
    const before =
      index === 1 && lead?.some(isNarrowing) ? readPart([...lead], { ...scene, previous: [] }, context, false) : whole;
    const led = lead && ledBy(lead, before.queries.at(-1), queries);
    if (led) {
      whole.queries.pop();
      queries = [led];
    }
    // "… and how often": present already.
    if (
      index > 0 &&
      isSame(queries, whole.queries.slice(-1)) &&
      part.every(({ items }) => !(items.value ?? items.time ?? items.entity ?? items.superlative))
    )
      continue;
    const remains =
      index > 0 && ((queries.some(isBare) && !whole.queries.every(isBare)) || isSame(queries, whole.queries.slice(-1)));
    if (remains) whole.left.push(...part.filter(hasContent).map(({ text }) => text));
    const isOnlyTimed = part.every(({ items }) => !items.value);
    // "… this week? Alder or Cedar": words without a measure or a noun narrow the part before.
    if (
      index > 0 &&
      reading.left.length === 0 &&
      part.every(
        ({ items }) =>
          // "Lateral movement cases, any since spring?"
          (!items.measure || (items.measure.measure === 'exists' && isOnlyTimed)) &&
          !(items.entity ?? items.reference ?? items.who ?? items.which ?? items.superlative ?? items.attribute),
      )
    )
      whole.queries.pop();
    // "Only criticals, without Birch, how many in October?": the part before has the counted records.
    if (
      index > 0 &&
      reading.left.length === 0 &&
      part.some(({ items }) => items.measure?.measure === 'count' && !items.value) &&
      part.every(
        ({ items }) =>
          !(items.value ?? items.entity ?? items.reference ?? items.who ?? items.which ?? items.superlative ?? items.attribute),
      ) &&
      isUnmeasured(whole.queries.at(-1), parts[index - 1]!)
    )
      whole.queries.pop();
    // "How many alerts and how many cases last week": the time holds for both.
    if (index > 0 && parts[index - 1]!.at(-1)!.items.and && !parts[index - 1]!.some(({ items }) => items.reference)) {
      const { time } = whole.queries.at(-1) ?? {};
      queries = queries.map((query) =>
        time && !query.where && !query.time && scene.input.lexicon.schemas[query.entity].time ? { ...query, time } : query,
      );
      whole.queries = whole.queries.map((query) => withSharedOf(query, queries.at(-1), scene));
    }
    whole.queries.push(...queries);
  }
  whole.queries = agreed(whole.queries);
  if (parts.length === 0) whole.left.push(...segments.filter(({ items }) => items.unknown).map(({ text }) => text));
  return whole;
}

/** "Leave out low ones": of the question that follows, not of the one before. */
const isNarrowing = ({ items }: Segment): boolean => Boolean(items.except ?? items.only ?? items.not);

/** "Not interested in low ones, how many alerts today": filters without a noun of their own are of the records that follow. */
function ledBy(lead: readonly Segment[], before: Query | undefined, [query, another]: readonly Query[]): Query | undefined {
  const isOwn = lead.some(
    ({ items }) => items.entity ?? items.measure ?? items.which ?? items.who ?? items.superlative ?? items.group,
  );
  if (isOwn || !before?.where || before.time || before.groupBy || !query || another || query.entity !== before.entity)
    return undefined;
  return { ...query, where: allOf([...topOf(query.where), ...topOf(before.where)])! };
}

/** "How many users has Birch, and how many are administrators": both are of the portal. */
const agreed = (queries: Query[]): Query[] => {
  const isOfClient = (filter: QueryFilter) => 'field' in filter && (filter.field === 'client' || filter.field === 'partner');
  return queries.some(({ entity }) => entity === 'account')
    ? queries.map((query) =>
        query.entity === 'user' && topOf(query.where).every(isOfClient) && !query.groupBy && !query.orderBy && !query.time
          ? { ...query, entity: 'account' }
          : query,
      )
    : queries;
};

/** A list without a word for it, of any time. */
const isUnmeasured = (query: Query | undefined, part: readonly Segment[]): boolean =>
  query?.measure.kind === 'list' && !query.time && part.every(({ items }) => !items.measure);

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

/** Joined conditions are the same in any order. */
const textOf = (queries: readonly Query[]): string =>
  JSON.stringify(queries, (key, value) => (key === 'and' ? value.map((each: unknown) => JSON.stringify(each)).sort() : value));
const isSame = (one: readonly Query[], other: readonly Query[]): boolean => textOf(one) === textOf(other);

/** "The month before" is relative to the time of the question before, also of a state, "closed this month", or of related records. */
const timeOf = (query: Query | undefined): QueryTime | undefined =>
  query?.time ??
  topOf(query?.where)
    .map((filter) => ('within' in filter ? filter.within : 'some' in filter ? filter.time : undefined))
    .find((time) => time !== undefined);

/** The best reading of a part: as a whole, or divided at a comma or "and". */
function readPart(part: Segment[], scene: Scene, context: Segment[], isContinued: boolean): Reading {
  const whole = bestOf(readWhole([...context, ...part], scene, isContinued), part, scene.isAsked);
  if (whole.left.length === 0 && whole.queries.length > 0) return whole;
  for (let at = 1; at < part.length - 1; at++) {
    const { items } = part[at]!;
    if (!(items.and ?? items.comma) || !part.slice(at + 1).some(hasContent)) continue;
    if (isSameAfterBut(part, at)) continue;
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
    // "Alerts, cases and findings in October"
    const isList = items.and !== undefined || second.queries.length > 1;
    const shared = first.queries.map((query) => (isList ? withSharedOf(query, second.queries.at(-1), scene) : query));
    return {
      queries: [...shared, ...second.queries.map((query) => withClientOf(query, first.queries.at(-1)))],
      left: [],
      cost: first.cost + second.cost + 1,
      alternatives: [],
      isGuess: Boolean(first.isGuess || second.isGuess),
    };
  }
  return whole;
}

/** "But have open cases", "but some this month": conditions of the records before. */
const isSameAfterBut = (part: readonly Segment[], at: number): boolean =>
  /^but$/i.test(part[at]!.text) &&
  (part[at + 1]?.items.time !== undefined ||
    /^(?:did|do|does|have|has|had|were|was|are|is|some)\b/i.test(part[at + 1]?.text ?? ''));

/** "Critical alerts and cases at Birch this week": the client and the time that follow hold for both, unless the first names its own. */
function withSharedOf(query: Query, next: Query | undefined, { input, text }: Scene): Query {
  const own = query.where ? fieldsIn(query.where) : [];
  const isOfClient = (field: string) => field === 'client' || field === 'partner';
  const client =
    own.some(isOfClient) || query.groupBy?.some(isOfClient)
      ? []
      : topOf(next?.where).filter((filter) => 'field' in filter && isOfClient(filter.field));
  // "Open" concerns the present, but for "both … and … in September".
  const isTimed =
    timeOf(query) !== undefined ||
    (own.some((field) => field === 'isOpen' || field === 'state') && !/\bboth\b/i.test(text)) ||
    !input.lexicon.schemas[query.entity].time;
  const time = timeOf(next);
  const where = allOf([...topOf(query.where), ...client]);
  return { ...query, ...(where && { where }), ...(time && !isTimed && { time }) };
}

const bestOf = (readings: readonly Reading[], segments: readonly Segment[], isAsked = false): Reading => {
  const [first, ...rest] = [...readings].sort((a, b) => a.left.length - b.left.length || a.cost - b.cost);
  if (!first) return { queries: [], left: segments.filter(hasContent).map(({ text }) => text), cost: 0, alternatives: [] };
  // "Anything waiting" can be of several.
  const isWild = segments.some(({ items, text }) => items.anything && /thing$/i.test(text));
  const alternatives = rest.filter(
    ({ left, cost, queries }) =>
      left.length === 0 &&
      first.left.length === 0 &&
      cost - first.cost < (isAsked ? 2 : isWild ? 0.15 : 0.05) &&
      queries[0]?.entity !== first.queries[0]?.entity,
  );
  return { ...first, alternatives: alternatives.slice(0, isAsked ? 2 : 3).flatMap(({ queries }) => queries.slice(0, 1)) };
};
