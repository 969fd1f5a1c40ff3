/** Splits a text into words with positions, and finds stretches that may be names. */
import { correctSpelling, isKnown } from './words.ts';

export interface Word {
  /** Lower case, without quotes and brackets. */
  text: string;
  from: number;
  to: number;
}

/** Longer texts are no questions; only the beginning is parsed. */
export const understoodLength = 1_000;
const maxWords = 200;

export const tidy = (text: string): string =>
  text
    .slice(0, understoodLength)
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/[\u2010-\u2015]/g, '-')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');

const word = /[\p{L}\p{N}](?:[\p{L}\p{N}'._@\\&$:+/-]*[\p{L}\p{N}$])?/gu;

export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(word)) {
    words.push({ text: match[0].toLowerCase(), from: match.index, to: match.index + match[0].length });
    if (words.length === maxWords) break;
  }
  return words;
}

const namesKept = new Map<string, ReadonlySet<string>>();
const maxNamesKept = 20_000;
/** Words of a name, cached: thousands of names repeat from question to question. */
export function wordsOfName(name: string): ReadonlySet<string> {
  let words = namesKept.get(name);
  if (!words) {
    words = new Set(wordsOf(name).map(({ text }) => text));
    if (namesKept.size >= maxNamesKept) namesKept.clear();
    namesKept.set(name, words);
  }
  return words;
}

/** Maximum words in a stretch. */
const longestName = 5;

/**
 * Returns stretches to compare with names: those with a word outside everyday English, or after "user", "device" and so on.
 */
export function nearOf(text: string): { phrases: string[]; doubtful: string[] } {
  const tidied = tidy(text);
  const words = wordsOf(tidied);
  const isOdd = words.map(({ text }) => !isKnown(text));
  const isNamed = words.map(
    (_, index) =>
      index > 0 &&
      /^(user|account|device|host|server|machine|named|called|username|hostname)$/.test(words[index - 1]?.text ?? ''),
  );
  const phrases = new Set<string>();
  const doubtful = new Set<string>();
  for (let from = 0; from < words.length; from++)
    for (let to = from; to < Math.min(words.length, from + longestName); to++) {
      const some = [...Array(to - from + 1).keys()].some((step) => isOdd[from + step] || isNamed[from + step]);
      if (!some || phrases.size >= 400) continue;
      const stretch = tidied.slice(words[from]?.from, words[to]?.to).toLowerCase();
      phrases.add(stretch);
      phrases.add(stretch.replace(/'s$/, ''));
    }
  for (const [index, { text }] of words.entries()) {
    const isCode = /^(cve-|t\d{4})/.test(text) || /^[\d.,:/-]+$/.test(text);
    if (isOdd[index] && text.length >= 4 && !isCode && correctSpelling(text) === undefined && doubtful.size < 8)
      doubtful.add(text.replace(/'s$/, ''));
  }
  return { phrases: [...phrases], doubtful: [...doubtful] };
}
