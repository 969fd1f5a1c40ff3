/** Repeats of the same rule, device and user within a window are one alert with a count. Pure, so that it can be tested by tables. */
import type { SigmaRule } from '@parapet/sigma/rules.ts';
import type { KnownRule } from './detector.ts';
import type { Document } from './event.ts';

export interface Evidence {
  eventId: string;
  at: number;
  text: string;
  document: Document;
  /** The rule whose match this event is; explains why. */
  rule: SigmaRule | undefined;
}

/** Something that a rule found: it becomes an alert, or a repeat of one. */
export interface Candidate {
  /** Same key: same rule, device and user (for a correlation: same rule and group). */
  key: string;
  rule: KnownRule;
  at: number;
  /** When the event that completed it arrived. */
  raisedAt: number;
  clockSkew: number;
  deviceName: string | undefined;
  userName: string | undefined;
  summary: string;
  evidence: Evidence[];
}

/** The open alert of a key. */
export interface Fold {
  alertId: number;
  alertAt: number;
  lastAt: number;
  /** Copies of events that it has. */
  copies: number;
}

export interface GroupedAlert extends Candidate {
  isNew: boolean;
  /** 0 while the alert is new and has no row yet. */
  id: number;
  lastAt: number;
  /** How many candidates went into it, in this batch. */
  count: number;
  /** Copies of events that it had before this batch. */
  copies: number;
}

/** An alert keeps copies of its first events; the count tells how many there were. */
export const maxCopies = 20;

export const groupingKey = (rule: KnownRule, ...parts: (string | undefined)[]): string =>
  [rule.key, ...parts.map((part) => part ?? '')].join('\u0000');

/** In the order in which alerts happened; several of one key when more than a window lies between them. */
export function groupCandidates(
  candidates: readonly Candidate[],
  folds: ReadonlyMap<string, Fold>,
  windowMs: number,
): GroupedAlert[] {
  const result: GroupedAlert[] = [];
  const open = new Map<string, GroupedAlert>();
  const joined = new Set<string>();
  for (const candidate of [...candidates].sort((a, b) => a.at - b.at)) {
    let alert = open.get(candidate.key);
    if (!alert || candidate.at - alert.lastAt > windowMs) {
      const fold = joined.has(candidate.key) ? undefined : folds.get(candidate.key);
      // A straggler from before the open alert belongs to it too, when it is near enough.
      const isNear = fold && candidate.at - fold.lastAt <= windowMs && fold.alertAt - candidate.at <= windowMs;
      if (isNear) joined.add(candidate.key);
      alert = isNear ? repeated(candidate, fold) : raised(candidate);
      result.push(alert);
      open.set(candidate.key, alert);
    }
    alert.count++;
    alert.lastAt = Math.max(alert.lastAt, candidate.at);
    for (const evidence of candidate.evidence) alert.evidence.push(evidence);
  }
  return result;
}

const raised = (candidate: Candidate): GroupedAlert => ({
  ...candidate,
  evidence: [],
  isNew: true,
  id: 0,
  lastAt: candidate.at,
  count: 0,
  copies: 0,
});

const repeated = (candidate: Candidate, fold: Fold): GroupedAlert => ({
  ...candidate,
  evidence: [],
  isNew: false,
  id: fold.alertId,
  at: fold.alertAt,
  lastAt: fold.lastAt,
  count: 0,
  copies: fold.copies,
});
