/** Which skill a question means: its words are compared with the examples', the rarer a word among the skills the more it counts. */
import type { SapphireSkill } from '@parapet/contract/rules/sapphire.ts';
import MiniSearch from 'minisearch';
import { helpEntries } from '../help.data.ts';
import { examples } from './examples.ts';
import type { Vocabulary } from './reading.ts';
import { findSlots } from './slots.ts';
import { corrected, learnWords, meaningOf } from './words.ts';

interface Example {
  id: number;
  skill: SapphireSkill;
  /** Of a help text. */
  help: number | undefined;
  words: string;
}

/** Marks that nearly every skill takes say little of which it is. */
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

/** Phrases that mean one thing, said in several words. */
const phrases: readonly [RegExp, string][] = [
  [/\bhow (?:many|much)\b|\bnumber of\b|\bhow often\b|\bhow frequent(?:ly)?\b|\bhow many times\b/g, ' count '],
  [/\b(?:what|which) (?:kind|type|sort)s? of\b/g, ' rule '],
  [/\bover time\b|\bgo(?:ing|ne)? (?:up|down)\b|\b(?:going|been) (?:up|down)\b|\bup or down\b/g, ' trend '],
  [/\bdata sources?\b/g, ' device '],
  [/\bbest practices?\b/g, ' bestpractice '],
  [/\bblind[- ]?spots?\b|\bblind to\b/g, ' blind '],
  [
    /\b(?:log )?sources? (?:are |is |do )?(?:we |you )?(?:are )?(?:missing|lack(?:ing)?)\b|\bmissing (?:log )?sources?\b/g,
    ' blind ',
  ],
  [
    /\bcan(?:not|'t| not) (?:we |you )?(?:see|detect)\b|\b(?:we |you )?(?:can't|cannot|can not) (?:see|detect)\b|\bnot (?:see|detect|able to see)\b/g,
    ' blind coverage ',
  ],
  [/\bcan (?:we|you) not (?:see|detect)\b/g, ' blind coverage '],
  [/\b(?:would|do|can|could) (?:we|you) (?:notice|detect)\b|\b(?:would|can|could) (?:we|you) see\b/g, ' coverage '],
  [/\bhow (?:do|can|to|does|could|would|should) (?:i|we|one|you|somebody|someone)?\b/g, ' howdo '],
  [/\bhow to\b|\bwhere (?:can|do|should|could) (?:i|we)\b/g, ' howdo '],
  [/\bwhat (?:can|could|do) you (?:do|know|answer|help)\b|\bask you\b/g, ' help youdo '],
  [/\bwho are you\b/g, ' help youdo '],
  [/\bshould (?:we|i) (?:fix|patch|mend)(?: first)?\b/g, ' vulnerability first '],
  [/\bmean time to\b|\btime to\b|\bhow (?:long|fast|quick(?:ly)?|soon)\b/g, ' time howlong '],
  [/\bresponse times?\b/g, ' time acknowledge '],
  [/\bat risk\b/g, ' risk '],
  [
    /\bcatch (?:me|us) up\b|\bdid (?:i|we) miss\b|\bwhat(?:'s| is| has|'ve| was)? (?:new|changed|different)\b|\banything new\b/g,
    ' change whatsnew ',
  ],
  [/\bcompar(?:e|ed|es|ing) (?:to|with)\b|\bmore or (?:less|fewer)\b|\b(?:more|fewer|less) (?=.*\bthan\b)/g, ' compare '],
  [/\b(?:than|versus|vs\.?)\b/g, ' compare '],
  [
    /\bin words\b|\bsum(?:med)? up\b|\bexecutive summary\b|\bhow (?:was|were)\b(?=.*\b(?:week|month|xtime)\b)|\bhow did\b(?=.*\b(?:go|do)\b)/g,
    ' summarise ',
  ],
  [/\bindustry(?: average)?\b/g, ' industry '],
  [/\bwhat happened\b/g, ' happened '],
  [/\bwhat (?:can|could|should|must) (?:i|we) do(?: about| to)?\b/g, ' improve '],
  [/\brisk(?:s|y)? (?:score|rating|level|number)\b/g, ' risk score riskscore '],
];

/** The words by which a question is compared; the marks of the grammar among them. */
export function meaningsOf(marked: string): string[] {
  let text = marked;
  for (const [pattern, as] of phrases) text = text.replace(pattern, as);
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}'&]*/gu) ?? [];
  const meanings: string[] = [];
  for (const word of words) {
    const meaning = /^x[a-z]+$/.test(word) ? word : meaningOf(corrected(word) ?? word);
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

/** In how few skills a word stands. Each help text counts as a skill of its own. */
const weights = (() => {
  const kinds = new Map<string, Set<string>>();
  for (const { skill, help, words } of all)
    for (const word of words.split(' ')) kinds.set(word, (kinds.get(word) ?? new Set()).add(`${skill} ${help ?? ''}`));
  const most = Object.keys(examples).length + helpEntries.length;
  return new Map([...kinds].map(([word, some]) => [word, Math.log(1 + most / some.size) * (weakMarks[word] ?? 1)]));
})();
/** A word that no example has. */
const unheard = Math.log(1 + Object.keys(examples).length) * 0.6;
const weightOf = (word: string) => weights.get(word) ?? unheard;
const sum = (words: readonly string[]) => words.reduce((total, word) => total + weightOf(word), 0);

export interface Intent {
  skill: SapphireSkill;
  /** Which help text. */
  help: number | undefined;
  /** How alike the nearest example is, 0…1. */
  score: number;
}

/** Skills by how near their nearest example is, the nearest first. */
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

/** The help text that a question asks for. */
export function helpFor(text: string): number | undefined {
  const meanings = meaningsOf(findSlots(text, nothing, moment, 'UTC').marked);
  return intentsOf(meanings).find(({ skill }) => skill === 'howto')?.help;
}
