/**
 * Likely query of a question, learnt from whole questions of people and their queries (docs/decisions/0108-learned-queries.md): log-linear
 * models of the entity, and of each entity's measure, groups, order, comparison and conditions. Weights are learnt by `npm run phrasings`; they are read
 * when a question is first not understood. They offer, and give no answer.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress, brotliDecompressSync } from 'node:zlib';
import type { QueryEntity } from '@parapet/contract/rules/query.ts';
import type { QueryParts } from './conditions.ts';
import { dimensions } from './likeness.ts';
import { choices, conditionBias, featuresOf, noneOfThem, phrasingOf, vectorOfPhrasing } from './phrasing.ts';

/** Share of each feature and of the vector in the score of a part. */
export const [featureWeight, vectorWeight] = [0.25, 2];

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

const file = new URL('./learned.weights', import.meta.url);

export const readWeights = (): Weights => weightsIn(brotliDecompressSync(readFileSync(file)));

function weightsIn(bytes: Buffer): Weights {
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

/** Of each part, by the words of a question. */
function partScores(weights: Weights, words: readonly string[]): Float32Array {
  const { features, ends, places, values, scales, vectorValues, vectorScales, parts } = weights;
  const scores = new Float32Array(parts.length);
  for (const row of featuresOf(words).flatMap((feature) => features.get(feature) ?? [])) {
    const scale = scales[row]! * featureWeight;
    for (let at = row === 0 ? 0 : ends[row - 1]!; at < ends[row]!; at++) scores[places[at]!]! += values[at]! * scale;
  }
  for (const [axis, value] of vectorOfPhrasing(words).entries()) {
    const scale = value * vectorWeight * vectorScales[axis]!;
    for (let part = 0; part < parts.length; part++) scores[part]! += vectorValues[axis * parts.length + part]! * scale;
  }
  return scores;
}

/** Places of the parts whose weights add up to the score of an option. */
interface Option {
  name: string;
  places: readonly number[];
}
type Options = Record<(typeof choices)[number] | 'condition', readonly Option[]>;

let weights: Weights | undefined;
const entities: Option[] = [];
const optionsOf = new Map<string, Options>();

/** Reads the weights beside other work, before the first question; parsing reads them itself otherwise. */
export async function prepareLearned(from: URL | string = file): Promise<void> {
  if (!weights) learn(weightsIn(await promisify(brotliDecompress)(await readFile(from))));
}

const load = (): Weights => weights ?? learn(readWeights());

/** The parts of an entity begin with its name; a part without it is shared. */
function learn(read: Weights): Weights {
  if (weights) return weights;
  weights = read;
  const placeOf = new Map(weights.parts.map((part, place) => [part, place]));
  for (const [place, part] of weights.parts.entries()) {
    const [, entity, kind, name] = /^(?:entity )?(\w+)(?:: (\w+) (.*))?$/.exec(part) ?? [];
    if (part.startsWith('entity ')) entities.push({ name: entity!, places: [place] });
    if (!part.includes(': ') || kind === undefined || name === undefined || isComposed.test(name)) continue;
    const options = optionsOf.get(entity!) ?? { measure: [], group: [], order: [], against: [], condition: [] };
    const shared = [`${kind} ${name}`, ...(kind === 'condition' ? [fieldPart(name)] : [])];
    const places = [place, ...shared.flatMap((each) => placeOf.get(each) ?? [])];
    (options[kind as keyof Options] as Option[]).push({ name, places });
    optionsOf.set(entity!, options);
  }
  return weights;
}

/** The part that conditions on one attribute share. */
export const fieldPart = (condition: string): string => `field ${/"(?:field|some)":"(\w+)"/.exec(condition)?.[1] ?? ''}`;

export interface Likely extends QueryParts {
  entity: QueryEntity;
  /** Logarithm of its probability. */
  score: number;
}

/** Conditions that the lexicon reads in the question, of an entity, and the entities that it names. */
export interface Known {
  conditionsOf: (entity: QueryEntity) => ReadonlySet<string>;
  entities: ReadonlySet<QueryEntity>;
  /** False for a condition with a name, a time or a number that the question does not have. */
  isPossible: (condition: string) => boolean;
}

/** Logits in favour of the reading of the lexicon and against other values of the same attribute; for each attribute of related records. */
const [knownGain, knownBase, otherLoss, namedGain, relatedGain] = [4, -1, 2, 1.5, 2];
const [maxEntities, maxOptions, maxConditions, maxCandidates, maxBeams] = [4, 3, 5, 14, 60];
const minLogarithm = -5;
/** Of what no example has. */
const unseen = -6;

const logarithms = (scores: readonly number[]): number[] => {
  const most = Math.max(...scores);
  const sum = most + Math.log(scores.reduce((all, score) => all + Math.exp(score - most), 0));
  return scores.map((score) => score - sum);
};

interface Rated {
  name: string;
  score: number;
}
interface Condition {
  name: string;
  yes: number;
  no: number;
}

/** Sets of conditions with their joint probability, the best first. */
function setsOf(conditions: readonly Condition[]): { names: string[]; score: number }[] {
  let sets = [{ names: [] as string[], score: conditions.reduce((sum, { no }) => sum + no, 0) }];
  const candidates = conditions
    .filter(({ yes }) => yes > minLogarithm)
    .sort((a, b) => b.yes - b.no - (a.yes - a.no))
    .slice(0, maxCandidates);
  for (const { name, yes, no } of candidates) {
    const larger = sets
      .filter(({ names }) => names.length < maxConditions)
      .map(({ names, score }) => ({ names: [...names, name], score: score + yes - no }));
    sets = [...sets, ...larger].sort((a, b) => b.score - a.score).slice(0, maxBeams);
  }
  return sets;
}

/** Conditions that are composed of others differ from question to question, and states of a past time have few phrasings. */
export const isComposed = /^(?:of )?\{(?:"not":\{)?"(?:and|or)":|"field":"createdTime"|"some":.*"N"/;
/** Of values alone, not of names or texts. */
export const isAlternative = (condition: string): boolean =>
  /^(?:of )?\{"or":/.test(condition) && !/"N"|"contains":/.test(condition);
export const isOfShare = (condition: string): boolean => condition.startsWith('of ');
const opposite = (condition: string): string =>
  condition.startsWith('{"not":')
    ? condition.slice('{"not":'.length, -1)
    : condition.replace(/"is":(true|false)/, (_, is) => `"is":${is === 'false'}`);
/** False if a flag is both true and false, or what a share counts holds for all. */
const isConsistent = (conditions: readonly string[]): boolean =>
  conditions.every(
    (each) =>
      !(isOfShare(each) && conditions.includes(each.slice(3))) &&
      !(opposite(each) !== each && conditions.includes(opposite(each))),
  );

/** Of one question. */
export class LikelyQueries {
  private readonly scores: Float32Array;

  readonly known: Known;

  private readonly ofEntities: ReadonlyMap<string, number>;

  private readonly ofParts = new Map<string, { choices: ReadonlyMap<string, number>[]; conditions: Condition[] }>();

  constructor(text: string, names: ReadonlySet<string>, known: Known) {
    this.scores = partScores(load(), phrasingOf(text, names));
    this.known = known;
    const named = entities.map(
      (option) => this.scoreOf(option) + (known.entities.has(option.name as QueryEntity) ? namedGain : 0),
    );
    this.ofEntities = new Map(logarithms(named).map((score, at) => [entities[at]!.name, score]));
  }

  private scoreOf({ places }: Option): number {
    return places.reduce((sum, place) => sum + this.scores[place]!, 0);
  }

  private rated(options: readonly Option[]): Rated[] {
    return logarithms(options.map((option) => this.scoreOf(option)))
      .map((score, at) => ({ name: options[at]!.name, score }))
      .sort((a, b) => b.score - a.score);
  }

  private conditionsOf(entity: QueryEntity): Condition[] {
    const known = this.known.conditionsOf(entity);
    const options = optionsOf.get(entity)!.condition;
    const names = new Set(options.map(({ name }) => name));
    const fields = new Set([...known].map(fieldPart));
    const gain = (name: string) =>
      known.has(name)
        ? knownGain
        : fields.has(fieldPart(name))
          ? -otherLoss
          : name.includes('"some":')
            ? this.evidenceOf(name)
            : 0;
    return [
      ...options
        .filter(({ name }) => known.has(name) || this.known.isPossible(name))
        .map((option) => ({ name: option.name, logit: this.scoreOf(option) + conditionBias + gain(option.name) })),
      ...[...known].filter((name) => !names.has(name)).map((name) => ({ name, logit: knownBase + knownGain })),
    ].map(({ name, logit }) => ({ name, yes: -Math.log1p(Math.exp(-logit)), no: -Math.log1p(Math.exp(logit)) }));
  }

  /** The lexicon reads the attributes of related records, or lacks them. */
  private evidenceOf(name: string): number {
    const some = /"some":"(\w+)"/.exec(name)![1] as QueryEntity;
    const read = new Set([...this.known.conditionsOf(some)].map(fieldPart));
    const own = [...name.slice(name.indexOf('"where"')).matchAll(/"field":"(\w+)"/g)].map(([, field]) => `field ${field}`);
    return own.reduce((sum, field) => sum + (read.has(field) ? relatedGain : -relatedGain), 0);
  }

  /** Likely values of a choice of an entity, or its likeliest conditions, the likeliest first. */
  likeliest(entity: QueryEntity, kind: (typeof choices)[number] | 'condition', count: number): string[] {
    const options = optionsOf.get(entity);
    if (!options) return [];
    if (kind !== 'condition')
      return this.rated(options[kind])
        .slice(0, count)
        .map(({ name }) => name);
    return [...this.conditionsOf(entity)]
      .sort((a, b) => b.yes - a.yes)
      .slice(0, count)
      .map(({ name }) => name);
  }

  /** Logarithms of the probabilities of its entity, each choice, and the conditions that it has and those that it lacks. */
  logarithmsOf(parts: QueryParts): number[] {
    const options = optionsOf.get(parts.entity);
    if (!options) return [unseen, ...choices.map(() => unseen), unseen, unseen];
    const cached = this.ofParts.get(parts.entity) ?? {
      choices: choices.map((kind) => new Map(this.rated(options[kind]).map(({ name, score }) => [name, score]))),
      conditions: this.conditionsOf(parts.entity as QueryEntity),
    };
    this.ofParts.set(parts.entity, cached);
    const [own, others] = [new Set(parts.conditions), new Set<string>()];
    let [yes, no] = [0, 0];
    for (const condition of cached.conditions) {
      if (own.has(condition.name)) yes += condition.yes;
      else no += condition.no;
      others.add(condition.name);
    }
    for (const name of own) if (!others.has(name)) yes += unseen;
    return [
      this.ofEntities.get(parts.entity) ?? unseen,
      ...choices.map((kind, at) => cached.choices[at]!.get(parts[kind]) ?? unseen),
      yes,
      no,
    ];
  }

  /** Each choice of an entity, by the sum of its logarithms. */
  private chosen(options: Options): Omit<Likely, 'entity' | 'conditions'>[] {
    let all = [{ measure: '', group: '', order: '', against: '', score: 0 }];
    for (const kind of choices)
      all = this.rated(options[kind])
        .slice(0, maxOptions)
        .flatMap(({ name, score }) => all.map((before) => ({ ...before, [kind]: name, score: before.score + score })));
    return all;
  }

  /** The likeliest, best first. */
  best(count: number): Likely[] {
    const likely = [...this.ofEntities].sort(([, a], [, b]) => b - a).slice(0, maxEntities);
    return likely
      .filter(([name]) => name !== noneOfThem)
      .flatMap(([name, score]) => {
        const entity = name as QueryEntity;
        const sets = setsOf(this.conditionsOf(entity)).filter(({ names }) => isConsistent(names));
        return this.chosen(optionsOf.get(name)!).flatMap((choice) =>
          sets
            .filter(({ names }) => names.some(isOfShare) === (choice.measure === 'share'))
            .map(({ names: conditions, score: own }) => ({ ...choice, entity, conditions, score: score + choice.score + own })),
        );
      })
      .sort((a, b) => b.score - a.score)
      .slice(0, count);
  }
}
