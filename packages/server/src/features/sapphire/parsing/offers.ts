/** Questions offered in place of one that was not understood, the most like it first (docs/decisions/0056-offers-by-word-vectors.md). None runs before it is chosen. */
import type { Query } from '@parapet/contract/rules/query.ts';
import { checkQuery } from '../../../domain/query/check.ts';
import type { Learned } from './assembled.ts';
import { costOf, type Offer, offersOfBank, withContinued } from './bank.ts';
import { wordsIn } from './elements.ts';
import type { Lexicon } from './lexicon.ts';
import { isFrequent, isRestricting, likeness, weightOf } from './likeness.ts';
import type { Parsed } from './parsed.ts';
import { hasContent } from './parts.ts';
import { type Candidate, keyOf, type Ranked } from './ranking.ts';
import { withPhrases } from './runs.ts';
import type { Segment } from './segments.ts';
import { distance } from './spelling.ts';
import { stem, type Token } from './tokens.ts';

export const maxOffers = 5;
/** Of the same records, differently grouped; of one order, one direction. */
const maxAlike = 2;
const minScore = 0.25;
const wordsOfWord = 8;
const maxUnknown = 3;
/** Likely ones before that with another word. */
const maxBefore = 3;
/** Longer questions are offered without their unknown words alone. */
const maxTokens = 40;
const maxParses = 24;
const minLike = 0.5;
const minDenied = 0.75;
/** A phrase in place of several words is less sure than a word in place of one. */
const replacedCost = 0.1;

interface Place {
  learned: Learned;
  text: string;
  tokens: readonly Token[];
  segments: readonly Segment[];
  left: readonly string[];
  lexicon: Lexicon;
  before: Query | undefined;
}

/** Words that narrow, compare or count keep their sense, and names are no words. */
const isKept = ({ items }: Segment): boolean =>
  Boolean(
    items.not ??
      items.except ??
      items.only ??
      items.superlative ??
      items.compare ??
      items.number ??
      items.time ??
      items.measure ??
      items.versus ??
      items.average ??
      items.bucket ??
      items.reference ??
      items.group ??
      (items.value?.isName ? items.value : undefined),
  );

const replaceable = new WeakMap<Lexicon, readonly string[]>();
/** Single words of the lexicon that mean something of records. */
function contentWords(lexicon: Lexicon): readonly string[] {
  const known = replaceable.get(lexicon);
  if (known) return known;
  const words = [...lexicon.phrases.values()]
    .flat()
    .filter(
      ({ stems, items }) =>
        stems.length === 1 &&
        items.some(({ kind }) => kind === 'entity' || kind === 'value' || kind === 'attribute' || kind === 'verb') &&
        !items.some(
          ({ kind }) => kind === 'filler' || kind === 'not' || kind === 'superlative' || kind === 'compare' || kind === 'measure',
        ),
    )
    .map(({ stems }) => stems[0]!);
  replaceable.set(lexicon, words);
  return words;
}

/** A word that is no other may be misspelt by two letters, each other by one that makes it a noun or a time. */
const spelledLike = (word: string, each: string, { common }: Lexicon): number => {
  const most = word.length < 4 || each.length < 4 ? 0 : isFrequent(word) ? (common.has(each) ? 1 : 0) : word.length > 5 ? 2 : 1;
  const apart = most > 0 && each[0] === word[0] ? distance(stem(word), each, most) : most + 1;
  return apart > most ? 0 : isFrequent(word) ? 0.6 : 1 - 0.15 * apart;
};

/** The words of the lexicon most like one, in meaning or in letters. */
const likeWords = (word: string, lexicon: Lexicon): { word: string; like: number }[] =>
  [...new Set([...contentWords(lexicon), ...lexicon.common])]
    .filter((each) => stem(each) !== stem(word))
    .map((each) => ({ word: each, like: Math.max(likeness(word, each), spelledLike(word, each, lexicon)) }))
    .filter(({ like }) => like >= minLike)
    .sort((a, b) => b.like - a.like)
    .slice(0, wordsOfWord);

/** The question with words of the lexicon in place of those that were not understood, read again. */
function substituted({ text, tokens, segments, left, lexicon }: Place, parse: (text: string) => Parsed): Offer[] {
  const targets = segments.filter(
    (segment) =>
      segment.to - segment.from === 1 &&
      (segment.items.unknown ?? (left.includes(segment.text) && hasContent(segment) ? true : undefined)) &&
      !isKept(segment),
  );
  if (targets.length === 0 || targets.length > maxUnknown) return [];
  const content = segments.filter((segment) => hasContent(segment) || segment.items.filler);
  const weigh = (segment: Segment) => wordsIn(segment.text).reduce((sum, word) => sum + weightOf(word), 0);
  const total = content.reduce((sum, segment) => sum + weigh(segment), 0) || 1;
  interface Choice {
    words: readonly string[];
    lost: number;
  }
  let choices: Choice[] = [{ words: [], lost: 0 }];
  for (const target of targets) {
    const word = tokens[target.from]!.text;
    // Opposites stand beside like words: what is denied must be nearly the same.
    const isDenied = segments[segments.indexOf(target) - 1]?.items.not !== undefined;
    const options = [
      ...likeWords(word, lexicon).filter(({ like }) => !isDenied || like >= minDenied),
      ...(target.items.unknown && targets.length > 1 ? [{ word: '', like: 0 }] : []),
    ];
    choices = choices.flatMap(({ words, lost }) =>
      options.map((option) => ({ words: [...words, option.word], lost: lost + weigh(target) * (1 - option.like) })),
    );
  }
  return choices
    .filter(({ words }) => words.some(Boolean))
    .sort((a, b) => a.lost - b.lost)
    .slice(0, maxParses)
    .flatMap(({ words, lost }) => {
      let built = '';
      let at = 0;
      for (const [index, { from }] of targets.entries()) {
        built += text.slice(at, tokens[from]!.from) + words[index]!;
        at = tokens[from]!.to;
      }
      const { queries, clarify } = parse(built + text.slice(at));
      const read = queries.length > 0 ? [queries] : (clarify?.queries ?? []).slice(0, 2);
      return read.map((each) => ({
        kind: 'word',
        queries: each,
        score: 1 - lost / total - each.reduce((sum, query) => sum + costOf(query), 0),
      }));
    });
}

