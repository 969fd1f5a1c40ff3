import type { CaseStatus } from '@parapet/contract/rules/cases.ts';
import { expect, test } from 'vitest';
import { handledMinutes, isClosing, type Step } from './deliveries.handling.ts';

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 2, 8, minute));
const step = (minute: number, more: Partial<Step>): Step => ({
  at: at(minute),
  status: null,
  investigation: null,
  isAcknowledged: false,
  ...more,
});
const to = (minute: number, status: CaseStatus): Step => step(minute, { status });

test.each<[string, Step[], number]>([
  ['nothing without work', [], 0],
  ['work from the assignment to the closing', [to(5, 'assigned'), to(20, 'investigating')], 55],
  ['work from an acknowledgement', [step(30, { isAcknowledged: true })], 30],
  ['no time without an analyst', [to(0, 'assigned'), to(10, 'open'), to(40, 'investigating')], 30],
  ['no escalated time', [to(0, 'investigating'), to(10, 'escalated'), to(50, 'malicious')], 20],
  ['no wait for the client', [to(0, 'investigating'), step(10, { investigation: 3 }), step(45, { investigation: 2 })], 25],
  ['since it was reopened', [to(0, 'investigating'), to(10, 'closed'), to(50, 'investigating')], 10],
])('counts %s', (_, steps, minutes) => {
  expect(handledMinutes(steps, at(60))).toBe(minutes);
});

test('takes a change from an open to a closed status for a closing', () => {
  expect(isClosing({ status: 'closed', previousStatus: 'investigating' })).toBe(true);
  expect(isClosing({ status: 'escalated:closed', previousStatus: 'escalated' })).toBe(true);
  expect(isClosing({ status: 'investigating', previousStatus: 'closed' })).toBe(false);
});
