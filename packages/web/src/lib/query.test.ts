import { alertsApi } from '@parapet/contract/alerts.ts';
import { Problem, type ProblemCode } from '@parapet/contract/problem.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import { expect, test } from 'vitest';
import { queryOptionsOf, shouldRetry, subjectOf } from './query.ts';

test('uses the endpoint’s id and input as key', () => {
  const input = { params: { alertId: 7 } };
  expect(queryOptionsOf(alertsApi.detail, input).queryKey).toEqual(['alerts.detail', input]);
});

test.each<[ProblemCode, boolean]>([
  ['invalid', false],
  ['signInNeeded', false],
  ['forbidden', false],
  ['notFound', false],
  ['conflict', false],
  ['tooManyRequests', true],
  ['unexpected', true],
  ['unavailable', true],
])('retries %s: %s', (code, expected) => {
  expect(shouldRetry(0, new Problem(code, ''))).toBe(expected);
});

test('stops after three tries and never retries other errors', () => {
  expect(shouldRetry(2, new Problem('unavailable', ''))).toBe(false);
  expect(shouldRetry(0, new Error('bug'))).toBe(false);
});

const range = { start: 'a', end: 'b' };
test('keeps earlier data for another timeframe, filter or page', () => {
  expect(subjectOf({ params: { client: 10, ...range }, query: { page: 1 } })).toBe(
    subjectOf({ params: { client: 10, start: 'c', end: 'd' }, query: { page: 2, severity: ['high'] } }),
  );
});

test('hides the data of another client', () => {
  expect(subjectOf({ params: { client: 10, ...range } })).not.toBe(subjectOf({ params: { client: 11, ...range } }));
  expect(subjectOf({ query: { selectedClientOrgID: 10 } })).not.toBe(subjectOf({ query: { selectedClientOrgID: 11 } }));
  expect(subjectOf({ params: { alertId: 1 } })).not.toBe(subjectOf({ params: { alertId: 2 } }));
  const ofBody = (body: object) => subjectOf({ body });
  expect(ofBody({ selectedClientOrganizationID: 10 })).not.toBe(ofBody({ selectedClientOrganizationID: 11 }));
  expect(ofBody({ filter: { clientOrganizationID: 10 } })).not.toBe(ofBody({ filter: { clientOrganizationID: 11 } }));
  expect(ofBody({ filter: { clientOrganizationID: 10 }, page: 1 })).toBe(
    ofBody({ filter: { clientOrganizationID: 10, text: 'a' }, page: 2 }),
  );

  const { placeholderData } = queryOptionsOf(tagsApi.list, { query: { selectedClientOrgID: 10 } });
  const stands = placeholderData as (previous: unknown, query: unknown) => unknown;
  const before = (client: number) => ({ queryKey: ['tags.list', { query: { selectedClientOrgID: client } }] });
  expect(stands('tags', before(10))).toBe('tags');
  expect(stands('tags', before(11))).toBeUndefined();
  expect(stands(undefined, undefined)).toBeUndefined();
});
