import { reviewsApi } from '@parapet/contract/reviews.ts';
import { expect, test } from 'vitest';
import { askedFor, isFiltered, pageChange, reviewFiltersIn } from './reviewFilters.ts';

test('the first page of ten, of the timeframe (spec §9)', () => {
  const filters = reviewFiltersIn({});
  expect(filters).toEqual({ decision: [], reviewer: [], verdict: [], isAnyTime: false, text: '', page: 1, pageSize: 10 });
  expect(isFiltered(filters)).toBe(false);
  expect(pageChange(1, 10)).toEqual({ page: undefined, pageSize: undefined, peek: undefined });
});

test('the address of the reviews', () => {
  const filters = reviewFiltersIn({
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
    isAnyTime: true,
    text: 'ssh',
    page: 3,
    pageSize: 25,
  });
  expect(isFiltered(filters)).toBe(true);
});

test('what is asked for is what the contract takes, with the time only where it counts', () => {
  const range = { start: '2026-11-01T00:00:00Z', end: '2026-11-21T00:00:00Z' };
  const body = askedFor(10, range, reviewFiltersIn({ decision: '14', text: 'a' }));
  expect(reviewsApi.list.body.parse(body).filter).toMatchObject({ clientOrganizationID: 10, decisionIDs: [14], ...range });
  expect(askedFor(10, range, reviewFiltersIn({ closed: 'any' })).filter).not.toHaveProperty('start');
});
