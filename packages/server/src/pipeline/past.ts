/**
 * Judges stored events as if a change to the rules had been in force. Both sides go through the matcher, the views of an organisation, correlations
 * and grouping of the intake; only events that a rule concerned by the change matches are judged in full. Pure but for the events handed in.
 */
import { compileRules, type Matcher } from '@parapet/sigma/matcher.ts';
import type { SigmaRule } from '@parapet/sigma/rules.ts';
import { literalSearch } from '@parapet/sigma/search.ts';
import { type StoredText, storedTexts } from '@parapet/sigma/storedTexts.ts';
import type { ClauseSearch, TextFilter } from '../domain/events/block.textFilter.ts';
import { createGroups } from './correlations.ts';
import type { RuleTrial } from './detector.ts';
import type { Document, Event, Shape } from './event.ts';
import { type Candidate, type GroupedAlert, groupCandidates, groupingKey } from './grouping.ts';
import { singleCandidate } from './raise.ts';
import type { RuleSet } from './rule-set.ts';
import type { OrganisationRules } from './rule-view.ts';
import { evaluateWindows } from './windows.ts';

/** Matched events held for an organisation; older ones are then left out, and the result names the time from which it holds. */
export const maxMatched = 20_000;
/** Characters of their documents: parsed, they take several times as much. */
const maxCharacters = 64 * 1024 ** 2;

/** An event as the store hands it out. */
export interface PastEvent {
  id: string;
  at: number;
  receivedAt: number;
  deviceName: string | null;
  userName: string | null;
  text: string;
  document: Document;
  /** The document as it is stored. */
  json: string;
  /** The document for one that does not hold it: it changes with the next event's. */
  view?: Document | undefined;
}

export interface PastAlert {
  ruleKey: string;
  title: string;
  criticality: number;
  at: number;
  lastAt: number;
  count: number;
  deviceName: string | null;
  userName: string | null;
  summary: string;
}

export interface PastDifference {
  before: number;
  after: number;
  gained: PastAlert[];
  lost: PastAlert[];
  /** Of another severity, as it would be. */
  changed: PastAlert[];
}

export interface PastJudge {
  /** Newest first. Returns true when no more events can be held. */
  add(event: PastEvent): boolean;
  difference(now: number): PastDifference;
}

/** Rules whose matches a change can concern: its own, and all that correlations over them count. */
export interface Concerned {
  match: Matcher['match'];
  /** Of stored events; undefined where a rule can match an event without any of its texts. */
  texts: TextFilter | undefined;
}

export function concernedBy(trial: RuleTrial, keys: readonly string[]): Concerned {
  const rules = concernedRules(trial, keys);
  // One rule in two texts: the matcher needs no names.
  return { match: compileRules(rules).match, texts: textFilterOf(rules) };
}

/** Rules out stored events that no rule matches. */
export function textFilterOf(rules: readonly SigmaRule[]): TextFilter | undefined {
  const found = storedTexts(rules);
  if (!found) return undefined;
  const { texts, ...others } = found;
  return { search: searchOf(texts), ...others };
}

function searchOf(texts: readonly StoredText[]): ClauseSearch {
  const search = literalSearch(texts.map(({ text, clauses }) => ({ literal: text, place: 'within', hits: [clauses] })));
  return (text, report) =>
    search(text, (hits, from, to, position) => {
      for (let at = from; at < to; at++) report(hits[at]!, position);
    });
}

function concernedRules({ before, after }: RuleTrial, keys: readonly string[]): SigmaRule[] {
  const found = new Set<SigmaRule>();
  const visited = new Set<string>();
  const visit = (set: RuleSet, id: string): void => {
    if (visited.has(`${set === after} ${id}`)) return;
    visited.add(`${set === after} ${id}`);
    for (const rule of set.rulesBeneath(id)) found.add(rule);
    for (const reader of set.readersOf(id)) visit(set, reader.id);
  };
  for (const set of [before, after]) for (const key of keys) visit(set, key);
  return [...found];
}

