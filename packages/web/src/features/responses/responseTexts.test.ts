import type { Response } from '@parapet/contract/caseDetail.ts';
import { expect, test } from 'vitest';
import { pendingFor, responseOutcomes, responseTexts } from './responseTexts.ts';

const response = (more: Partial<Response>): Response => ({
  id: 1,
  clientOrganizationID: 10,
  caseID: 7,
  action: 'isolate',
  target: 'WS-01',
  state: 'requested',
  isManual: false,
  isByVendor: false,
  requestedBy: 'A. Lima',
  requestedTime: '2026-11-20T12:00:00Z',
  changedTime: '2026-11-20T12:00:00Z',
  detail: '',
  ...more,
});

test('reports each acknowledged or failed request once', () => {
  const before = [
    response({}),
    response({ id: 2, action: 'blockUser', state: 'sent' }),
    response({ id: 3, state: 'acknowledged' }),
  ];
  expect(responseOutcomes(before, before)).toEqual([]);
  expect(
    responseOutcomes(before, [
      response({ state: 'approved' }),
      response({ id: 2, action: 'blockUser', state: 'acknowledged' }),
      response({ id: 3, state: 'verified' }),
      response({ id: 4, state: 'acknowledged' }),
    ]),
  ).toEqual([{ text: 'User has been successfully blocked', isDone: true }]);
  expect(responseOutcomes(before, [response({ state: 'expired' })])).toEqual([
    { text: 'Failed to isolate device!', isDone: false },
  ]);
});

test('reports requests that started and finished between two reads of a complete ledger', () => {
  const done = response({ id: 2, action: 'unisolate', state: 'verified' });
  expect(responseOutcomes([response({ state: 'verified' })], [response({ state: 'verified' }), done])).toEqual([]);
  expect(responseOutcomes([response({ state: 'verified' })], [response({ state: 'released' }), done], true)).toEqual([
    { text: 'Device has been successfully unisolated', isDone: true },
  ]);
});

test('finds the pending request for a device or user', () => {
  const ledger = [response({ state: 'verified' }), response({ id: 2, action: 'unisolate', target: 'ws-01', state: 'sent' })];
  expect(pendingFor(ledger, 'isolate', 'WS-01')?.id).toBe(2);
  expect(pendingFor(ledger, 'blockUser', 'WS-01')).toBeUndefined();
});

test('uses the texts of spec §8', () => {
  expect(responseTexts('isolate').done).toBe('Device has been successfully isolated');
  expect(responseTexts('unisolate').failed).toBe('Failed to unisolate device!');
  expect(responseTexts('unblockUser').failed).toBe('Failed to unblock user!');
});

test('reports refusals as failures, cancellations not at all', () => {
  expect(responseOutcomes([response({})], [response({ state: 'failed' })])).toEqual([
    { text: 'Failed to isolate device!', isDone: false },
  ]);
  expect(responseOutcomes([response({})], [response({ state: 'released' })])).toEqual([]);
});
