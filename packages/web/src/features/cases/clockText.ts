/** SLA timer of a case as text: state, and time left or overdue. */
import type { Clock } from '@parapet/contract/caseList.ts';
import { type SlaTimerName, slaWarningShare } from '@parapet/contract/rules/cases.ts';
import { durationText, minuteMs } from '@parapet/contract/rules/duration.ts';

export const slaTimerLabel: Record<SlaTimerName, string> = { acknowledge: 'Acknowledge', contain: 'Contain', close: 'Close' };

/** Current state; advances a running timer between responses of the server. */
export function clockState(clock: Clock, now: number): Clock['state'] {
  if (clock.doneAt !== null || clock.dueAt === null) return clock.state;
  const left = Date.parse(clock.dueAt) - now;
  if (left <= 0) return 'breached';
  return left <= clock.targetMinutes * minuteMs * (1 - slaWarningShare) ? 'warning' : 'running';
}

/** State and time, for example "Warning" and "12 min left". `isShort` limits the time to its largest unit. */
export function clockText(clock: Clock, now: number, isShort = false): { word: string; text: string } {
  const state = clockState(clock, now);
  const unit = (minutes: number) => (minutes >= 1440 ? 1440 : minutes >= 60 ? 60 : 1);
  const time = (minutes: number) => durationText(isShort ? minutes - (minutes % unit(minutes)) : minutes);
  const left = clock.dueAt === null ? 0 : (Date.parse(clock.dueAt) - now) / minuteMs;
  switch (state) {
    case 'met':
      return { word: 'Met', text: `in ${time(clock.elapsedMinutes)}` };
    case 'missed':
      return { word: 'Missed', text: `took ${time(clock.elapsedMinutes)}` };
    case 'paused':
      return { word: 'Paused', text: `after ${time(clock.elapsedMinutes)}` };
    case 'breached':
      return { word: 'Breached', text: clock.dueAt === null ? '' : `${time(-left)} over` };
    case 'warning':
      return { word: 'Warning', text: `${time(left)} left` };
    case 'running':
      return { word: '', text: `${time(left)} left` };
  }
}
