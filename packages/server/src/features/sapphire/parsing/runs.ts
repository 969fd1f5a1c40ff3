/**
 * A question with a phrase of the lexicon in place of each run of words that were not understood, read again: everything else of it, numbers and
 * comparisons too, is carried by the parser itself.
 */
import type { Query, QueryEntity } from '@parapet/contract/rules/query.ts';
import { type Element, elementsOf, wordsIn } from './elements.ts';
import { homonyms, type Schemas } from './frames.ts';
import { type Sentence, sentenceOf } from './likeness.ts';
import { hasContent } from './parts.ts';
import type { Segment } from './segments.ts';
import { Similarity } from './similarity.ts';
import type { Token } from './tokens.ts';

interface Run {
  /** Tokens, `to` exclusive. */
  from: number;
  to: number;
  words: readonly string[];
  /** Of the negation before it, with which a phrase that denies replaces it: "nobody has picked up". */
  denied?: { from: number; words: readonly string[] };
}

const maxRuns = 2;
const phrasesOfRun = 8;
const maxReadings = 16;
const minLike = 0.3;

const isLink = ({ items }: Segment): boolean =>
  Boolean(items.filler ?? items.preposition ?? items.that ?? items.have ?? items.anything) && !items.value && !items.entity;

/** Words that were not understood with those of the grammar between them: "kick off myself". */
function runsOf(segments: readonly Segment[], left: readonly string[], isKept: (segment: Segment) => boolean): Run[] {
  const isTarget = (segment: Segment) =>
    !isKept(segment) && (segment.items.unknown !== undefined || (left.includes(segment.text) && hasContent(segment)));
  const runs: Run[] = [];
  let isLinked = false;
  let denial: Run['denied'];
  for (const segment of segments) {
    const last = runs.at(-1);
    if (isTarget(segment)) {
      const words = wordsIn(segment.text);
      if (last && isLinked) runs[runs.length - 1] = { from: last.from, to: segment.to, words: [...last.words, ...words] };
      else runs.push({ from: segment.from, to: segment.to, words, ...(denial && { denied: denial }) });
      isLinked = true;
      denial = undefined;
    } else if (segment.items.not) {
      denial = { from: segment.from, words: wordsIn(segment.text) };
      isLinked = false;
    } else if (!isLink(segment)) {
      isLinked = false;
      denial = undefined;
    }
  }
  return runs.filter(({ words }) => words.length > 0);
}

const sentences = new WeakMap<readonly string[], Sentence>();
const sentenceFor = (phrase: readonly string[]): Sentence => {
  const known = sentences.get(phrase) ?? sentenceOf(phrase);
  sentences.set(phrase, known);
  return known;
};

interface Choice {
  phrase: string;
  like: number;
  /** The first token that it replaces. */
  from: number;
}

/** Likeness to a run of that phrase which is most like it; a word besides those that deny must be alike. */
const likenessOf = (similarity: Similarity, phrases: Element['phrases']): number =>
  phrases
    .filter((phrase) => similarity.placeOf([], phrase, minLike) !== undefined)
    .reduce((most, phrase) => Math.max(most, similarity.of(sentenceFor(phrase))), 0);

/** Elements like a run, each in its first phrase; one that denies takes the place of the negation as well. */
function choicesOf({ words, from, denied }: Run, entities: readonly QueryEntity[], schemas: Schemas): Choice[] {
  const plain = new Similarity(words, 0, new Map());
  const denying = denied && { from: denied.from, similarity: new Similarity([...denied.words, ...words], 0, new Map()) };
  const choices = new Map<string, Choice>();
  const elements = entities
    .flatMap((entity) => elementsOf(entity, schemas))
    .filter(({ kind, field }) => kind !== 'bound' && kind !== 'name' && !field.startsWith('some '));
  for (const { phrases, isNegative } of elements) {
    const place = (isNegative ? denying : undefined) ?? { from, similarity: plain };
    const phrase = phrases[0]!.join(' ');
    const like = likenessOf(place.similarity, phrases);
    if (like >= Math.max(minLike, choices.get(phrase)?.like ?? 0)) choices.set(phrase, { phrase, like, from: place.from });
  }
  return [...choices.values()].sort((a, b) => b.like - a.like).slice(0, phrasesOfRun);
}

interface Place {
  text: string;
  tokens: readonly Token[];
  segments: readonly Segment[];
  left: readonly string[];
  schemas: Schemas;
  isKept: (segment: Segment) => boolean;
  weigh: (words: readonly string[]) => number;
}

/** `lost`: weight of what is not like the words that it stands for. */
export function withPhrases(
  { text, tokens, segments, left, schemas, isKept, weigh }: Place,
  read: (text: string) => Query[][],
): { queries: Query[]; lost: number }[] {
  const runs = runsOf(segments, left, isKept);
  if (runs.length === 0 || runs.length > maxRuns) return [];
  const mentioned = segments.flatMap(({ items: { entity } }) =>
    entity ? [entity.entity, ...(homonyms[entity.entity] ?? [])] : [],
  );
  const entities = mentioned.length > 0 ? [...new Set(mentioned)] : (Object.keys(schemas) as QueryEntity[]);
  let whole: { choices: Choice[]; lost: number }[] = [{ choices: [], lost: 0 }];
  for (const run of runs) {
    const options = [...choicesOf(run, entities, schemas), ...(runs.length > 1 ? [{ phrase: '', like: 0, from: run.from }] : [])];
    whole = whole.flatMap((each) =>
      options.map((option) => ({ choices: [...each.choices, option], lost: each.lost + weigh(run.words) * (1 - option.like) })),
    );
  }
  return whole
    .filter(({ choices }) => choices.some(({ phrase }) => phrase !== ''))
    .sort((a, b) => a.lost - b.lost)
    .slice(0, maxReadings)
    .flatMap(({ choices, lost }) => {
      let again = '';
      let at = 0;
      for (const [index, { to }] of runs.entries()) {
        const { from, phrase } = choices[index]!;
        again += text.slice(at, tokens[from]!.from) + phrase;
        at = tokens[to - 1]!.to;
      }
      return read(again + text.slice(at)).map((queries) => ({ queries, lost }));
    });
}
