import { expect, test } from 'vitest';
import { draftIn, responseFiltersIn } from './responseFilters.ts';

const plain = { state: [], action: [], caseID: undefined, text: '', page: 1, pageSize: 50 };

test('what makes no sense in the address is as if not there', () => {
  expect(responseFiltersIn({})).toEqual(plain);
  expect(responseFiltersIn({ state: 'done,sent', action: 'rm', case: '0', page: '-1', pageSize: '7' })).toEqual({
    ...plain,
    state: ['sent'],
  });
  expect(responseFiltersIn({ case: '99999999999' }).caseID).toBeUndefined();
  expect(responseFiltersIn({ case: '7', action: 'killProcess', text: ' a ', pageSize: '100', page: '3' })).toEqual({
    ...plain,
    caseID: 7,
    action: ['killProcess'],
    text: 'a',
    pageSize: 100,
    page: 3,
  });
});

test('other pages lead here with what is to be asked for', () => {
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
