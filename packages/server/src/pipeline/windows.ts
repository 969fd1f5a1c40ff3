/**
 * What a correlation makes of the hits of one group, and which of them it still needs. A firing uses up what came before it, so that ten
 * failures under `gte: 10` are one firing however they were spread over batches; what can add nothing any more is forgotten, so that a
 * flood of one value never fills a window. Pure.
 */
import { type CorrelationHit, type CorrelationMatch, evaluateCorrelation, isOpenEnded } from '@parapet/sigma/correlate.ts';
import type { Correlation } from '@parapet/sigma/rules.ts';

const keptForLatecomers = 20;

export interface Judgement<Hit extends CorrelationHit> {
  firings: (Omit<CorrelationMatch, 'hits'> & { hits: Hit[] })[];
  /** The hits that a later one can still fire with. */
  rest: Hit[];
}

/** All hits of one group; `now` in milliseconds since 1970: where a condition has an upper bound, only windows that ended are judged. */
export function judge<Hit extends CorrelationHit>(correlation: Correlation, hits: readonly Hit[], now: number): Judgement<Hit> {
  const order = (hit: Hit) => correlation.rules.indexOf(hit.ruleId);
  const sorted = [...hits].sort((a, b) => a.at - b.at || order(a) - order(b));
  const firings = evaluateCorrelation(correlation, sorted, { now }) as Judgement<Hit>['firings'];
  if (correlation.type !== 'temporal_ordered' && !isOpenEnded(correlation)) {
    return { firings, rest: sorted.slice(endOfWhole(correlation, sorted, now)) };
  }
  const last = firings.at(-1)?.hits.at(-1);
  const unused = last === undefined ? sorted : sorted.slice(sorted.lastIndexOf(last) + 1);
  if (correlation.type === 'temporal_ordered') return { firings, rest: chains(correlation, unused) };
  return { firings, rest: correlation.type === 'event_count' ? unused : newestOfEach(correlation, unused) };
}

/** Different values, or different rules, are counted: of equal ones only the newest can matter to a window that ends later. */
function newestOfEach<Hit extends CorrelationHit>({ type }: Correlation, hits: readonly Hit[]): Hit[] {
  const newest = new Map<string | undefined, Hit>();
  for (const hit of hits) newest.set(type === 'value_count' ? hit.value : hit.ruleId, hit);
  return hits.filter((hit) => newest.get(type === 'value_count' ? hit.value : hit.ruleId) === hit);
}

/**
 * For each number of steps that were taken in order, the chain that began last: if any chain can be completed in time, that one can. And
 * the newest of each rule, for what should have come before them and comes late.
 */
function chains<Hit extends CorrelationHit>({ rules, timespanMs }: Correlation, hits: readonly Hit[]): Hit[] {
  const best: (Hit[] | undefined)[] = [];
  for (const hit of hits) {
    // From the last step backwards, so that a hit takes part in a chain once.
    for (let step = rules.length - 2; step >= 0; step--) {
      if (rules[step] !== hit.ruleId) continue;
      const before = step === 0 ? [] : best[step - 1];
      if (before && (step === 0 || hit.at - before[0]!.at <= timespanMs)) best[step] = [...before, hit];
    }
  }
  const needed = new Set(best.flatMap((chain) => chain ?? []));
  for (const rule of new Set(rules))
    for (const hit of hits.filter(({ ruleId }) => ruleId === rule).slice(-keptForLatecomers)) needed.add(hit);
  return hits.filter((hit) => needed.has(hit));
}

/** How many of the hits lie in windows that ended, as `evaluateCorrelation` lays them: the first begins at the first hit. */
function endOfWhole({ timespanMs }: Correlation, hits: readonly CorrelationHit[], now: number): number {
  let from = 0;
  while (from < hits.length) {
    const end = hits[from]!.at + timespanMs;
    if (end >= now) break;
    while (from < hits.length && hits[from]!.at <= end) from++;
  }
  return from;
}
