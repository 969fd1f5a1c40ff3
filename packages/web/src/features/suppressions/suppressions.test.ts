import { ruleChange } from '@parapet/contract/rulePreviews.ts';
import { expect, test } from 'vitest';
import { draftIn, endOf, lengths, scopeOf } from './suppressions.ts';

test('opens the dialog with the scope given in a link', () => {
  expect(draftIn({}, 10)).toBeUndefined();
  expect(draftIn({ rule: 'r1' }, 10)).toBeUndefined();
  expect(draftIn({ new: '1', rule: 'r1', device: 'WS-01', user: 'x'.repeat(256) }, 10)).toEqual({
    clientOrganizationID: 10,
    ruleID: 'r1',
    deviceName: 'WS-01',
    userName: '',
  });
});

test.each([
  [{ clientOrganizationID: 10, ruleID: '', deviceName: ' ', userName: '' }],
  [{ clientOrganizationID: 0, ruleID: 'r1', deviceName: '', userName: '' }],
])('has no scope without a client or without a criterion: %j', (draft) => {
  expect(scopeOf(draft)).toBeUndefined();
});

test('builds a body that the contract accepts', () => {
  const scope = scopeOf({ clientOrganizationID: 10, ruleID: '', deviceName: ' WS-01 ', userName: '' });
  expect(scope).toEqual({ clientOrganizationID: 10, ruleID: null, deviceName: 'WS-01', userName: null });
  expect(ruleChange.safeParse({ kind: 'suppression', ...scope }).success).toBe(true);
});

test('ends at most a year ahead', () => {
  const now = Date.parse('2026-11-21T00:00:00Z');
  expect(endOf(1, now)).toBe('2026-11-22T00:00:00.000Z');
  for (const { value } of lengths) expect(Date.parse(endOf(value, now)) - now).toBeLessThan(365 * 86_400_000);
});
