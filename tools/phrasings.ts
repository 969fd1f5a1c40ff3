/**
 * `npm run phrasings [-- --hold <file>]`: learns the likeness of Sapphire's usual questions to others (docs/decisions/0074-learned-offers.md) from
 * `bench/sapphire/phrasings`: a usual question and how people put it, separated by tabs. `--hold` leaves the questions of one writer out, writes nothing and
 * prints how often the first, and one of the first five, is the right one.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { vectorWeight } from '@parapet/server/features/sapphire/parsing/likely.ts';
import { dimensions } from '@parapet/server/features/sapphire/parsing/likeness.ts';
import { featuresOf, noneOfThem, partsOfQuery, vectorOfPhrasing } from '@parapet/server/features/sapphire/parsing/phrasing.ts';
import { type Example, phrasingsOf, plainExamples, sourceOfWeights, usual, writers } from './phrasings.data.ts';

const rounds = 8;
const rate = 0.3;
const vectorRate = 0.1;
/** Pull towards zero. */
const decay = 1e-5;
/** Share of a question's features that are left out in a round, so that no single one decides. */
const leftOut = 0.15;
/** A feature is of this many questions at least. */
const frequent = 2;
/** Gradients below it are not worth their time. */
const minimalGradient = 1e-3;
/** Steps between zero and the largest weight of a row: smaller ones are not kept. */
const rowLevels = 8;

const file = new URL('../packages/server/src/features/sapphire/parsing/usual.weights', import.meta.url);

const parts: string[] = [];
const placeOf = new Map<string, number>();
/** The last one is no question of any list. */
const places = [...usual.map(({ query }) => partsOfQuery(query)), [noneOfThem]].map((own) =>
  own.map((part) => {
    const known = placeOf.get(part) ?? parts.push(part) - 1;
    placeOf.set(part, known);
    return known;
  }),
);

