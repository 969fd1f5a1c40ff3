import { expect, test } from 'vitest';
import { draftIn } from './responseDraft.ts';
import { responseList } from './responses.queries.ts';

const { read } = responseList;

const plain = { state: [], action: [], case: undefined, text: '', page: 1, pageSize: 50 };

test('ignores invalid values', () => {
  expect(read({})).toEqual(plain);
  expect(read({ state: 'done,sent', action: 'rm', case: '0', page: '-1', pageSize: '7' })).toEqual({
    ...plain,
    state: ['sent'],
  });
  expect(read({ case: '99999999999' }).case).toBeUndefined();
  expect(read({ case: '7', action: 'killProcess', text: ' a ', pageSize: '100', page: '3' })).toEqual({
    ...plain,
    case: 7,
    action: ['killProcess'],
    text: 'a',
    pageSize: 100,
    page: 3,
  });
});

test('reads the draft of another page', () => {
  expect(draftIn({ target: 'WS-01' }, 10)).toBeUndefined();
  expect(draftIn({ new: '1', ask: 'blockUser', target: 'ada', device: 'WS-01', of: '7' }, 10)).toEqual({
    clientOrganizationID: 10,
    action: 'blockUser',
    target: 'ada',
    deviceName: 'WS-01',
    caseID: 7,
  });
  expect(draftIn({ new: '1', ask: 'block', of: 'x' }, 0)).toMatchObject({ action: 'isolate', caseID: null });
});
