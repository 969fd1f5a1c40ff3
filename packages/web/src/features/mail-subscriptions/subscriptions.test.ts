import { type SubscriptionRow, subscriptionKinds } from '@parapet/contract/mailSubscriptions.ts';
import { expect, test } from 'vitest';
import { kindNames } from './kindNames.ts';
import { matching, withKind } from './subscriptions.ts';

test('toggles one kind and keeps the order', () => {
  expect(withKind(['digest.weekly'], 'case.assigned', true)).toEqual(['case.assigned', 'digest.weekly']);
  expect(withKind(['case.assigned', 'digest.weekly'], 'case.assigned', false)).toEqual(['digest.weekly']);
  expect(withKind(['case.closed'], 'case.closed', true)).toEqual(['case.closed']);
  expect(withKind([], 'case.closed', false)).toEqual([]);
});

const row = (displayName: string, emailAddress: string, clientOrganizationName: string): SubscriptionRow => ({
  userID: 1,
  displayName,
  emailAddress,
  clientOrganizationID: 10,
  clientOrganizationName,
  kinds: [],
});

test('matches every word in name, email address or organisation', () => {
  const rows = [row('Ana Lima', 'ana@alder.example', 'Alder'), row('Bo Li', 'bo@birch.example', 'Birch')];
  expect(matching(rows, '  ')).toBe(rows);
  expect(matching(rows, 'LI alder')).toEqual([rows[0]]);
  expect(matching(rows, 'li')).toEqual(rows);
  expect(matching(rows, '.*')).toEqual([]);
});

test('names the kinds like the contract', () => {
  expect(Object.entries(kindNames)).toEqual(subscriptionKinds.map(({ value, label }) => [value, label]));
});
