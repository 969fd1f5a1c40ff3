/** Questions of people and their queries (`bench/sapphire/phrasings`), from which `npm run phrasings` learns. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { type Query, queryEntities } from '@parapet/contract/rules/query.ts';
import { checkQuery } from '@parapet/server/domain/query/check.ts';
import { schemas } from '@parapet/server/domain/query/schemas.ts';
import { partsOfQuery, type QueryParts } from '@parapet/server/features/sapphire/parsing/conditions.ts';
import { elementsOf } from '@parapet/server/features/sapphire/parsing/elements.ts';
import { createLexicon } from '@parapet/server/features/sapphire/parsing/lexicon.ts';
import { parse } from '@parapet/server/features/sapphire/parsing/parse.ts';
import { noneOfThem, phrasingOf } from '@parapet/server/features/sapphire/parsing/phrasing.ts';

const folder = new URL('../bench/sapphire/phrasings/', import.meta.url);
const vectors = new URL('../packages/server/src/features/sapphire/parsing/english.vectors', import.meta.url);
const none: QueryParts = { entity: noneOfThem, measure: 'rows', group: '-', order: '-', against: '-', conditions: [] };
/** Names in the phrasings. */
const names = new Set(
  `alder birch cedar juniper maple harbor harbour summit reef dogwood elm fir priya tom dana miguel nadia imani ald-ws-01 ald-dc-01 bir-srv-02 jhearst rnavarro`.split(
    ' ',
  ),
);

export interface Example {
  /** Times that it counts: a question of two conditions or more counts more than a usual one, and what tests read by far more. */
  weight: number;
  parts: QueryParts;
  words: string[];
}

/** One file for each writer. */
export const writers = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.tsv'))
    .sort();

const moment = { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z', label: 'T' };
/** Of a query as it is written down, in which "T" is any time. */
export const queryOf = (json: string): Query =>
  JSON.parse(json, (key, value: unknown) => ((key === 'time' || key === 'within') && value === 'T' ? moment : value)) as Query;

/** Throws for a line that begins with no query. */
export function phrasingsOf(writer: string): Example[] {
  return readFileSync(new URL(writer, folder), 'utf8')
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => {
      const [meaning = '', ...phrasings] = line.split('\t');
      const query = meaning === '-' ? undefined : queryOf(meaning);
      const fault = query && checkQuery(query);
      if (fault) throw new Error(`${writer}: ${fault} ${line.slice(0, 200)}`);
      const parts = query ? partsOfQuery(query, schemas) : none;
      return phrasings.map((text) => ({
        parts,
        words: phrasingOf(text, names),
        weight: writer === 'tests.tsv' ? 12 : parts.conditions.length > 1 ? 3 : 1,
      }));
    });
}

const noNames = { clients: [], otherClients: [], devices: [], users: [], rules: [], techniques: [], tags: [], accounts: [] };
const now = Date.parse('2026-11-23T07:20:00Z');
/** Of each condition and group. */
const phrasesOfLexicon = 8;

/** Questions in the words of the lexicon alone: each condition, and each attribute that divides, with the noun of its records. */
export function lexiconExamples(): Example[] {
  const lexicon = createLexicon(schemas);
  const seen = new Set<string>();
  return queryEntities.flatMap((entity) => {
    const [, nouns] = schemas[entity].title;
    const texts = elementsOf(entity, schemas).flatMap(({ kind, phrases }) =>
      phrases.slice(0, phrasesOfLexicon).flatMap((words) => {
        const phrase = words.join(' ');
        return kind === 'filter'
          ? [`${phrase} ${nouns}`, `${nouns} that are ${phrase}`]
          : kind === 'group'
            ? [`${nouns} by ${phrase}`]
            : [];
      }),
    );
    return texts.flatMap((text): Example[] => {
      const { queries } = parse({ text, lexicon, vocabulary: noNames, previous: [], now, timeZone: 'UTC', isAgain: true });
      const [query, another] = queries;
      if (!query || another || query.entity !== entity || seen.has(text)) return [];
      seen.add(text);
      return [{ weight: 1, parts: partsOfQuery(query, schemas), words: phrasingOf(text, names) }];
    });
  });
}

/** Hash of all that the weights are learnt from. */
export function sourceOfWeights(): string {
  const hash = createHash('sha256');
  for (const writer of writers()) hash.update(readFileSync(new URL(writer, folder)));
  return hash.update(readFileSync(vectors)).digest('hex');
}
