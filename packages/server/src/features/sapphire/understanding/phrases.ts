/** A text in words with their places, and which stretches of it may be names. */
import { corrected, isKnown } from './words.ts';

export interface Word {
  /** In small letters, quotes and brackets off. */
  text: string;
  from: number;
  to: number;
}

/** Longer texts are no questions; what is asked stands at the beginning. */
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
/** The words of a name: names are the same from question to question, and there may be thousands. */
export function wordsOfName(name: string): ReadonlySet<string> {
  let words = namesKept.get(name);
  if (!words) {
    words = new Set(wordsOf(name).map(({ text }) => text));
    if (namesKept.size >= maxNamesKept) namesKept.clear();
    namesKept.set(name, words);
  }
  return words;
}

/** Stretches of up to so many words. */
const longestName = 5;

/** What a name must be compared with: stretches with a word that is none of everyday English, or that stand after "user", "device" and so on. */
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
    if (isOdd[index] && text.length >= 4 && !isCode && corrected(text) === undefined && doubtful.size < 8)
      doubtful.add(text.replace(/'s$/, ''));
  }
  return { phrases: [...phrases], doubtful: [...doubtful] };
}
