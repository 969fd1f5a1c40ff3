/**
 * Learned likeness of queries to a question: a log-linear model over the usual questions (docs/decisions/0074-learned-offers.md). Weights are learnt by
 * `npm run phrasings` from questions that people wrote for each usual one; they are read when a question is first not understood.
 */
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import type { Query } from '@parapet/contract/rules/query.ts';
import { dimensions } from './likeness.ts';
import { featuresOf, noneOfThem, partsOfQuery, phrasingOf, vectorOfPhrasing } from './phrasing.ts';
import { usualFile } from './usual.ts';

/** The vector counts as much as some features. */
export const vectorWeight = 2;

/** A sparse row of weights for each feature, a full one for each number of the vector; one weight for each part of a query. */
interface Weights {
  /** Hash of what the weights were learnt from. */
  source: string;
  parts: readonly string[];
  features: ReadonlyMap<string, number>;
  /** Row `n` is from `ends[n - 1]` to `ends[n]`. */
  ends: Uint32Array;
  places: Uint16Array;
  values: Int8Array;
  scales: Float32Array;
  vectorValues: Int8Array;
  vectorScales: Float32Array;
}

/** Counts of rows become ends, and steps between parts their places. */
function unpack({ ends, places }: Weights): void {
  let from = 0;
  for (let row = 0; row < ends.length; row++) {
    const end = from + ends[row]!;
    for (let at = from + 1; at < end; at++) places[at]! += places[at - 1]!;
    ends[row] = end;
    from = end;
  }
}

export function readWeights(file = new URL('./usual.weights', import.meta.url)): Weights {
  const bytes = brotliDecompressSync(readFileSync(file));
  const end = bytes.indexOf('\n');
  const head = JSON.parse(bytes.subarray(0, end).toString()) as {
    source: string;
    parts: string[];
    features: string[];
    size: number;
  };
  // Typed arrays need aligned places: a copy.
  const rest = new Uint8Array(bytes.subarray(end + 1)).buffer;
  let at = 0;
  const next = (length: number, width: number): [ArrayBuffer, number, number] => {
    const from = at;
    at += Math.ceil((length * width) / 4) * 4;
    return [rest, from, length];
  };
  const rows = head.features.length;
  const weights: Weights = {
    source: head.source,
    parts: head.parts,
    features: new Map(head.features.map((feature, row) => [feature, row])),
    ends: new Uint32Array(...next(rows, 4)),
    scales: new Float32Array(...next(rows, 4)),
    vectorScales: new Float32Array(...next(dimensions, 4)),
    places: new Uint16Array(...next(head.size, 2)),
    values: new Int8Array(...next(head.size, 1)),
    vectorValues: new Int8Array(...next(dimensions * head.parts.length, 1)),
  };
  unpack(weights);
  return weights;
}

/** Likeness of each part of a query, by the words of a question. */
export function partScores(weights: Weights, words: readonly string[]): Float32Array {
  const { features, ends, places, values, scales, vectorValues, vectorScales, parts } = weights;
  const scores = new Float32Array(parts.length);
  const rows = featuresOf(words).flatMap((feature) => features.get(feature) ?? []);
  const share = 1 / Math.sqrt(Math.max(1, rows.length));
  for (const row of rows) {
    const scale = scales[row]! * share;
    for (let at = row === 0 ? 0 : ends[row - 1]!; at < ends[row]!; at++) scores[places[at]!]! += values[at]! * scale;
  }
  for (const [axis, value] of vectorOfPhrasing(words).entries()) {
    const scale = value * vectorWeight * vectorScales[axis]!;
    for (let part = 0; part < parts.length; part++) scores[part]! += vectorValues[axis * parts.length + part]! * scale;
  }
  return scores;
}

let weights: Weights | undefined;
let placeOf: ReadonlyMap<string, number>;
let usual: readonly (readonly number[])[];

const placesOf = (query: Query): number[] => partsOfQuery(query).flatMap((part) => placeOf.get(part) ?? []);

function load(): Weights {
  if (weights) return weights;
  weights = readWeights();
  placeOf = new Map(weights.parts.map((part, place) => [part, place]));
  usual = [...usualFile().map(({ query }) => placesOf(query)), [placeOf.get(noneOfThem)!]];
  return weights;
}

/** Of one question. */
export class Likely {
  private readonly scores: Float32Array;

  /** Logarithm of the sum over all usual questions. */
  private readonly sum: number;

  constructor(text: string, names: ReadonlySet<string>) {
    this.scores = partScores(load(), phrasingOf(text, names));
    const all = usual.map((places) => this.scoreOf(places));
    const most = Math.max(...all);
    this.sum = most + Math.log(all.reduce((sum, score) => sum + Math.exp(score - most), 0));
  }

  private scoreOf(places: readonly number[]): number {
    return places.reduce((sum, place) => sum + this.scores[place]!, 0);
  }

  /** Share of the query's likeness in that of all usual questions, up to 1. */
  of(query: Query): number {
    return Math.min(1, Math.exp(this.scoreOf(placesOf(query)) - this.sum));
  }
}
