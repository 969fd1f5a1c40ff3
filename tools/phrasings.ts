/**
 * `npm run phrasings [-- --hold <file>,… [<weights>]]`: learns Sapphire's likely queries (docs/decisions/0108-learned-queries.md) from `bench/sapphire/phrasings`: a
 * query and how people put it, separated by tabs. `--hold` leaves the questions of these writers out, writes to `<weights>` or nothing, and
 * prints how often each part of a query is right.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { featureWeight, fieldPart, vectorWeight } from '@parapet/server/features/sapphire/parsing/learned.ts';
import { dimensions } from '@parapet/server/features/sapphire/parsing/likeness.ts';
import { choices, conditionBias, featuresOf, vectorOfPhrasing } from '@parapet/server/features/sapphire/parsing/phrasing.ts';
import { type Example, lexiconExamples, phrasingsOf, sourceOfWeights, writers } from './phrasings.data.ts';

const rounds = 5;
const rate = 0.3;
const vectorRate = 0.1;
/** Pull towards zero. */
const decay = 1e-5;
/** Share of a question's features that are left out in a round, so that no single one decides. */
const leftOut = 0.15;
/** A feature is of this many questions at least. */
const frequent = 3;
/** Gradients below it are not worth their time. */
const minimalGradient = 5e-3;
/** Of the compression: the highest takes ten times as long for a few percent. */
const quality = 9;
/** Steps between zero and the largest weight of a row: smaller ones are not kept. */
const rowLevels = 12;

const file = new URL('../packages/server/src/features/sapphire/parsing/learned.weights', import.meta.url);

/** Options of a choice, or a condition: its name and the parts whose weights add up. */
interface Option {
  name: string;
  places: number[];
}
interface Entity {
  place: number;
  choices: Option[][];
  conditions: Option[];
}

const parts: string[] = [];
const placeOf = new Map<string, number>();
const entities = new Map<string, Entity>();

function numbered(part: string): number {
  const known = placeOf.get(part) ?? parts.push(part) - 1;
  placeOf.set(part, known);
  return known;
}

function numberParts(examples: readonly Example[]): void {
  for (const entity of [...new Set(examples.map((each) => each.parts.entity))].sort()) {
    const own = examples.filter((each) => each.parts.entity === entity).map((each) => each.parts);
    const optionsOf = (kind: string, names: readonly string[]): Option[] =>
      [...new Set(names)].sort().map((name) => ({
        name,
        places: [`${entity}: ${kind} ${name}`, `${kind} ${name}`, ...(kind === 'condition' ? [fieldPart(name)] : [])].map(
          numbered,
        ),
      }));
    entities.set(entity, {
      place: numbered(`entity ${entity}`),
      choices: choices.map((kind) =>
        optionsOf(
          kind,
          own.map((each) => each[kind]),
        ),
      ),
      conditions: optionsOf(
        'condition',
        own.flatMap((each) => each.conditions),
      ),
    });
  }
}

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

/** Parts that a question of an entity has scores of. */
const partsOfEntity = ({ choices: kinds, conditions }: Entity): Int32Array =>
  Int32Array.from(
    new Set([
      ...[...entities.values()].map(({ place }) => place),
      ...[...kinds.flat(), ...conditions].flatMap(({ places }) => places),
    ]),
  ).sort();

/** Scores of parts by the features and the vector of one question, in `scores`: row by row, as they lie in memory. */
function score({ rows, axes }: Model, ids: readonly number[], vector: Float32Array, own: Int32Array, scores: Float32Array): void {
  for (const part of own) scores[part] = 0;
  for (const id of ids) {
    const row = id * parts.length;
    for (let at = 0; at < own.length; at++) scores[own[at]!]! += rows[row + own[at]!]!;
  }
  for (const part of own) {
    const from = part * dimensions;
    // Four sums do not wait for one another.
    let [first, second, third, fourth] = [0, 0, 0, 0];
    for (let axis = 0; axis < dimensions; axis += 4) {
      first += axes[from + axis]! * vector[axis]!;
      second += axes[from + axis + 1]! * vector[axis + 1]!;
      third += axes[from + axis + 2]! * vector[axis + 2]!;
      fourth += axes[from + axis + 3]! * vector[axis + 3]!;
    }
    scores[part] = scores[part]! * featureWeight + (first + second + third + fourth) * vectorWeight;
  }
}

/** AdaGrad on the logarithmic loss. Duchi, Hazan, Singer: Adaptive Subgradient Methods, JMLR 12 (2011). */
function step(weights: Float32Array, squares: Float32Array, at: number, gradient: number, speed: number): void {
  const whole = gradient + decay * weights[at]!;
  squares[at]! += whole * whole;
  weights[at]! -= (speed * whole) / Math.sqrt(squares[at]!);
}

interface Known extends Example {
  ids: number[];
  vector: Float32Array;
}

/** Features that are frequent enough, numbered. */
function prepared(examples: readonly Example[]): { features: Map<string, number>; known: Known[] } {
  const all = examples.map((example) => ({
    ...example,
    own: featuresOf(example.words),
    vector: vectorOfPhrasing(example.words),
  }));
  const counts = new Map<string, number>();
  for (const { own } of all) for (const feature of own) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const frequentOnes = [...counts].filter(([, count]) => count >= frequent).map(([feature]) => feature);
  const features = new Map(frequentOnes.map((feature, id) => [feature, id]));
  return {
    features,
    known: all.map(({ own, ...rest }) => ({ ...rest, ids: own.flatMap((feature) => features.get(feature) ?? []) })),
  };
}

