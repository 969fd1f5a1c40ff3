/**
 * A question as the learned likeness of usual questions sees it (`likely.ts`): its words without names, numbers and times, neighbouring words, and the mean
 * of its word vectors. Independent of the lexicon and the grammar, so that these can change without new weights.
 */
import { sentenceOf } from './likeness.ts';
import { stem, tidy, tokensOf } from './tokens.ts';
import type { Vocabulary } from './vocabulary.ts';

const [named, timed, counted] = ['<name>', '<time>', '<number>'];
const units = 'h|hrs?|hours?|d|days?|nights?|wks?|weeks?|weekend|months?|quarters?|years?';
const weekdays = '(?:mon|tues|wednes|thurs|fri|satur|sun)days?';
const months = 'january|february|march|april|june|july|august|september|october|november|december|in may';
const whole = `(?:last|past|previous|this|current) (?:\\d+ ?|few |couple of )?(?:${units}|${weekdays}|${months})`;
const single = `yesterday|today|tonight|overnight|${weekdays}|${months}|\\d+ ?(?:${units})|q[1-4]|ytd|year to date`;
const times = new RegExp(
  `\\b(?:(?:in|since|during|over|for|from|on|of) )?(?:(?:the )?${whole}|${single})\\b(?: 20\\d\\d)?`,
  'gi',
);

/** Words that stand for a client (the first of its name), a device, a user or a person. */
export function wordsOfNames({ clients, otherClients, devices, users, accounts }: Vocabulary): ReadonlySet<string> {
  const first = [...clients, ...otherClients].map(({ name }) => tokensOf(name)[0]?.text ?? '');
  const others = [...devices, ...users, ...accounts].flatMap((name) => tokensOf(name).map(({ text }) => text));
  return new Set([...first, ...others].filter((word) => word.length > 2));
}

/** Long forms of abbreviations with a sense of their own. */
const spelled: readonly (readonly [RegExp, string])[] = [
  [/\bw\/o\b/g, 'without'],
  [/\bw\//g, 'with '],
  [/\b(?:non|un)-(?=[a-z])/g, 'not '],
  [/-(or|and)-/g, ' $1 '],
  [/>=|(?<=[a-z0-9])\+/g, ' at least '],
  [/<=/g, ' at most '],
  [/>/g, ' over '],
  [/</g, ' under '],
  [/(?<!\d ?)%/g, ' percent '],
  [/(?<=[a-z])\/(?=(?:hour|day|week|month)\b)/g, ' per '],
];
const spelledOut = (text: string): string => spelled.reduce((all, [form, words]) => all.replace(form, words), text);

/** Stems, with one word for each name, time and number. */
export function phrasingOf(text: string, names: ReadonlySet<string>): string[] {
  return tokensOf(spelledOut(tidy(text).toLowerCase()).replace(times, ' timeword '))
    .map(({ text: word }) => word)
    .filter((word) => /[a-z0-9]/.test(word) && word !== "'s")
    .map((word) =>
      word === 'timeword' ? timed! : names.has(word) ? named! : /^[a-z]+(?:-[a-z]+)?$/.test(word) ? stem(word) : counted!,
    );
}

const isPlain = (word: string): boolean => word !== named && word !== timed && word !== counted;

/** Words that deny some of those after them. */
const denies =
  /^(?:no|not|non|never|none|nobody|nothing|neither|nor|without|w\/o|sans|minus|lack|miss|except|exclud|yet|(?:is|are|was|were|do|does|did|have|has|had|ca|ai)n'?t)$/;
const denied = 3;
/** Beginning of a word with another ending, or of a misspelt one. */
const beginning = 5;

/** Each word and its beginning, each two that stand beside each other or one apart, those after a negation, and the first word. */
export function featuresOf(words: readonly string[]): string[] {
  const plain = words.filter((word) => word !== named && word !== timed);
  const pairs = plain.flatMap((word, at) => [
    ...(at + 1 < plain.length ? [`${word}_${plain[at + 1]}`] : []),
    ...(at + 2 < plain.length ? [`${word}*${plain[at + 2]}`] : []),
    ...(denies.test(word) ? plain.slice(at + 1, at + 1 + denied).map((each) => `!${each}`) : []),
    ...(word.length > beginning ? [`${word.slice(0, beginning)}~`] : []),
  ]);
  return [...new Set([...words, ...pairs, `^${plain[0] ?? ''}`])];
}

/** The unit vector of its words, or zeros. */
export const vectorOfPhrasing = (words: readonly string[]): Float32Array => sentenceOf(words.filter(isPlain)).vector;

/** Entity of what is no question of any list: commands, small talk, other subjects. */
export const noneOfThem = 'none';

/** Of a query each is one of several. */
export const choices = ['measure', 'group', 'order', 'against'] as const;

/** A condition without further evidence (logit). */
export const conditionBias = -3;
