/** Correlations over an event stream, for the command line and tests, where no database holds the hits. */
import type { Correlation, SigmaRule } from './ast.ts';
import {
  type CorrelationHit,
  type CorrelationMatch,
  countedValue,
  evaluateCorrelation,
  groupKeyOf,
  isOpenEnded,
} from './correlate.ts';
import type { Document } from './source.ts';

export interface StreamFiring {
  correlation: Correlation;
  firing: CorrelationMatch;
}

export interface CorrelationStream {
  /** Processes an event with its matching rules; yields the resulting matches, including correlations of correlations. */
  add(rules: SigmaRule[], document: Document, at: number, ref: string): StreamFiring[];
  /** Judges the windows that are still open at the end of the stream. */
  end(): StreamFiring[];
}

/** Maximum hits per group; the oldest are discarded, so that a flood cannot exhaust memory. */
const MAX_PENDING = 10_000;
/** Maximum groups per correlation, for the same reason. */
const MAX_GROUPS = 100_000;

interface Group {
  hits: CorrelationHit[];
  document: Document;
}

interface State {
  correlation: Correlation;
  isOpenEnded: boolean;
  groups: Map<string, Group>;
  /** Number of hits below which nothing can fire. */
  least: number;
  sweptAt: number;
}

export function correlationStream(correlations: Correlation[]): CorrelationStream {
  const users = new Map<string, State[]>();
  const states = correlations.map(
    (correlation): State => ({
      correlation,
      isOpenEnded: isOpenEnded(correlation),
      groups: new Map(),
      least: minHits(correlation),
      sweptAt: Number.NEGATIVE_INFINITY,
    }),
  );
  for (const state of states) for (const id of new Set(state.correlation.rules)) users.set(id, [...(users.get(id) ?? []), state]);
  let clock = Number.NEGATIVE_INFINITY;

  function feed(rule: Pick<SigmaRule, 'id'>, document: Document, at: number, ref: string, fired: StreamFiring[]): void {
    for (const state of users.get(rule.id) ?? []) {
      const { correlation } = state;
      const groupKey = groupKeyOf(correlation, rule, document);
      if (groupKey === undefined) continue;
      const value = countedValue(correlation, rule, document);
      if (correlation.type === 'value_count' && value === undefined) continue;
      const group = groupOf(state, groupKey, document);
      group.document = document;
      group.hits.push({ ruleId: rule.id, at, groupKey, value, ref });
      forgetOld(state, group, clock - 2 * correlation.timespanMs);
      if (state.isOpenEnded && group.hits.length < state.least) continue;
      judge(state, groupKey, group, fired, state.isOpenEnded ? Number.POSITIVE_INFINITY : clock);
    }
  }

  function judge(state: State, groupKey: string, group: Group, fired: StreamFiring[], now: number): void {
    const firings = evaluateCorrelation(state.correlation, group.hits, { now });
    if (state.isOpenEnded) {
      // As in `evaluateCorrelation`, hits before a match cannot be part of the next.
      const used = new Set(firings.flatMap((firing) => firing.hits));
      const last = firings.at(-1)?.at;
      if (last !== undefined) group.hits = group.hits.filter((hit) => hit.at >= last && !used.has(hit));
    } else if (group.hits.length > 0) {
      const judged = endOfWhole(state.correlation, group.hits, now);
      group.hits = group.hits.filter((hit) => hit.at > judged);
    }
    if (group.hits.length === 0) state.groups.delete(groupKey);
    for (const firing of firings) {
      fired.push({ correlation: state.correlation, firing });
      feed(state.correlation, group.document, firing.at, firing.hits.at(-1)!.ref, fired);
    }
  }

  function sweep(now: number, fired: StreamFiring[]): void {
    for (const state of states) {
      if (state.isOpenEnded || now - state.sweptAt < state.correlation.timespanMs) continue;
      state.sweptAt = now;
      for (const [key, group] of [...state.groups]) judge(state, key, group, fired, now);
    }
  }

  return {
    add(rules, document, at, ref) {
      const fired: StreamFiring[] = [];
      if (at > clock) clock = at;
      sweep(clock, fired);
      for (const rule of rules) feed(rule, document, at, ref, fired);
      return fired;
    },
    end() {
      const fired: StreamFiring[] = [];
      sweep(Number.POSITIVE_INFINITY, fired);
      return fired;
    },
  };
}

/** Keeps the hits of a group bounded, and those that can still take part from `oldest` on. */
function forgetOld({ isOpenEnded }: State, group: Group, oldest: number): void {
  if (group.hits.length <= MAX_PENDING && group.hits[0]!.at >= oldest) return;
  if (isOpenEnded) group.hits = group.hits.filter((hit) => hit.at >= oldest);
  if (group.hits.length > MAX_PENDING) group.hits = group.hits.slice(-MAX_PENDING / 2);
}

function groupOf(state: State, key: string, document: Document): Group {
  let group = state.groups.get(key);
  if (!group) {
    if (state.groups.size >= MAX_GROUPS) {
      const [first] = state.groups.keys();
      state.groups.delete(first!);
    }
    group = { hits: [], document };
    state.groups.set(key, group);
  }
  return group;
}

function minHits({ type, rules, conditions }: Correlation): number {
  if (type === 'temporal_ordered') return rules.length;
  return Math.max(
    1,
    ...conditions.map(({ operator, number }) => (operator === 'gt' ? Math.floor(number) + 1 : Math.ceil(number))),
  );
}

/** End of the last judged window, laid out as in `evaluateCorrelation`. */
function endOfWhole({ timespanMs }: Correlation, hits: CorrelationHit[], now: number): number {
  const times = hits.map(({ at }) => at).sort((a, b) => a - b);
  let judged = Number.NEGATIVE_INFINITY;
  for (const at of times) if (at > judged && at + timespanMs < now) judged = at + timespanMs;
  return judged;
}
