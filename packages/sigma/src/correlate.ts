/**
 * Correlations over rule hits, from a database or a stream, in any order; only the hits' own times count.
 *
 * Windows slide if the condition has only lower bounds (`gte: 10`): the window ends at the hit that fulfils it, and consumes its hits, so that
 * twenty failures under `gte: 10` are two matches and not eleven. With an upper bound (`lt`, `lte`,
 * `eq`, `neq`), only a complete window can be judged: it starts at the first hit that no earlier window holds.
 */
import type { Correlation, SigmaRule } from './ast.ts';
import { places, readField } from './fields.ts';
import { classify, newView } from './logsource.ts';
import { timeOf } from './predicates.ts';
import type { Document } from './source.ts';
import { collectValue, type Leaf } from './values.ts';

export type { Correlation } from './ast.ts';

/** Hit of a rule, or match of another correlation, as input of a correlation. */
export interface CorrelationHit {
  ruleId: string;
  /** Milliseconds since 1970. */
  at: number;
  /** From `groupKeyOf`. */
  groupKey: string;
  /** From `countedValue`; value_count only. */
  value?: string;
  /** Reference of the caller to the hit: a line number or an alert ID. */
  ref: string;
}

export interface CorrelationMatch {
  correlationId: string;
  groupKey: string;
  /** Times of the first and of the last hit. */
  from: number;
  at: number;
  /** Hits, distinct values or different rules, as the type counts. */
  count: number;
  /** In the order of their times; the last one completed the window. */
  hits: CorrelationHit[];
}

export interface EvaluateOptions {
  /** With an upper bound, windows that end later are not judged yet. Default: all have ended. */
  now?: number;
}

/** Returns all matches of a correlation over these hits, by time. Ignores hits of rules that it does not name. */
export function evaluateCorrelation(
  correlation: Correlation,
  hits: CorrelationHit[],
  options: EvaluateOptions = {},
): CorrelationMatch[] {
  const groups = new Map<string, CorrelationHit[]>();
  for (const hit of hits) {
    if (!correlation.rules.includes(hit.ruleId) || Number.isNaN(hit.at)) continue;
    if (correlation.type === 'value_count' && hit.value === undefined) continue;
    const group = groups.get(hit.groupKey);
    if (group) group.push(hit);
    else groups.set(hit.groupKey, [hit]);
  }
  const firings: CorrelationMatch[] = [];
  for (const group of groups.values())
    firings.push(...evaluateGroup(correlation, group, options.now ?? Number.POSITIVE_INFINITY));
  return firings.sort((a, b) => a.at - b.at);
}

function evaluateGroup(correlation: Correlation, hits: CorrelationHit[], now: number): CorrelationMatch[] {
  const order = (hit: CorrelationHit) => correlation.rules.indexOf(hit.ruleId);
  const sorted = hits
    .map((hit, index) => ({ hit, index }))
    .sort((a, b) => a.hit.at - b.hit.at || order(a.hit) - order(b.hit) || a.index - b.index);
  const inOrder = sorted.map(({ hit }) => hit);
  if (correlation.type === 'temporal_ordered') return ordered(correlation, inOrder);
  return isOpenEnded(correlation) ? sliding(correlation, inOrder) : whole(correlation, inOrder, now);
}

/** True for conditions with only lower bounds: further hits cannot undo a match. */
export const isOpenEnded = ({ conditions }: Correlation): boolean =>
  conditions.every(({ operator }) => operator === 'gt' || operator === 'gte');

function holds({ conditions }: Correlation, count: number): boolean {
  return conditions.every(({ operator, number }) => {
    if (operator === 'gt') return count > number;
    if (operator === 'gte') return count >= number;
    if (operator === 'lt') return count < number;
    if (operator === 'lte') return count <= number;
    return operator === 'eq' ? count === number : count !== number;
  });
}

/** Unit of counting: the hit itself, its value, or its rule. */
function countedBy({ type }: Correlation, hit: CorrelationHit): unknown {
  if (type === 'event_count') return hit;
  return type === 'value_count' ? hit.value : hit.ruleId;
}

function firing(correlation: Correlation, hits: CorrelationHit[], count: number): CorrelationMatch {
  const last = hits.at(-1)!;
  return { correlationId: correlation.id, groupKey: last.groupKey, from: hits[0]!.at, at: last.at, count, hits };
}

