/** Intent matching: compares a question’s words with the examples’, weighting words by their rarity among skills. */
import type { SapphireSkill } from '@parapet/contract/rules/sapphire.ts';
import MiniSearch from 'minisearch';
import { helpEntries } from '../help.data.ts';
import { examples } from './examples.ts';
import type { Vocabulary } from './reading.ts';
import { phraseAliases } from './sayings.data.ts';
import { findSlots } from './slots.ts';
import { correctSpelling, learnWords, meaningOf } from './words.ts';

interface Example {
  id: number;
  skill: SapphireSkill;
  /** Index of a help text. */
  help: number | undefined;
  words: string;
}

/** Marks that nearly every skill accepts carry little weight. */
const weakMarks: Record<string, number> = {
  xtime: 0.15,
  xclient: 0.1,
  xseverity: 0.25,
  xstate: 0.4,
  xassigned: 0.5,
  xbucket: 0.8,
  xrule: 0.5,
  xdevice: 0.5,
  xuser: 0.5,
  xtechnique: 0.6,
};

/** Words for comparison, including the grammar’s marks. */
export function meaningsOf(marked: string): string[] {
  let text = marked.replace(/\s+/g, ' ');
  for (const [pattern, as] of phraseAliases) text = text.replace(pattern, as);
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}'&]*/gu) ?? [];
  const meanings: string[] = [];
  for (const word of words) {
    // A bare number is a count.
    if (/^\d{1,3}$/.test(word)) continue;
    const meaning = /^x[a-z]+$/.test(word) ? word : meaningOf(correctSpelling(word) ?? word);
    if (meaning !== undefined && !meanings.includes(meaning)) meanings.push(meaning);
  }
  return meanings;
}

const nothing: Vocabulary = { clients: [], otherClients: [], devices: [], users: [], rules: [], techniques: [] };
const places: readonly [RegExp, string][] = [
  [/\{case\}/g, ' case 12 '],
  [/\{alert\}/g, ' alert 12 '],
  [/\{cve\}/g, ' CVE-2024-3094 '],
  [/\{(client|device|user|rule|technique)\}/g, ' x$1 '],
];
const moment = Date.UTC(2026, 5, 17, 12);

function made(): Example[] {
  const texts = [
    ...Object.entries(examples).flatMap(([skill, asks]) =>
      asks.map((text) => ({ skill: skill as SapphireSkill, text, help: undefined })),
    ),
    ...helpEntries.flatMap(({ asks }, help) => asks.map((text) => ({ skill: 'howto' as const, text, help }))),
  ];
  learnWords(texts.flatMap(({ text }) => text.toLowerCase().match(/[\p{L}'&]+/gu) ?? []));
  return texts.map(({ skill, text, help }, id) => {
    let plain = text;
    for (const [pattern, as] of places) plain = plain.replace(pattern, as);
    return { id, skill, help, words: meaningsOf(findSlots(plain, nothing, moment, 'UTC').marked).join(' ') };
  });
}

const all = made();
const index = new MiniSearch<Example>({
  fields: ['words'],
  storeFields: ['skill', 'help', 'words'],
  tokenize: (text) => text.split(' '),
  processTerm: (term) => term,
});
index.addAll(all);

/** Inverse frequency of a word among skills. Each help text counts as a skill of its own. */
const weights = (() => {
  const kinds = new Map<string, Set<string>>();
  for (const { skill, help, words } of all)
    for (const word of words.split(' ')) kinds.set(word, (kinds.get(word) ?? new Set()).add(`${skill} ${help ?? ''}`));
  const most = Object.keys(examples).length + helpEntries.length;
  return new Map([...kinds].map(([word, some]) => [word, Math.log(1 + most / some.size) * (weakMarks[word] ?? 1)]));
})();
/** Weight of a word found in no example. */
const unknownWordWeight = Math.log(1 + Object.keys(examples).length) * 0.6;
const weightOf = (word: string) => weights.get(word) ?? unknownWordWeight;
const sum = (words: readonly string[]) => words.reduce((total, word) => total + weightOf(word), 0);

export interface Intent {
  skill: SapphireSkill;
  /** Index of the help text. */
  help: number | undefined;
  /** Similarity to the nearest example, 0…1. */
  score: number;
}

/** Skills by similarity of their nearest example, best first. */
export function intentsOf(meanings: readonly string[]): Intent[] {
  if (meanings.length === 0) return [];
  const asked = sum(meanings);
  const hits = index.search(meanings.join(' '), {
    combineWith: 'OR',
    fuzzy: (term) => (/^x/.test(term) || term.length < 5 ? false : 0.2),
  });
  const best = new Map<string, Intent>();
  for (const hit of hits.slice(0, 80)) {
    const example = all[hit.id as number];
    if (!example) continue;
    const own = example.words.split(' ');
    const common = own.filter(
      (word) => meanings.includes(word) || (hit.terms.includes(word) && !meanings.includes(word) && !/^x/.test(word)),
    );
    const score = (2 * sum(common)) / (asked + sum(own));
    const known = best.get(example.skill);
    if (!known || known.score < score)
      best.set(example.skill, { skill: example.skill, help: example.help, score: Math.min(1, score) });
  }
  return [...best.values()].sort((a, b) => b.score - a.score);
}

/** Index of the help text that matches a question. */
export function helpFor(text: string): number | undefined {
  const meanings = meaningsOf(findSlots(text, nothing, moment, 'UTC').marked);
  return intentsOf(meanings).find(({ skill }) => skill === 'howto')?.help;
}
