import { expect, test } from 'vitest';
import { mailFiltersIn } from './outbox.queries.ts';

test('the address of the outbox', () => {
  expect(mailFiltersIn({})).toEqual({ text: '', state: [], page: 1, pageSize: 50 });
  expect(mailFiltersIn({ text: ' reset ', state: 'failed,kept,lost', page: '3', pageSize: '25' })).toEqual({
    text: 'reset',
    state: ['kept', 'failed'],
    page: 3,
    pageSize: 25,
  });
  expect(mailFiltersIn({ page: '0', pageSize: '9' })).toEqual(mailFiltersIn({}));
});
