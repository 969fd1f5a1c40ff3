/**
 * SLA timers of a case: time to acknowledge, contain and close, against the targets of its criticality and the client's subscription level (spec §3).
 * They pause while the case waits for the client, at most until the wait expires, and while it is closed.
 */

import type { Clock as CaseClock } from '@parapet/contract/caseList.ts';
import {
  type Containment,
  type SlaTimerName,
  slaTimerNames,
  slaWarningShare,
  targetMinutes,
} from '@parapet/contract/rules/cases.ts';
import { minuteMs } from '@parapet/contract/rules/duration.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { CaseRecord } from './cases.ports.ts';

/** Columns that the timers read. */
export type ClockFacts = Pick<
  CaseRecord,
  | 'criticality'
  | 'created_at'
  | 'acknowledged_at'
  | 'contained_at'
  | 'contained_waited_ms'
  | 'closed_at'
  | 'waiting_since'
  | 'wait_expires_at'
  | 'waited_ms'
>;

/** Duration of the current wait in milliseconds. */
function waitUnderWayMs({ waiting_since, wait_expires_at }: ClockFacts, now: number): number {
  if (!waiting_since) return 0;
  return Math.max(0, Math.min(now, wait_expires_at?.getTime() ?? now) - waiting_since.getTime());
}

export const isWaiting = (facts: ClockFacts, now: number): boolean =>
  facts.waiting_since !== null && (facts.wait_expires_at === null || facts.wait_expires_at.getTime() > now);

export const waitedMs = (facts: ClockFacts, now: number): number => facts.waited_ms + waitUnderWayMs(facts, now);

/** End of a timer. Waiting implies acknowledgement, so the first timer has no waiting time. */
function doneOf(name: SlaTimerName, facts: ClockFacts): { at: Date; waitedMs: number } | undefined {
  if (name === 'acknowledge') return facts.acknowledged_at ? { at: facts.acknowledged_at, waitedMs: 0 } : undefined;
  if (name === 'close') return facts.closed_at ? { at: facts.closed_at, waitedMs: facts.waited_ms } : undefined;
  return facts.contained_at ? { at: facts.contained_at, waitedMs: facts.contained_waited_ms ?? facts.waited_ms } : undefined;
}

export function clockOf(name: SlaTimerName, facts: ClockFacts, subscriptionLevelId: number, now: number): CaseClock {
  const target = targetMinutes(name, facts.criticality, subscriptionLevelId);
  const done = doneOf(name, facts);
  const waited = done?.waitedMs ?? waitedMs(facts, now);
  const until = done?.at ?? facts.closed_at;
  const elapsed = Math.max(0, (until?.getTime() ?? now) - facts.created_at.getTime() - waited) / minuteMs;
  // A case that was closed without containment, and without a reason why none was needed, has missed the target.
  const state = until
    ? done && elapsed <= target
      ? 'met'
      : 'missed'
    : elapsed > target
      ? 'breached'
      : isWaiting(facts, now)
        ? 'paused'
        : elapsed > target * slaWarningShare
          ? 'warning'
          : 'running';
  // A timer that ran out before the wait was due before it.
  const waitedBeforeDue = !done && isWaiting(facts, now) ? facts.waited_ms : waited;
  return {
    name,
    targetMinutes: target,
    dueAt: state === 'paused' ? null : new Date(facts.created_at.getTime() + waitedBeforeDue + target * minuteMs).toISOString(),
    doneAt: done?.at.toISOString() ?? null,
    elapsedMinutes: Math.round(elapsed * 100) / 100,
    state,
  };
}

export const clocksOf = (facts: ClockFacts, subscriptionLevelId: number, now: number): CaseClock[] =>
  slaTimerNames.map((name) => clockOf(name, facts, subscriptionLevelId, now));

/** The next timer to run out; undefined for a closed case. */
export function nextClockName(facts: ClockFacts): SlaTimerName | undefined {
  if (facts.closed_at) return undefined;
  return facts.acknowledged_at === null ? 'acknowledge' : facts.contained_at === null ? 'contain' : 'close';
}

export function nextSlaTimer(facts: ClockFacts, subscriptionLevelId: number, now: number): CaseClock | null {
  const name = nextClockName(facts);
  return name ? clockOf(name, facts, subscriptionLevelId, now) : null;
}

/** The caller who acknowledges a case, by the portal, in chat or with an API key. */
type Acknowledger = Pick<Actor, 'userId' | 'displayName' | 'apiKey' | 'chat'>;

/** Columns that an event sets for the timers. */
export const acknowledged = (facts: ClockFacts, now: number, actor: Acknowledger | undefined) =>
  facts.acknowledged_at === null
    ? {
        acknowledged_at: new Date(now),
        acknowledged_by: actor?.userId ?? null,
        acknowledged_by_name: actor?.displayName ?? '',
        acknowledged_channel: actor ? (actor.apiKey ? ('api' as const) : (actor.chat ?? ('portal' as const))) : null,
      }
    : {};

export const contained = (facts: ClockFacts, now: number, containment: Containment) =>
  facts.contained_at === null ? { contained_at: new Date(now), contained_waited_ms: waitedMs(facts, now), containment } : {};

export const waitBegun = (facts: ClockFacts, now: number, hours: number) => ({
  ...(isWaiting(facts, now) ? {} : { waiting_since: new Date(now), waited_ms: waitedMs(facts, now) }),
  wait_expires_at: new Date(now + hours * 60 * minuteMs),
});

/** Also for an expired wait, since which the timers have run on. */
export const waitEnded = (facts: ClockFacts, now: number) =>
  facts.waiting_since === null ? {} : { waiting_since: null, wait_expires_at: null, waited_ms: waitedMs(facts, now) };

/** The time while the case was closed counts as waiting. A verified containment stays; a stated reason that none was needed does not. */
export const reopened = (facts: ClockFacts & Pick<CaseRecord, 'containment'>, now: number) =>
  facts.closed_at === null
    ? {}
    : {
        ...(facts.containment === 'verified' ? {} : { contained_at: null, contained_waited_ms: null, containment: null }),
        resolution: null,
        resolution_reason: null,
        closed_at: null,
        closed_by: null,
        closed_by_name: '',
        waited_ms: facts.waited_ms + Math.max(0, now - facts.closed_at.getTime()),
        breach_told: null,
      };
