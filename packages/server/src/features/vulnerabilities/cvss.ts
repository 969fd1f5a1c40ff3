/**
 * CVSS base scores from their vectors: version 3 after "CVSS v3.1 Specification", section 7.1, version 2 after "A Complete Guide to CVSS v2",
 * section 3.2.1 (first.org). Version 4 needs FIRST's table of 270 groups and is taken only where a file tells the score itself.
 */
import type { Severity } from '@parapet/contract/primitives.ts';

const three = {
  AV: { N: 0.85, A: 0.62, L: 0.55, P: 0.2 },
  AC: { L: 0.77, H: 0.44 },
  PR: { N: 0.85, L: 0.62, H: 0.27 },
  /** Where the scope changes. */
  PRc: { N: 0.85, L: 0.68, H: 0.5 },
  UI: { N: 0.85, R: 0.62 },
  impact: { H: 0.56, L: 0.22, N: 0 },
} as const;
const two = {
  AV: { L: 0.395, A: 0.646, N: 1 },
  AC: { H: 0.35, M: 0.61, L: 0.71 },
  Au: { M: 0.45, S: 0.56, N: 0.704 },
  impact: { N: 0, P: 0.275, C: 0.66 },
} as const;

const oneDecimal = (value: number): number => Math.round(value * 10) / 10;
/** Up to one decimal, as the specification writes it out for floating-point numbers. */
function roundUp(value: number): number {
  const whole = Math.round(value * 100_000);
  return whole % 10_000 === 0 ? whole / 100_000 : (Math.floor(whole / 10_000) + 1) / 10;
}

/** Undefined for what is no vector of version 2 or 3, or has no base score in it. */
export function cvssOf(vector: string): number | undefined {
  if (vector.length > 200) return undefined;
  const text = vector.trim().replace(/^\(|\)$/g, '');
  const metrics = new Map(text.split('/').map((part) => part.split(':', 2) as [string, string]));
  const of = (table: Readonly<Record<string, number>>, name: string): number => {
    const value = metrics.get(name) ?? '';
    return Object.hasOwn(table, value) ? table[value]! : Number.NaN;
  };
  const score = /^CVSS:3\.[01]\//.test(text)
    ? scoreOfThree(of, metrics.get('S'))
    : /^AV:/.test(text)
      ? scoreOfTwo(of)
      : Number.NaN;
  return Number.isNaN(score) ? undefined : score;
}

type Metric = (table: Readonly<Record<string, number>>, name: string) => number;

function scoreOfThree(of: Metric, scope: string | undefined): number {
  if (scope !== 'U' && scope !== 'C') return Number.NaN;
  const isChanged = scope === 'C';
  const base = 1 - (1 - of(three.impact, 'C')) * (1 - of(three.impact, 'I')) * (1 - of(three.impact, 'A'));
  const impact = isChanged ? 7.52 * (base - 0.029) - 3.25 * (base - 0.02) ** 15 : 6.42 * base;
  const exploitability =
    8.22 * of(three.AV, 'AV') * of(three.AC, 'AC') * of(isChanged ? three.PRc : three.PR, 'PR') * of(three.UI, 'UI');
  if (Number.isNaN(impact + exploitability)) return Number.NaN;
  if (impact <= 0) return 0;
  return roundUp(Math.min(10, (isChanged ? 1.08 : 1) * (impact + exploitability)));
}

function scoreOfTwo(of: Metric): number {
  const impact = 10.41 * (1 - (1 - of(two.impact, 'C')) * (1 - of(two.impact, 'I')) * (1 - of(two.impact, 'A')));
  const exploitability = 20 * of(two.AV, 'AV') * of(two.AC, 'AC') * of(two.Au, 'Au');
  return oneDecimal((0.6 * impact + 0.4 * exploitability - 1.5) * (impact === 0 ? 0 : 1.176));
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
/** What advisories and scanners call it; undefined for any other word. */
export const severityOfWord = (word: unknown): Severity | undefined => {
  const text = typeof word === 'string' ? word.trim().toLowerCase() : '';
  return Object.hasOwn(words, text) ? words[text] : undefined;
};
