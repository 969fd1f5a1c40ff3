/** A clock of a case in words: what it measures, how it stands, and the time to its target or since. */
import type { Clock } from '@parapet/contract/caseList.ts';
import { type SlaTimerName, warnAtShare } from '@parapet/contract/rules/cases.ts';
import { durationText } from '@parapet/contract/rules/duration.ts';

export const slaTimerLabel: Record<SlaTimerName, string> = { acknowledge: 'Acknowledge', contain: 'Contain', close: 'Close' };

const minuteMs = 60_000;

/** How it stands now: between two answers of the server a running clock goes on. */
export function clockState(clock: Clock, now: number): Clock['state'] {
  if (clock.doneAt !== null || clock.dueAt === null) return clock.state;
  const left = Date.parse(clock.dueAt) - now;
  if (left <= 0) return 'breached';
  return left <= clock.targetMinutes * minuteMs * (1 - warnAtShare) ? 'warning' : 'running';
}

/** "Warning", "12 min left": the word of a warning and of a breach is part of it. `isShort`: only the largest unit. */
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
