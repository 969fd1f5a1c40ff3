/** Administrators’ synonyms: replace whole words of a question before it is read, never a built-in word or a name. */
import { suggestedQuestions } from '@parapet/contract/rules/sapphire.ts';
import { helpEntries } from './help.data.ts';
import type { Lexicon } from './parsing/lexicon.ts';
import { parse } from './parsing/parse.ts';
import type { Parsed } from './parsing/parsed.ts';
import { stem, tokensOf } from './parsing/tokens.ts';
import type { Vocabulary } from './parsing/vocabulary.ts';

export interface Synonym {
  from: string;
  to: string;
}

const stemsOf = (text: string): string[] => tokensOf(text).map((token) => stem(token.text));
const has = (stems: readonly string[], part: readonly string[]): boolean =>
  stems.some((_, at) => part.every((each, place) => stems[at + place] === each));

/** The text with the longest phrases replaced, once: a replacement is not replaced again. Singular and plural are one. */
export function replaced(text: string, synonyms: readonly Synonym[]): string {
  const phrases = synonyms
    .map(({ from, to }) => ({ stems: stemsOf(from), to }))
    .filter(({ stems }) => stems.length > 0)
    .sort((one, other) => other.stems.length - one.stems.length);
  const tokens = tokensOf(text);
  const stems = tokens.map((token) => stem(token.text));
  let result = '';
  let at = 0;
  for (let index = 0; index < tokens.length; ) {
    const found = phrases.find((phrase) => phrase.stems.every((each, place) => stems[index + place] === each));
    const next = index + (found?.stems.length ?? 1);
    if (found) {
      result += text.slice(at, tokens[index]!.from) + found.to;
      at = tokens[next - 1]!.to;
    }
    index = next;
  }
  return result + text.slice(at);
}

/** Those that occur in the text and are no part of a name in the viewer’s scope. */
export function applicable(text: string, synonyms: readonly Synonym[], vocabulary: Vocabulary): Synonym[] {
  const stems = stemsOf(text);
  const occurring = synonyms.filter(({ from }) => has(stems, stemsOf(from)));
  if (occurring.length === 0) return [];
  const { clients, otherClients, techniques, devices, users, rules, tags, accounts } = vocabulary;
  const named = [...clients, ...otherClients, ...techniques].map(({ name }) => name);
  const names = [...named, ...devices, ...users, ...rules, ...tags, ...accounts].map(stemsOf);
  return occurring.filter(({ from }) => !names.some((name) => has(name, stemsOf(from))));
}

const noNames: Vocabulary = {
  clients: [],
  otherClients: [],
  devices: [],
  users: [],
  rules: [],
  techniques: [],
  tags: [],
  accounts: [],
};

/** Texts that are understood: each word of the lexicon with its noun, the suggested questions and those of the help. */
const understoodTexts = ({ phrases, schemas }: Lexicon): string[] => [
  ...suggestedQuestions,
  ...helpEntries.flatMap(({ questions }) => questions),
  ...Object.values(schemas).flatMap(({ words }) => words),
  ...[...phrases.values()].flat().map(({ stems }) => stems.join(' ')),
];

/** Returns the reason why a synonym is not used; undefined for one that is. Pure, so that each is checked once per process. */
export function createSynonymCheck(lexicon: Lexicon): (synonym: Synonym) => string | undefined {
  let texts: { text: string; stems: string[] }[] | undefined;
  const read = (text: string): Parsed =>
    parse({
      text,
      lexicon,
      vocabulary: noNames,
      previous: [],
      now: Date.parse('2026-11-23T12:00:00Z'),
      timeZone: 'UTC',
      isAgain: true,
    });
  const isRead = ({ left, queries, clarify }: Parsed) => left.length === 0 && queries.length > 0 && !clarify;
  const isTaken = (parsed: Parsed) => isRead(parsed) || parsed.skill || parsed.command || parsed.refused;
  const nouns = Object.values(lexicon.schemas).map(({ title }) => title[1]);
  const known = new Map<string, string | undefined>();

  const faultOf = ({ from, to }: Synonym): string | undefined => {
    const stems = stemsOf(from);
    if (stems.every((each) => lexicon.stems.has(each)) || [from, `${from} alerts yesterday`].some((text) => isTaken(read(text))))
      return `Sapphire already reads “${from}”, and a synonym never overrides built-in words. Enter other words.`;
    if (has(stemsOf(to), stems)) return `“${to}” contains “${from}”. Enter other words to read it as.`;
    if (!nouns.some((noun) => [to, `${to} ${noun}`, `${noun} ${to}`].some((text) => isRead(read(text)))))
      return `Sapphire does not understand “${to}”. Enter words that it reads, such as “devices”.`;
    texts ??= understoodTexts(lexicon).map((text) => ({ text, stems: stemsOf(text) }));
    const changed = texts.find(
      (known) =>
        has(known.stems, stems) &&
        JSON.stringify(read(replaced(known.text, [{ from, to }]))) !== JSON.stringify(read(known.text)),
    );
    return changed && `It would change how Sapphire reads “${changed.text}”. Enter other words.`;
  };

  return (synonym) => {
    const key = JSON.stringify([synonym.from, synonym.to]);
    if (!known.has(key)) {
      // Synonyms of all organisations, of which few are in use.
      if (known.size >= 10_000) known.clear();
      known.set(key, faultOf(synonym));
    }
    return known.get(key);
  };
}