/** The question with phrases of the lexicon in place of what was not understood. */
function rephrased({ text, tokens, segments, left, lexicon }: Place, parse: (text: string) => Parsed): Offer[] {
  const weigh = (words: readonly string[]) => words.reduce((sum, word) => sum + weightOf(word), 0);
  const total =
    weigh(segments.flatMap((segment) => (hasContent(segment) || segment.items.filler ? wordsIn(segment.text) : []))) || 1;
  const read = (again: string) => {
    const { queries, clarify } = parse(again);
    return queries.length > 0 ? [queries] : (clarify?.queries ?? []).slice(0, 1);
  };
  return withPhrases({ text, tokens, segments, left, schemas: lexicon.schemas, isKept, weigh }, read).map(
    ({ queries, lost }) => ({
      kind: 'phrase',
      queries,
      score: 1 - lost / total - queries.reduce((sum, query) => sum + costOf(query), 0) - replacedCost,
    }),
  );
}

/** The order of a query that has one, else its records. */
const kindOf = (queries: readonly Query[]): string =>
  JSON.stringify(
    queries.map(({ entity, where, orderBy, groupBy }) => (orderBy ? [entity, where, orderBy.field, groupBy] : [entity, where])),
  );

/** A superlative orders, or compares; one of a time may be a column ("last seen"). */
function keepsOrder(segments: readonly Segment[], queries: readonly Query[]): boolean {
  const isOrdered = segments.some(
    ({ items, text }) => items.superlative && !items.time && !items.filler && !/^(?:more|fewer)$/i.test(text),
  );
  const isTime = segments.some(({ items }) => items.superlative?.isTime);
  return (
    !isOrdered ||
    queries.some(
      ({ orderBy, against, where, show, time }) =>
        orderBy !== undefined ||
        // "Last weak"
        (isTime && time !== undefined) ||
        against !== undefined ||
        /"(?:last|closed|changed|first)\w+"/.test(JSON.stringify([where, show])),
    )
  );
}

/** Queries that a question can mean that is not understood, or is not surely meant as it is read: `read` of them. */
export function candidatesOf(
  place: Place,
  read: readonly Candidate[],
  isUnderstood: boolean,
  parse: (text: string) => Parsed,
): Candidate[] {
  const { segments, lexicon, before } = place;
  const isRestricted = segments.some(({ items, text }) => items.unknown && isRestricting(text.toLowerCase()));
  const isLong = place.tokens.length > maxTokens;
  const learned = isRestricted ? [] : place.learned.offers;
  const [base, another] = read[0]?.queries ?? learned[0]?.queries ?? [];
  const edits = isRestricted || !base || another ? [] : place.learned.editsOf(base);
  const isBanked = !isRestricted && !isLong && !isUnderstood;
  const likely: Offer[] = [
    ...learned,
    ...edits.map((query): Offer => ({ kind: 'edit', queries: [query], score: 0 })),
    ...(isBanked ? offersOfBank(segments, lexicon.schemas).filter(({ score }) => score >= minScore) : []),
  ];
  const reread = isBanked
    ? [...substituted(place, parse), ...rephrased(place, parse)].filter(({ score }) => score >= minScore)
    : [];
  return [
    ...read,
    ...[...withContinued(likely, before, segments), ...reread]
      .filter(({ queries }) => queries.every((query) => checkQuery(query) === undefined) && keepsOrder(segments, queries))
      .map(({ kind, queries, score }): Candidate => ({ source: kind, queries, score })),
  ];
}

/** The likeliest, `first` before all others; the best with a word in place of another is among them. */
export function offersOf(
  ranked: readonly Ranked[],
  first: readonly Query[][],
  candidates: readonly Candidate[],
  { schemas }: Lexicon,
): Query[][] {
  const [replaced] = candidates.filter(({ source }) => source === 'word').sort((a, b) => b.score - a.score);
  const likely = ranked.map(({ queries }) => queries);
  const order = [...first, ...likely.slice(0, maxBefore), ...(replaced ? [replaced.queries] : []), ...likely.slice(maxBefore)];
  const seen = new Set<string>();
  const result: Query[][] = [];
  const alike = new Map<string, number>();
  const postponed: Query[][] = [];
  for (const queries of order) {
    const key = keyOf(queries, schemas);
    if (seen.has(key) || result.length >= maxOffers) continue;
    seen.add(key);
    const kind = kindOf(queries);
    const before = alike.get(kind) ?? 0;
    const isOrdered = queries.some(({ orderBy }) => orderBy);
    if (before >= (isOrdered ? 1 : maxAlike)) postponed.push(queries);
    else result.push(queries);
    alike.set(kind, before + 1);
  }
  return [...result, ...postponed].slice(0, maxOffers);
}
