/** Questions offered in place of one that was not understood, the most like it first (docs/decisions/0056-offers-by-word-vectors.md). None of them is answered before it is chosen. */
import type { Query } from '@parapet/contract/rules/query.ts';
import { checkQuery } from '../../../domain/query/check.ts';
import { costOf, type Offer, offersOfBank } from './bank.ts';
import { wordsIn } from './elements.ts';
import type { Lexicon } from './lexicon.ts';
import { isFrequent, isRestricting, likeness, weightOf } from './likeness.ts';
import type { Parsed } from './parsed.ts';
import { hasContent } from './parts.ts';
import type { Segment } from './segments.ts';
import { distance } from './spelling.ts';
import { stem, type Token } from './tokens.ts';

export const maxOffers = 5;
const leastScore = 0.25;
const wordsOfWord = 8;
const maxUnknown = 3;
/** Longer questions are offered without their unknown words alone. */
const maxTokens = 40;
const maxParses = 24;
const leastLike = 0.5;

interface Place {
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
    .filter(({ like }) => like >= leastLike)
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
    const options = [...likeWords(word, lexicon), ...(target.items.unknown && targets.length > 1 ? [{ word: '', like: 0 }] : [])];
    choices = choices.flatMap(({ words, lost }) =>
      options.map((option) => ({ words: [...words, option.word], lost: lost + weigh(target) * (1 - option.like) })),
    );
  }
  return choices
    .filter(({ words }) => words.some(Boolean))
    .sort((a, b) => a.lost - b.lost)
    .slice(0, maxParses)
    .flatMap(({ words, lost }) => {
      let said = '';
      let at = 0;
      for (const [index, { from }] of targets.entries()) {
        said += text.slice(at, tokens[from]!.from) + words[index]!;
        at = tokens[from]!.to;
      }
      const { queries, clarify } = parse(said + text.slice(at));
      const read = queries.length > 0 ? [queries] : (clarify?.queries ?? []).slice(0, 2);
      return read.map((each) => ({
        queries: each,
        score: 1 - lost / total - each.reduce((sum, query) => sum + costOf(query), 0),
      }));
    });
}

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted).sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))
    : value !== null && typeof value === 'object'
      ? Object.entries(value)
          .filter(([key]) => key !== 'label' && key !== 'show')
          .map(([key, each]) => [key, sorted(each)])
          .sort()
      : value;
/** The same for queries with the same rows. */
const keyOf = (queries: readonly Query[]): string =>
  JSON.stringify(
    queries.map((query) => sorted({ ...query, measure: query.measure.kind === 'exists' ? { kind: 'list' } : query.measure })),
  );

/** The best offers, `first` before all others. */
export function rankedOffers(
  place: Place,
  first: readonly Query[][],
  nearest: readonly Query[][],
  parse: (text: string) => Parsed,
): Query[][] {
  const { segments, left, lexicon } = place;
  const content = segments.filter((segment) => hasContent(segment) || segment.items.filler);
  const weigh = (some: readonly Segment[]) =>
    some.reduce((sum, segment) => sum + wordsIn(segment.text).reduce((own, word) => own + weightOf(word), 0), 0);
  const understood = 1 - weigh(content.filter(({ text }) => left.includes(text))) / (weigh(content) || 1);
  const isRestricted = segments.some(({ items, text }) => items.unknown && isRestricting(text.toLowerCase()));
  const all: Offer[] =
    isRestricted || place.tokens.length > maxTokens
      ? []
      : [...substituted(place, parse), ...offersOfBank(segments, lexicon.schemas, place.before)];
  const ranked = all
    .filter(({ queries }) => queries.every((query) => checkQuery(query) === undefined))
    .sort((a, b) => b.score - a.score)
    .filter(({ score }) => score >= leastScore);
  const seen = new Set<string>();
  const result: Query[][] = [];
  const [best, ...others] = ranked.map((offer) => offer.queries);
  const [bare, ...further] = nearest;
  // The question without its unknown words is among them: they may say nothing.
  const order =
    understood < leastScore
      ? [best, ...others.slice(0, 2), bare, ...others.slice(2), ...further]
      : [best, bare, ...others, ...further];
  for (const queries of [...first, ...order.filter((each) => each !== undefined)]) {
    const key = keyOf(queries);
    if (seen.has(key) || result.length >= maxOffers) continue;
    seen.add(key);
    result.push(queries);
  }
  return result;
}
