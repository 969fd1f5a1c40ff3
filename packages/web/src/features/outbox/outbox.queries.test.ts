import { expect, test } from 'vitest';
import { mailList } from './outbox.queries.ts';

test('parses the address of the outbox', () => {
  expect(mailList.read({})).toEqual({ text: '', state: [], page: 1, pageSize: 50 });
  expect(mailList.read({ text: ' reset ', state: 'failed,kept,lost', page: '3', pageSize: '25' })).toEqual({
    text: 'reset',
    state: ['kept', 'failed'],
    page: 3,
    pageSize: 25,
  });
  expect(mailList.read({ page: '0', pageSize: '9' })).toEqual(mailList.read({}));
});