export function createPastJudge(
  trial: RuleTrial,
  organisationId: number,
  concerned: Pick<Concerned, 'match'>,
  groupingWindowMs: number,
): PastJudge {
  const sides = [trial.rulesBefore(organisationId), trial.rulesAfter(organisationId)] as const;
  let characters = 0;
  const held: { event: Event; matches: readonly (readonly SigmaRule[])[] }[] = [];
  return {
    add(event) {
      const view = event.view ?? event.document;
      if (concerned.match(view).length === 0) return false;
      // Only the portal raises events of the log source `portal`, and its rules are not matched here.
      const matches = sides.map((side) => side.match(view));
      if (matches.every((side) => side.length === 0)) return false;
      held.push({ event: asEvent(organisationId, event), matches });
      characters += event.json.length;
      return held.length >= maxMatched || characters >= maxCharacters;
    },
    difference(now) {
      held.sort((a, b) => a.event.at - b.event.at);
      const [before, after] = sides.map((rules, side) => {
        const events = held
          .map(({ event, matches }) => ({ ...event, matches: matches[side]! }))
          .filter(({ matches }) => matches.length > 0);
        const candidates = [...singleCandidates(rules, events), ...correlationCandidates(rules, events, now)];
        return groupCandidates(candidates, new Map(), groupingWindowMs);
      });
      return differenceOf(before!, after!);
    },
  };
}

const asEvent = (organisationId: number, stored: PastEvent): Event => ({
  arrival: { raw: '', index: '', documentId: undefined },
  organisationId,
  receivedAt: stored.receivedAt,
  document: stored.document,
  id: stored.id,
  at: stored.at,
  clockSkew: 0,
  hasOwnTime: true,
  shape: 'unknown' satisfies Shape,
  deviceName: stored.deviceName ?? undefined,
  userName: stored.userName ?? undefined,
  text: stored.text,
  matches: [],
  shadowMatches: [],
});

const singleCandidates = (rules: OrganisationRules, events: readonly Event[]): Candidate[] =>
  events.flatMap((event) => {
    const standalone = event.matches.filter((rule) => rule.standalone);
    return standalone.length > 0 ? [singleCandidate(rules, standalone, event)] : [];
  });

/** As in the intake, with all hits at once instead of those that earlier batches left. */
function correlationCandidates(rules: OrganisationRules, events: readonly Event[], now: number): Candidate[] {
  const { levels, addHit } = createGroups(rules);
  for (const event of events) for (const rule of event.matches) addHit(rule, event, event.at);
  const candidates: Candidate[] = [];
  for (let level = 0; level < levels.length; level++)
    for (const { correlation, known, groupKey, fresh } of levels[level] ?? [])
      for (const { at, count, hits } of evaluateWindows(correlation, fresh, now).firings) {
        if (correlation.standalone)
          candidates.push({
            key: groupingKey(known, 'group', groupKey),
            rule: known,
            also: [],
            at,
            raisedAt: at,
            clockSkew: 0,
            deviceName: commonOf(hits.map((hit) => hit.deviceName)),
            userName: commonOf(hits.map((hit) => hit.userName)),
            summary: `${known.title}: ${count}`,
            evidence: [],
          });
        addHit(correlation, hits.at(-1)!.event!, at);
      }
  return candidates;
}

const commonOf = (values: readonly (string | undefined)[]): string | undefined =>
  values.every((value) => value === values[0]) ? values[0] : undefined;

/** Alerts of one rule, device and user are the same when their times overlap. */
function differenceOf(before: readonly GroupedAlert[], after: readonly GroupedAlert[]): PastDifference {
  const byKey = new Map<string, GroupedAlert[]>();
  for (const alert of after) byKey.set(alert.key, [...(byKey.get(alert.key) ?? []), alert]);
  const matched = new Set<GroupedAlert>();
  const [lost, changed]: [PastAlert[], PastAlert[]] = [[], []];
  for (const alert of before) {
    const same = (byKey.get(alert.key) ?? []).filter((other) => other.at <= alert.lastAt && alert.at <= other.lastAt);
    for (const other of same) matched.add(other);
    const [first] = same;
    if (!first) lost.push(shown(alert));
    else if (first.rule.criticality !== alert.rule.criticality) changed.push(shown(first));
  }
  return {
    before: before.length,
    after: after.length,
    gained: after.filter((alert) => !matched.has(alert)).map(shown),
    lost,
    changed,
  };
}

const shown = ({ rule, at, lastAt, count, deviceName, userName, summary }: GroupedAlert): PastAlert => ({
  ruleKey: rule.key,
  title: rule.title,
  criticality: rule.criticality,
  at,
  lastAt,
  count,
  deviceName: deviceName ?? null,
  userName: userName ?? null,
  summary: summary.slice(0, 500),
});