/** The same sequence in each run. */
function sequence(): () => number {
  let state = 7;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

interface Model {
  features: Map<string, number>;
  rows: Float32Array;
  axes: Float32Array;
}

function scoresOf({ rows, axes }: Model, ids: readonly number[], vector: Float32Array, scores: Float32Array): void {
  scores.fill(0);
  const share = 1 / Math.sqrt(Math.max(1, ids.length));
  for (const id of ids) for (let part = 0; part < parts.length; part++) scores[part]! += rows[id * parts.length + part]! * share;
  for (let axis = 0; axis < dimensions; axis++) {
    const value = vector[axis]! * vectorWeight;
    if (value !== 0) for (let part = 0; part < parts.length; part++) scores[part]! += axes[axis * parts.length + part]! * value;
  }
}

/** Shares of the usual questions by the scores of their parts (softmax). */
function sharesOf(scores: Float32Array, shares: Float32Array): void {
  let most = Number.NEGATIVE_INFINITY;
  for (const [at, own] of places.entries()) {
    let sum = 0;
    for (const part of own) sum += scores[part]!;
    shares[at] = sum;
    most = Math.max(most, sum);
  }
  let total = 0;
  for (let at = 0; at < shares.length; at++) total += shares[at] = Math.exp(shares[at]! - most);
  for (let at = 0; at < shares.length; at++) shares[at]! /= total;
}

/** AdaGrad on the logarithmic loss. Duchi, Hazan, Singer: Adaptive Subgradient Methods, JMLR 12 (2011). */
function step(weights: Float32Array, squares: Float32Array, at: number, gradient: number, speed: number): void {
  const whole = gradient + decay * weights[at]!;
  squares[at]! += whole * whole;
  weights[at]! -= (speed * whole) / Math.sqrt(squares[at]!);
}

interface Known {
  intent: number;
  ids: number[];
  vector: Float32Array;
}

/** Features that are frequent enough, numbered. */
function prepared(examples: readonly Example[]): { features: Map<string, number>; known: Known[] } {
  const all = examples.map(({ words, intent }) => ({ intent, own: featuresOf(words), vector: vectorOfPhrasing(words) }));
  const counts = new Map<string, number>();
  for (const { own } of all) for (const feature of own) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const kept = [...counts].filter(([, count]) => count >= frequent).map(([feature]) => feature);
  const features = new Map(kept.map((feature, id) => [feature, id]));
  return {
    features,
    known: all.map(({ own, ...rest }) => ({ ...rest, ids: own.flatMap((feature) => features.get(feature) ?? []) })),
  };
}

function learn(examples: readonly Example[]): Model {
  const { features, known } = prepared(examples);
  const model: Model = {
    features,
    rows: new Float32Array(features.size * parts.length),
    axes: new Float32Array(dimensions * parts.length),
  };
  const squares = {
    rows: new Float32Array(model.rows.length).fill(0.01),
    axes: new Float32Array(model.axes.length).fill(0.01),
  };
  const [scores, gradients, shares] = [
    new Float32Array(parts.length),
    new Float32Array(parts.length),
    new Float32Array(places.length),
  ];
  const random = sequence();

  const gradientsOf = (intent: number): number[] => {
    gradients.fill(0);
    for (const [at, share] of shares.entries()) for (const part of places[at]!) gradients[part]! += share;
    for (const part of places[intent]!) gradients[part]! -= 1;
    return [...gradients.keys()].filter((part) => Math.abs(gradients[part]!) > minimalGradient);
  };
  const see = ({ ids: own, vector, intent }: Known): void => {
    const ids = own.filter(() => random() > leftOut);
    scoresOf(model, ids, vector, scores);
    sharesOf(scores, shares);
    const active = gradientsOf(intent);
    const share = 1 / Math.sqrt(Math.max(1, ids.length));
    for (const id of ids)
      for (const part of active) step(model.rows, squares.rows, id * parts.length + part, gradients[part]! * share, rate);
    for (const [axis, value] of vector.entries())
      for (const part of value === 0 ? [] : active)
        step(model.axes, squares.axes, axis * parts.length + part, gradients[part]! * value * vectorWeight, vectorRate);
  };

  for (let round = 0; round < rounds; round++) {
    const order = known.map((example) => [random(), example] as const).sort(([one], [other]) => one - other);
    for (const [, example] of order) see(example);
  }
  return model;
}

const sameRows = new Set(['list', 'count', 'exists']);
const keys = [
  ...usual.map(({ query: { entity, measure, where, groupBy, orderBy } }) =>
    JSON.stringify([entity, sameRows.has(measure.kind) ? 'rows' : measure, where, groupBy, orderBy?.field]),
  ),
  noneOfThem,
];

function evaluate(model: Model, examples: readonly Example[]): void {
  const [scores, shares] = [new Float32Array(parts.length), new Float32Array(places.length)];
  let [first, five] = [0, 0];
  for (const { words, intent } of examples) {
    scoresOf(
      model,
      featuresOf(words).flatMap((feature) => model.features.get(feature) ?? []),
      vectorOfPhrasing(words),
      scores,
    );
    sharesOf(scores, shares);
    const best = [...new Set([...shares.keys()].sort((a, b) => shares[b]! - shares[a]!).map((at) => keys[at]!))].slice(0, 5);
    if (best[0] === keys[intent]) first++;
    if (best.includes(keys[intent]!)) five++;
  }
  const percent = (count: number) => `${((100 * count) / examples.length).toFixed(1)}%`;
  console.log(`${examples.length} questions: ${percent(first)} first, ${percent(five)} among five`);
}

/** Each row by its own scale, as whole numbers up to `levels`. */
function packed(row: Float32Array, levels: number): { scale: number; values: Int8Array } {
  const scale = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / levels || 1;
  return { scale, values: Int8Array.from(row, (value) => Math.round(value / scale)) };
}

function write({ features, rows, axes }: Model, source: string): void {
  const [counts, scales, steps, values] = [[] as number[], [] as number[], [] as number[], [] as number[]];
  for (const row of features.values()) {
    const own = packed(rows.subarray(row * parts.length, (row + 1) * parts.length), rowLevels);
    let before = 0;
    let count = 0;
    for (const [part, value] of own.values.entries()) {
      if (value === 0) continue;
      steps.push(part - before);
      values.push(value);
      before = part;
      count++;
    }
    counts.push(count);
    scales.push(own.scale);
  }
  const vectors = Array.from({ length: dimensions }, (_, axis) =>
    packed(axes.subarray(axis * parts.length, (axis + 1) * parts.length), 127),
  );
  const padded = (array: Uint32Array | Uint16Array | Int8Array | Float32Array): Buffer => {
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
  };
  const head = JSON.stringify({ source, parts, features: [...features.keys()], size: steps.length });
  const arrays = [
    Uint32Array.from(counts),
    Float32Array.from(scales),
    Float32Array.from(vectors, ({ scale }) => scale),
    Uint16Array.from(steps),
    Int8Array.from(values),
    Int8Array.from(vectors.flatMap((vector) => [...vector.values])),
  ];
  const bytes = brotliCompressSync(Buffer.concat([Buffer.from(`${head}\n`), ...arrays.map(padded)]));
  writeFileSync(file, bytes);
  console.log(`${features.size} features, ${parts.length} parts, ${bytes.length} bytes, ${fileURLToPath(file)}`);
}

const isHeld = process.argv.includes('--hold');
const held = process.argv[process.argv.indexOf('--hold') + 1]!;
const model = learn([
  ...plainExamples(),
  ...writers()
    .filter((name) => !isHeld || name !== held)
    .flatMap(phrasingsOf),
]);
if (isHeld) evaluate(model, phrasingsOf(held));
else write(model, sourceOfWeights());
