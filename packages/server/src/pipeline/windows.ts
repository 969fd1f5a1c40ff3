/**
 * Evaluates a correlation over the hits of one group and selects those still needed. A match consumes all earlier hits, so
 * that ten failures under `gte: 10` match once however they were batched; hits that can contribute nothing further are
 * dropped, so that a flood of one value never fills a window. Pure.
 */
import { type CorrelationHit, type CorrelationMatch, evaluateCorrelation, isOpenEnded } from '@parapet/sigma/correlate.ts';
import type { Correlation } from '@parapet/sigma/rules.ts';

const maxLatePredecessors = 20;

export interface WindowEvaluation<Hit extends CorrelationHit> {
  firings: (Omit<CorrelationMatch, 'hits'> & { hits: Hit[] })[];
  /** Hits that a later one can still match with. */
  rest: Hit[];
}

/**
 * Judges all hits of one group. `now` is in milliseconds since 1970: with an upper bound, only windows that have ended are
 * judged.
 */
export function evaluateWindows<Hit extends CorrelationHit>(
  correlation: Correlation,
  hits: readonly Hit[],
  now: number,
): WindowEvaluation<Hit> {
  const order = (hit: Hit) => correlation.rules.indexOf(hit.ruleId);
  const sorted = [...hits].sort((a, b) => a.at - b.at || order(a) - order(b));
  const firings = evaluateCorrelation(correlation, sorted, { now }) as WindowEvaluation<Hit>['firings'];
  if (correlation.type !== 'temporal_ordered' && !isOpenEnded(correlation)) {
    return { firings, rest: sorted.slice(countEnded(correlation, sorted, now)) };
  }
  const last = firings.at(-1)?.hits.at(-1);
  const unused = last === undefined ? sorted : sorted.slice(sorted.lastIndexOf(last) + 1);
  if (correlation.type === 'temporal_ordered') return { firings, rest: chains(correlation, unused) };
  return { firings, rest: correlation.type === 'event_count' ? unused : newestOfEach(correlation, unused) };
}

/** Distinct values or rules are counted: among equal ones only the newest can matter to a window that ends later. */
function newestOfEach<Hit extends CorrelationHit>({ type }: Correlation, hits: readonly Hit[]): Hit[] {
  const newest = new Map<string | undefined, Hit>();
  for (const hit of hits) newest.set(type === 'value_count' ? hit.value : hit.ruleId, hit);
  return hits.filter((hit) => newest.get(type === 'value_count' ? hit.value : hit.ruleId) === hit);
}

/**
 * For each number of steps completed in order, keeps the chain that began last: if any chain can be completed in time, that
 * one can. Also keeps the newest hits of each rule, for predecessors that arrive late.
 */
function chains<Hit extends CorrelationHit>({ rules, timespanMs }: Correlation, hits: readonly Hit[]): Hit[] {
  const best: (Hit[] | undefined)[] = [];
  for (const hit of hits) {
    // Iterates backwards, so that a hit joins a chain once.
    for (let step = rules.length - 2; step >= 0; step--) {
      if (rules[step] !== hit.ruleId) continue;
      const before = step === 0 ? [] : best[step - 1];
      if (before && (step === 0 || hit.at - before[0]!.at <= timespanMs)) best[step] = [...before, hit];
    }
  }
  const needed = new Set(best.flatMap((chain) => chain ?? []));
  for (const rule of new Set(rules))
    for (const hit of hits.filter(({ ruleId }) => ruleId === rule).slice(-maxLatePredecessors)) needed.add(hit);
  return hits.filter((hit) => needed.has(hit));
}

/**
 * Number of hits in windows that have ended, as laid out by `evaluateCorrelation`: the first window begins at the first hit.
 */
function countEnded({ timespanMs }: Correlation, hits: readonly CorrelationHit[], now: number): number {
  let from = 0;
  while (from < hits.length) {
    const end = hits[from]!.at + timespanMs;
    if (end >= now) break;
    while (from < hits.length && hits[from]!.at <= end) from++;
  }
  return from;
}
