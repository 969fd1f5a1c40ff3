/** The usual questions of Sapphire and how people put them (`bench/sapphire/phrasings`), from which `npm run phrasings` learns. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { phrasingOf } from '@parapet/server/features/sapphire/parsing/phrasing.ts';
import { usualFile } from '@parapet/server/features/sapphire/parsing/usual.ts';

const folder = new URL('../bench/sapphire/phrasings/', import.meta.url);
const vectors = new URL('../packages/server/src/features/sapphire/parsing/english.vectors', import.meta.url);
export const usual = usualFile();
/** Number of what is no question of any list. */
const none = usual.length;
const numberOf = new Map(usual.map(({ text }, at) => [text, at])).set('-', none);
/** Names in the phrasings. */
const names = new Set(
  `alder birch cedar juniper maple harbor harbour reef dogwood elm fir priya tom dana miguel nadia ald-ws-01 ald-dc-01 bir-srv-02`.split(
    ' ',
  ),
);

export interface Example {
  /** Number of the usual question. */
  intent: number;
  words: string[];
}
const exampleOf = (text: string, intent: number): Example => ({ intent, words: phrasingOf(text, names) });

/** One file for each writer. */
export const writers = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.tsv'))
    .sort();

/** Throws for a question that is no usual one. */
export function phrasingsOf(writer: string): Example[] {
  return readFileSync(new URL(writer, folder), 'utf8')
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => {
      const [question = '', ...phrasings] = line.split('\t');
      const intent = numberOf.get(question);
      if (intent === undefined) throw new Error(`${writer}: "${question}" is no usual question.`);
      return phrasings.map((text) => exampleOf(text, intent));
    });
}

/** The usual questions themselves. */
export const plainExamples = (): Example[] => usual.map(({ text }, intent) => exampleOf(text, intent));

/** Hash of all that the weights are learnt from. */
export function sourceOfWeights(): string {
  const hash = createHash('sha256');
  for (const writer of writers()) hash.update(readFileSync(new URL(writer, folder)));
  return hash.update(JSON.stringify(usual)).update(readFileSync(vectors)).digest('hex');
}