function sliding(correlation: Correlation, hits: CorrelationHit[]): CorrelationMatch[] {
  const firings: CorrelationMatch[] = [];
  const counts = new Map<unknown, number>();
  let from = 0;
  hits.forEach((hit, index) => {
    const key = countedBy(correlation, hit);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    for (; hits[from]!.at < hit.at - correlation.timespanMs; from++) {
      const old = countedBy(correlation, hits[from]!);
      const left = counts.get(old)! - 1;
      if (left > 0) counts.set(old, left);
      else counts.delete(old);
    }
    if (!holds(correlation, counts.size)) return;
    firings.push(firing(correlation, hits.slice(from, index + 1), counts.size));
    counts.clear();
    from = index + 1;
  });
  return firings;
}

function whole(correlation: Correlation, hits: CorrelationHit[], now: number): CorrelationMatch[] {
  const firings: CorrelationMatch[] = [];
  let from = 0;
  while (from < hits.length) {
    const end = hits[from]!.at + correlation.timespanMs;
    let to = from;
    const seen = new Set<unknown>();
    while (to < hits.length && hits[to]!.at <= end) seen.add(countedBy(correlation, hits[to++]!));
    if (end >= now) break;
    if (holds(correlation, seen.size)) firings.push(firing(correlation, hits.slice(from, to), seen.size));
    from = to;
  }
  return firings;
}

/** For each number of completed steps, the chain that began last: if any chain fits the timespan, that one does. */
function ordered(correlation: Correlation, hits: CorrelationHit[]): CorrelationMatch[] {
  const { rules, timespanMs } = correlation;
  const firings: CorrelationMatch[] = [];
  let starts: (number | undefined)[] = [];
  hits.forEach((hit, index) => {
    for (let step = 0; step < rules.length; step++) {
      if (rules[step] !== hit.ruleId) continue;
      const start = step === 0 ? index : starts[step - 1];
      if (start === undefined || hit.at - hits[start]!.at > timespanMs) continue;
      if (step > 0 && rules[step - 1] === hit.ruleId && start === index) continue;
      starts[step] = start;
      if (step < rules.length - 1) continue;
      firings.push(firing(correlation, hits.slice(start, index + 1), new Set(rules).size));
      starts = [];
      return;
    }
  });
  return firings;
}

const view = newView();

/** The values of a Sigma field in an event, by the same mappings as rules. */
function fieldLeaves(document: Document, field: string): Leaf[] {
  const { shape } = classify(document, view);
  const leaves: Leaf[] = [];
  collectValue(readField(places(shape, field), view), leaves, 0);
  return leaves;
}

/**
 * Group of a hit: the values of `group-by`, with aliases resolved for the rule. Undefined if the event lacks one of the fields, which
 * excludes the hit.
 */
export function groupKeyOf(correlation: Correlation, rule: Pick<SigmaRule, 'id'>, document: Document): string | undefined {
  const values: string[] = [];
  for (const name of correlation.groupBy) {
    const [leaf] = fieldLeaves(document, correlation.aliases.get(name)?.get(rule.id) ?? name);
    if (leaf === undefined) return undefined;
    values.push(String(leaf.raw));
  }
  return JSON.stringify(values);
}

/** The value that value_count counts; undefined for the other kinds and where the event lacks the field. */
export function countedValue(correlation: Correlation, rule: Pick<SigmaRule, 'id'>, document: Document): string | undefined {
  if (correlation.type !== 'value_count') return undefined;
  const values: string[] = [];
  for (const name of correlation.valueFields) {
    const [leaf] = fieldLeaves(document, correlation.aliases.get(name)?.get(rule.id) ?? name);
    if (leaf === undefined) return undefined;
    values.push(leaf.low);
  }
  return values.length === 1 ? values[0] : JSON.stringify(values);
}

export { countedValue as valueOf };

const TIME_PATHS = [
  ['@timestamp'],
  ['Event', 'System', 'TimeCreated', '#attributes', 'SystemTime'],
  ['Event', 'System', 'TimeCreated', '@SystemTime'],
  ['Event', 'System', 'TimeCreated', 'SystemTime'],
  ['System', 'TimeCreated', '#attributes', 'SystemTime'],
  ['System', 'TimeCreated', '@SystemTime'],
  ['System', 'TimeCreated', 'SystemTime'],
  ['UtcTime'],
  ['EventTime'],
  ['TimeCreated'],
  ['timestamp'],
  ['eventTime'],
  ['CreationTime'],
  ['createdDateTime'],
  ['published'],
  ['time'],
  ['ts'],
];

/** Event time in milliseconds since 1970; undefined without one. */
export function eventTime(document: Document): number | undefined {
  for (const path of TIME_PATHS) {
    let value: unknown = document;
    for (const key of path) value = value !== null && typeof value === 'object' ? (value as Document)[key] : undefined;
    const time = typeof value === 'string' || typeof value === 'number' ? timeOf(value) : Number.NaN;
    if (!Number.isNaN(time)) return time;
  }
  return undefined;
}
