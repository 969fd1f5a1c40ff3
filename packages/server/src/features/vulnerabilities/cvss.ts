/** CVSS base scores from their vectors, versions 2, 3.0, 3.1 and 4.0. */
import type { Severity } from '@parapet/contract/primitives.ts';
import cvss from 'ae-cvss-calculator';

const longestVector = 400;
/** Cache size; a hundred thousand advisories share a few thousand vectors. */
const maxStored = 5_000;
const cache = new Map<string, number | undefined>();

const versions = [
  [/^CVSS:4\.0\//, cvss.Cvss4P0],
  [/^CVSS:3\.1\//, cvss.Cvss3P1],
  [/^CVSS:3\.0\//, cvss.Cvss3P0],
  [/^\(?AV:/, cvss.Cvss2],
] as const;

function computed(vector: string): number | undefined {
  const Version = versions.find(([beginning]) => beginning.test(vector))?.[1];
  if (!Version) return undefined;
  try {
    const read = new Version(vector);
    if (!read.isBaseFullyDefined()) return undefined;
    const scores = read.calculateScores();
    // Version 4 includes the threat metrics in this score.
    return 'baseMetricsOnly' in scores ? scores.baseMetricsOnly : scores.base;
  } catch {
    // Unknown metric or value for this version.
    return undefined;
  }
}

/** Returns undefined for invalid vectors and vectors without a complete base score. */
export function cvssOf(vector: string): number | undefined {
  if (vector.length > longestVector) return undefined;
  const text = vector.trim();
  if (!cache.has(text)) {
    if (cache.size >= maxStored) cache.clear();
    cache.set(text, computed(text));
  }
  return cache.get(text);
}

/** Qualitative ratings of CVSS v3.1, section 5. */
export const severityOfScore = (score: number): Severity =>
  score >= 9 ? 'critical' : score >= 7 ? 'high' : score >= 4 ? 'medium' : score > 0 ? 'low' : 'informational';

const words: Record<string, Severity> = {
  critical: 'critical',
  high: 'high',
  important: 'high',
  medium: 'medium',
  moderate: 'medium',
  low: 'low',
  minor: 'low',
  negligible: 'informational',
  unimportant: 'informational',
  none: 'informational',
  info: 'informational',
  informational: 'informational',
};
/** Severity for the labels of advisories and scanners; undefined for any other word. */
export const severityOfLabel = (word: unknown): Severity | undefined => {
  const text = typeof word === 'string' ? word.trim().toLowerCase() : '';
  return Object.hasOwn(words, text) ? words[text] : undefined;
};
