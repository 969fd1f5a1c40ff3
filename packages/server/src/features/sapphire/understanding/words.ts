/** Word normalisation: maps synonyms to one form, drops stop words, and corrects misspellings to the nearest known word. */
import { plainWords, stop, synonyms } from './words.data.ts';

const canon = new Map<string, string>();
for (const [word = '', ...others] of synonyms) for (const each of [word, ...others]) if (!canon.has(each)) canon.set(each, word);

/** Core vocabulary of questions. */
const core = new Set([
  ...synonyms.map(([word]) => word ?? ''),
  'cases',
  'alerts',
  'devices',
  'users',
  'rules',
  'open',
  'many',
  'month',
  'week',
  'last',
  'this',
  'which',
  'have',
  'what',
  'show',
  'most',
  'critical',
  'install',
  'score',
]);
const known = new Set<string>([...canon.keys(), ...stop, ...plainWords]);
const corrections = new Map<string, string | undefined>();
const maxCorrections = 5_000;
/** Adds the words of examples and help texts. */
export const learnWords = (words: Iterable<string>): void => {
  for (const word of words) if (!/\d/.test(word)) known.add(word);
  corrections.clear();
};
/** Candidate base forms: "closing" of "close", "stopped" of "stop", "tries" of "try". */
function rootsOf(word: string): string[] {
  const bare = word.replace(/'s?$/, '');
  const cut = (ending: number) => bare.slice(0, -ending);
  const roots =
    bare.endsWith('ies') || bare.endsWith('ied')
      ? [`${cut(3)}y`]
      : bare.endsWith('ing')
        ? [cut(3), `${cut(3)}e`, /(.)\1ing$/.test(bare) ? cut(4) : '']
        : bare.endsWith('ed')
          ? [cut(2), cut(1), /(.)\1ed$/.test(bare) ? cut(3) : '']
          : bare.endsWith('s') && !bare.endsWith('ss')
            ? [cut(1), bare.endsWith('es') ? cut(2) : '']
            : [];
  return roots.filter((root) => root.length >= 3);
}
export const isKnown = (word: string): boolean =>
  known.has(word) || (/'s?$/.test(word) && known.has(word.replace(/'s?$/, ''))) || rootsOf(word).some((root) => known.has(root));

/** Edit distance with transpositions; stops counting above `most`. */
export function distance(a: string, b: string, maxDistance: number): number {
  if (Math.abs(a.length - b.length) > maxDistance) return maxDistance + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, (before[j - 2] ?? 0) + 1);
      next.push(best);
    }
    before = row;
    row = next;
    if (Math.min(...row) > maxDistance) return maxDistance + 1;
  }
  return row[b.length] ?? maxDistance + 1;
}

/** Returns the known word nearest to a misspelt one; undefined if none is near. */
export function correctSpelling(word: string): string | undefined {
  if (isKnown(word)) return word;
  if (corrections.has(word)) return corrections.get(word);
  const found = nearestKnown(word);
  if (corrections.size >= maxCorrections) corrections.clear();
  corrections.set(word, found);
  return found;
}

function nearestKnown(word: string): string | undefined {
  if (word.length > 20 || word.length < 3 || /\d/.test(word)) return undefined;
  const maxDistance = word.length >= 8 ? 2 : 1;
  const letters = [...word].sort().join();
  let best: string | undefined;
  let least = maxDistance + 1;
  for (const each of known) {
    // The first letters are usually right. For three letters, only a missing one is inserted.
    if (each.length < 4 || (each[0] !== word[0] && each[1] !== word[0]) || (word.length === 3 && !core.has(each))) continue;
    const apart = distance(word, each, maxDistance);
    // Transpositions are most likely, then core vocabulary.
    const rank = apart - (apart > 0 && [...each].sort().join() === letters ? 0.5 : 0) - (core.has(each) ? 0.25 : 0);
    if (apart <= maxDistance && rank < least) [best, least] = [each, rank];
  }
  return best;
}

/** Returns the form that examples are matched by; undefined for a stop word. */
export function meaningOf(word: string): string | undefined {
  const bare = word.replace(/'s$/, '');
  if (canon.has(bare)) return canon.get(bare);
  if (stop.has(bare)) return undefined;
  const root = rootsOf(bare).find((each) => canon.has(each));
  if (root !== undefined) return canon.get(root);
  if (bare.length > 4 && bare.endsWith('s') && !bare.endsWith('ss')) return bare.slice(0, -1);
  return bare;
}

function trigrams(text: string): Set<string> {
  const found = new Set<string>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const padded = `  ${word} `;
    for (let at = 0; at + 3 <= padded.length; at++) found.add(padded.slice(at, at + 3));
  }
  return found;
}

/** Share of common trigrams, as in PostgreSQL’s pg_trgm. */
export function likeness(a: string, b: string): number {
  const [left, right] = [trigrams(a), trigrams(b)];
  let common = 0;
  for (const each of left) if (right.has(each)) common++;
  const all = left.size + right.size - common;
  return all === 0 ? 0 : common / all;
}
