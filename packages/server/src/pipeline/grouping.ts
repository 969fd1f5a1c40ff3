/**
 * Makes one detection of all rules that one event matches, and groups repeats of the same rule, device and user within a window into one alert
 * with a count. Pure.
 */
import type { SigmaRule } from '@parapet/sigma/rules.ts';
import type { Document } from './event.ts';
import type { KnownRule } from './rule-rows.ts';

export interface Evidence {
  eventId: string;
  at: number;
  text: string;
  document: Document;
  /** Rule whose match this event is; the source of the explanation. */
  rule: SigmaRule | undefined;
}

/** A detection that becomes an alert or a repeat of one. */
export interface Candidate {
  /** Identifies rule, device and user (for a correlation: rule and group). */
  key: string;
  rule: KnownRule;
  /** Further rules that the event matched, worst first. */
  also: readonly KnownRule[];
  at: number;
  /** Arrival of the event that completed the detection. */
  raisedAt: number;
  clockSkew: number;
  deviceName: string | undefined;
  userName: string | undefined;
  summary: string;
  evidence: Evidence[];
}

/** The open alert of a key. */
export interface OpenAlert {
  alertId: number;
  alertAt: number;
  lastAt: number;
  /** Copies of events stored with the alert. */
  copies: number;
}

export interface GroupedAlert extends Candidate {
  isNew: boolean;
  /** 0 while the alert is new and has no row yet. */
  id: number;
  lastAt: number;
  /** Candidates of this batch in the alert. */
  count: number;
  /** Copies of events stored before this batch. */
  copies: number;
}

/** Copies of events stored per alert, the first ones; its count covers all. */
export const maxCopies = 20;

export const groupingKey = (rule: KnownRule, ...parts: (string | undefined)[]): string =>
  [rule.key, ...parts.map((part) => part ?? '')].join('\u0000');

/** Further rules kept with an alert, the worst of them. */
export const maxAlso = 20;

/** Worst first; of equal ones the surer, then the one that compares more fields. */
export const inFront = (a: KnownRule, b: KnownRule): number =>
  b.criticality - a.criticality || b.confidence - a.confidence || b.detail - a.detail || (a.key < b.key ? -1 : 1);

/** The rule in front and the others, of all that one event matched. */
export function foldRules(rules: readonly KnownRule[]): { rule: KnownRule; also: KnownRule[] } {
  const [rule, ...also] = [...rules].sort(inFront);
  return { rule: rule!, also: also.slice(0, maxAlso) };
}

/** Returns alerts in order of time; several of one key when more than a window lies between them. */
export function groupCandidates(
  candidates: readonly Candidate[],
  openAlerts: ReadonlyMap<string, OpenAlert>,
  windowMs: number,
): GroupedAlert[] {
  const result: GroupedAlert[] = [];
  const open = new Map<string, GroupedAlert>();
  const joined = new Set<string>();
  for (const candidate of [...candidates].sort((a, b) => a.at - b.at)) {
    let alert = open.get(candidate.key);
    if (!alert || candidate.at - alert.lastAt > windowMs) {
      const openAlert = joined.has(candidate.key) ? undefined : openAlerts.get(candidate.key);
      // A late event from before the open alert belongs to it too, when near enough.
      const isNear = openAlert && candidate.at - openAlert.lastAt <= windowMs && openAlert.alertAt - candidate.at <= windowMs;
      if (isNear) joined.add(candidate.key);
      alert = isNear ? repeated(candidate, openAlert) : raised(candidate);
      result.push(alert);
      open.set(candidate.key, alert);
    }
    alert.count++;
    alert.lastAt = Math.max(alert.lastAt, candidate.at);
    if (candidate.also.length > 0) alert.also = [...new Set([...alert.also, ...candidate.also])].sort(inFront).slice(0, maxAlso);
    for (const evidence of candidate.evidence) alert.evidence.push(evidence);
  }
  return result;
}

const raised = (candidate: Candidate): GroupedAlert => ({
  ...candidate,
  also: [],
  evidence: [],
  isNew: true,
  id: 0,
  lastAt: candidate.at,
  count: 0,
  copies: 0,
});

const repeated = (candidate: Candidate, openAlert: OpenAlert): GroupedAlert => ({
  ...candidate,
  also: [],
  evidence: [],
  isNew: false,
  id: openAlert.alertId,
  at: openAlert.alertAt,
  lastAt: openAlert.lastAt,
  count: 0,
  copies: openAlert.copies,
});
