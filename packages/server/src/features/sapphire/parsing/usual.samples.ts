/** The usual questions with the queries that the parser reads; for the tool that writes them and for the test that holds them. */
import type { Query } from '@parapet/contract/rules/query.ts';
import { schemas } from '../../../domain/query/schemas.ts';
import { createLexicon } from './lexicon.ts';
import { parse } from './parse.ts';
import { usualQuestions } from './usual.data.ts';

const none = { clients: [], otherClients: [], devices: [], users: [], rules: [], techniques: [], tags: [], accounts: [] };

/** Throws for a question that is no single query without a time. */
export function usualQueries(): { text: string; query: Query }[] {
  const lexicon = createLexicon(schemas);
  const seen = new Set<string>();
  return usualQuestions.flatMap((text) => {
    const input = { text, lexicon, vocabulary: none, previous: [], now: Date.parse('2026-11-23T07:20:00Z'), timeZone: 'UTC' };
    const { queries } = parse({ ...input, isAgain: true });
    const [query, another] = queries;
    if (!query || another || JSON.stringify(query).includes('"start"'))
      throw new Error(`No single query without a time: ${text}`);
    const { show: _, ...kept } = query;
    return seen.size < seen.add(JSON.stringify(kept)).size ? [{ text, query: kept }] : [];
  });
}