/** Gradients of the parts of one question: each choice by softmax, each condition by its own. */
function gradientsOf(example: Example, scores: Float32Array): Map<number, number> {
  const scoreOf = (places: readonly number[]): number => places.reduce((sum, part) => sum + scores[part]!, 0);
  const gradients = new Map<number, number>();
  const add = (places: readonly number[], gradient: number) => {
    if (Math.abs(gradient) > minimalGradient)
      for (const part of places) gradients.set(part, (gradients.get(part) ?? 0) + gradient);
  };
  const choose = (options: readonly (readonly number[])[], right: number) => {
    const scores = options.map(scoreOf);
    const most = Math.max(...scores);
    const shares = scores.map((score) => Math.exp(score - most));
    const total = shares.reduce((sum, share) => sum + share, 0);
    for (const [at, share] of shares.entries()) add(options[at]!, share / total - (at === right ? 1 : 0));
  };
  const entity = entities.get(example.parts.entity)!;
  choose(
    [...entities.values()].map(({ place }) => [place]),
    [...entities.keys()].indexOf(example.parts.entity),
  );
  for (const [at, kind] of choices.entries()) {
    const options = entity.choices[at]!;
    if (options.length > 1)
      choose(
        options.map(({ places }) => places),
        options.findIndex(({ name }) => name === example.parts[kind]),
      );
  }
  for (const { name, places } of entity.conditions)
    add(places, 1 / (1 + Math.exp(-scoreOf(places) - conditionBias)) - (example.parts.conditions.includes(name) ? 1 : 0));
  return gradients;
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
  const random = sequence();
  const scores = new Float32Array(parts.length);
  const partsOf = new Map([...entities].map(([name, entity]) => [name, partsOfEntity(entity)]));
  for (let round = 0; round < rounds; round++) {
    const order = known.map((example) => [random(), example] as const).sort(([one], [other]) => one - other);
    for (const [, example] of order) {
      const ids = example.ids.filter(() => random() > leftOut);
      score(model, ids, example.vector, partsOf.get(example.parts.entity)!, scores);
      for (const [part, gradient] of gradientsOf(example, scores)) {
        for (const id of ids) step(model.rows, squares.rows, id * parts.length + part, gradient * featureWeight, rate);
        for (const [axis, value] of example.vector.entries())
          if (value !== 0) step(model.axes, squares.axes, part * dimensions + axis, gradient * value * vectorWeight, vectorRate);
      }
    }
  }
  return model;
}

/** Of questions not learnt from: each choice, and the conditions, by the likeliest. */
function evaluate(model: Model, examples: readonly Example[]): void {
  const right = new Map<string, number>();
  const count = (kind: string, isRight: boolean) => right.set(kind, (right.get(kind) ?? 0) + (isRight ? 1 : 0));
  let [wanted, found, hits] = [0, 0, 0];
  const scores = new Float32Array(parts.length);
  const all = Int32Array.from(parts.keys());
  const scoreOf = (places: readonly number[]): number => places.reduce((sum, part) => sum + scores[part]!, 0);
  const best = (options: readonly Option[]): string =>
    options.reduce((one, other) => (scoreOf(other.places) > scoreOf(one.places) ? other : one)).name;
  for (const { parts: own, words } of examples) {
    const ids = featuresOf(words).flatMap((feature) => model.features.get(feature) ?? []);
    score(model, ids, vectorOfPhrasing(words), all, scores);
    count('entity', best([...entities].map(([name, { place }]) => ({ name, places: [place] }))) === own.entity);
    const entity = entities.get(own.entity)!;
    for (const [at, kind] of choices.entries()) count(kind, best(entity.choices[at]!) === own[kind]);
    const conditions = entity.conditions.filter(({ places }) => scoreOf(places) + conditionBias > 0).map(({ name }) => name);
    wanted += own.conditions.length;
    found += conditions.length;
    hits += conditions.filter((name) => own.conditions.includes(name)).length;
  }
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
  for (const [kind, sum] of right) console.log(`${kind}: ${percent(sum / examples.length)} of ${examples.length}`);
  console.log(`conditions: ${percent(hits / wanted)} of ${wanted} found, ${percent(1 - hits / found)} of ${found} wrong`);
}

/** Each row by its own scale, as whole numbers up to `levels`. */
function packed(row: Float32Array, levels: number): { scale: number; values: Int8Array } {
  const scale = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / levels || 1;
  return { scale, values: Int8Array.from(row, (value) => Math.round(value / scale)) };
}

function write({ features, rows, axes }: Model, source: string, into: string): void {
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
    packed(
      Float32Array.from(parts, (_part, part) => axes[part * dimensions + axis]!),
      127,
    ),
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
  const bytes = brotliCompressSync(Buffer.concat([Buffer.from(`${head}\n`), ...arrays.map(padded)]), {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS },
  });
  writeFileSync(into, bytes);
  console.log(`${features.size} features, ${parts.length} parts, ${bytes.length} bytes, ${into}`);
}

const isHeld = process.argv.includes('--hold');
const held = isHeld ? process.argv[process.argv.indexOf('--hold') + 1]!.split(',') : [];
const others = [
  ...lexiconExamples(),
  ...writers()
    .filter((name) => !held.includes(name))
    .flatMap(phrasingsOf),
];
const unseen = held.flatMap(phrasingsOf);
numberParts([...others, ...unseen]);
const model = learn(others.flatMap((example) => Array.from({ length: example.weight }, () => example)));
if (isHeld) evaluate(model, unseen);
const into = isHeld ? process.argv[process.argv.indexOf('--hold') + 2] : fileURLToPath(file);
if (into) write(model, sourceOfWeights(), into);
