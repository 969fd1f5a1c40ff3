/** Names in the viewer’s scope that a question may contain, and the stretches of a text to look them up by. */
import type { QueryTime } from '@parapet/contract/rules/query.ts';
import { tacticNames } from '../../../domain/facts.ts';
import type { Lexicon } from './lexicon.ts';
import { type NamedClient, placesOf } from './places.ts';
import { corrected } from './spelling.ts';
import { stem, type Token, tokensOf } from './tokens.ts';

/** Few, however large the scope: those like the text; organisations, rules, techniques, tags and accounts up to a bound. */
export interface Vocabulary {
  clients: readonly NamedClient[];
  /** In the viewer’s scope, but not of the selected client. */
  otherClients: readonly NamedClient[];
  devices: readonly string[];
  users: readonly string[];
  rules: readonly string[];
  techniques: readonly { id: string; name: string }[];
  tags: readonly string[];
  /** Display names of portal users that the viewer may see: "Priya Raman". */
  accounts: readonly string[];
}

/** Sources of names, numbers and times. */
export interface NamedInput {
  tokens: readonly Token[];
  text: string;
  lexicon: Lexicon;
  vocabulary: Vocabulary;
  now: number;
  timeZone: string;
  /** Of the question before: for "the day before". */
  previousTime: QueryTime | undefined;
}

const longestName = 5;

/** Stretches that may be names (lower case), and single words that may be misspelt ones. */
export function candidatesIn(
  tokens: readonly Token[],
  text: string,
  lexicon: Lexicon,
): { phrases: string[]; doubtful: string[] } {
  const isOdd = tokens.map(({ text: word }) => /[\p{L}\p{N}]/u.test(word) && !lexicon.stems.has(stem(word)));
  const phrases = new Set<string>();
  for (let from = 0; from < tokens.length; from++)
    for (let to = from; to < Math.min(tokens.length, from + longestName); to++) {
      if (!isOdd.slice(from, to + 1).some(Boolean) || phrases.size >= 400) continue;
      phrases.add(text.slice(tokens[from]!.from, tokens[to]!.to).toLowerCase());
      // "Gideon Ravensdale" may have the account gravensdale.
      if (to === from + 1 && isOdd[from] && isOdd[to]) phrases.add(tokens[from]!.text[0]! + tokens[to]!.text);
    }
  const doubtful = tokens
    .filter(({ text: word }, index) => isOdd[index] && word.length >= 4 && !/^[\d.,:%-]+$/.test(word))
    .filter(({ text: word }) => /[\d_-]/.test(word) || corrected(word, lexicon) === undefined)
    .map(({ text: word }) => word)
    .slice(0, 8);
  return { phrases: [...phrases], doubtful: [...new Set(doubtful)] };
}

const cache = new Map<string, readonly string[]>();
const maxKept = 20_000;
const stemsOf = (names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const own = cache.get(name) ?? tokensOf(name).map(({ text }) => stem(text));
    if (cache.size >= maxKept) cache.clear();
    cache.set(name, own);
    return own;
  });

/** Words of the security trade: those of rules, techniques and tactics. A misspelt word may be one of them. */
export const tradeWords = ({ rules, techniques }: Vocabulary): ReadonlySet<string> =>
  new Set([...stemsOf(rules), ...stemsOf(techniques.map(({ name }) => name)), ...stemsOf([...tacticNames.values()])]);

/** Words of proper names, which are neither corrected nor corrected to. */
export const nameWords = ({ clients, otherClients, devices, users, accounts, tags }: Vocabulary): ReadonlySet<string> =>
  new Set(
    [...clients, ...otherClients]
      .map(({ name }) => name)
      .concat(
        devices,
        users,
        accounts,
        tags,
        placesOf(clients).map(([name]) => name),
      )
      .flatMap((name) => tokensOf(name).map(({ text }) => stem(text))),
  );
