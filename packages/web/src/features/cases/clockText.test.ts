import type { Clock } from '@parapet/contract/caseList.ts';
import { expect, test } from 'vitest';
import { clockState, clockText } from './clockText.ts';

const now = Date.parse('2026-11-20T12:00:00Z');
const clock = (more: Partial<Clock>): Clock => ({
  name: 'acknowledge',
  targetMinutes: 60,
  dueAt: '2026-11-20T13:00:00Z',
  doneAt: null,
  elapsedMinutes: 0,
  state: 'running',
  ...more,
});

test('advances a running timer between responses', () => {
  expect(clockText(clock({}), now)).toEqual({ word: '', text: '1 h left' });
  expect(clockText(clock({}), now + 45 * 60_000)).toEqual({ word: 'Warning', text: '15 min left' });
  expect(clockText(clock({}), now + 60 * 60_000)).toEqual({ word: 'Breached', text: '< 1 min over' });
  expect(clockText(clock({}), now + 200 * 60_000)).toEqual({ word: 'Breached', text: '2 h 20 min over' });
});

test('shows only the largest unit in lists', () => {
  expect(clockText(clock({}), now + 3000 * 60_000, true)).toEqual({ word: 'Breached', text: '2 d over' });
  expect(clockText(clock({}), now + 200 * 60_000, true)).toEqual({ word: 'Breached', text: '2 h over' });
});

test('stops paused and finished timers', () => {
  const later = now + 1000 * 60_000;
  expect(clockState(clock({ state: 'paused', dueAt: null, elapsedMinutes: 10 }), later)).toBe('paused');
  expect(clockText(clock({ state: 'paused', dueAt: null, elapsedMinutes: 10 }), later)).toEqual({
    word: 'Paused',
    text: 'after 10 min',
  });
  expect(clockText(clock({ state: 'met', doneAt: '2026-11-20T12:30:00Z', elapsedMinutes: 30 }), later)).toEqual({
    word: 'Met',
    text: 'in 30 min',
  });
  expect(clockText(clock({ state: 'missed', doneAt: '2026-11-20T14:30:00Z', elapsedMinutes: 150 }), later)).toEqual({
    word: 'Missed',
    text: 'took 2 h 30 min',
  });
});
