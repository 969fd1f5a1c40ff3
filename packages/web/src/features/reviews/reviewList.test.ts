import { reviewsApi } from '@parapet/contract/reviews.ts';
import { expect, test } from 'vitest';
import { reviewInput, reviewList } from './reviews.queries.ts';

const { read, isFiltered, write } = reviewList;

test('defaults to the first ten of the timeframe (spec §9)', () => {
  const filters = read({});
  expect(filters).toEqual({ decision: [], reviewer: [], verdict: [], closed: undefined, text: '', page: 1, pageSize: 10 });
  expect(isFiltered(filters)).toBe(false);
  expect(write({ page: 1, pageSize: 10 })).toEqual({ page: undefined, pageSize: undefined });
});

test('parses every filter', () => {
  const filters = read({
    decision: '15,14,99,x',
    reviewer: '0,7,7,-1,99999999999',
    verdict: 'Insufficient Information,Wrong',
    closed: 'any',
    text: ' ssh ',
    page: '3',
    pageSize: '25',
  });
  expect(filters).toEqual({
    decision: [14, 15],
    reviewer: [0, 7],
    verdict: ['Insufficient Information'],
    closed: 'any',
    text: 'ssh',
    page: 3,
    pageSize: 25,
  });
  expect(isFiltered(filters)).toBe(true);
});

test('builds the body of the call, with a time only where it counts', () => {
  const range = { start: '2026-11-01T00:00:00Z', end: '2026-11-21T00:00:00Z' };
  const body = reviewInput(10, range, read({ decision: '14', text: 'a' }));
  expect(reviewsApi.list.body.parse(body).filter).toMatchObject({ clientOrganizationID: 10, decisionIDs: [14], ...range });
  expect(reviewInput(10, range, read({ closed: 'any' })).filter).not.toHaveProperty('start');
});
