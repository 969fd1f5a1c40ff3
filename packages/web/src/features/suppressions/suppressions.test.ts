import { suppressionsApi } from '@parapet/contract/suppressions.ts';
import { expect, test } from 'vitest';
import { suppressionList } from './suppressions.queries.ts';
import { aboutOf, draftIn, endOf, lengths, whatOf } from './suppressions.ts';

test('another page opens the dialog with what it is about', () => {
  expect(draftIn({}, 10)).toBeUndefined();
  expect(draftIn({ rule: 'r1' }, 10)).toBeUndefined();
  expect(draftIn({ new: '1', rule: 'r1', device: 'WS-01', user: 'x'.repeat(256) }, 10)).toEqual({
    clientOrganizationID: 10,
    ruleID: 'r1',
    deviceName: 'WS-01',
    userName: '',
  });
});

test('parses the page of the list', () => {
  expect(suppressionList.read({ page: '2', pageSize: '25' })).toEqual({ page: 2, pageSize: 25 });
  expect(suppressionList.read({ page: '0', pageSize: '7' })).toEqual({ page: 1, pageSize: 50 });
});

test.each([
  [{ clientOrganizationID: 10, ruleID: '', deviceName: ' ', userName: '' }],
  [{ clientOrganizationID: 0, ruleID: 'r1', deviceName: '', userName: '' }],
])('what would hide everything, or is nobody’s, is asked for nowhere: %j', (draft) => {
  expect(whatOf(draft)).toBeUndefined();
});

test('what is asked for is what the contract takes', () => {
  const what = whatOf({ clientOrganizationID: 10, ruleID: '', deviceName: ' WS-01 ', userName: '' });
  expect(what).toEqual({ clientOrganizationID: 10, ruleID: null, deviceName: 'WS-01', userName: null });
  expect(suppressionsApi.preview.body.safeParse(what).success).toBe(true);
});

test('no end lies more than a year ahead', () => {
  const now = Date.parse('2026-11-21T00:00:00Z');
  expect(endOf(1, now)).toBe('2026-11-22T00:00:00.000Z');
  for (const { value } of lengths) expect(Date.parse(endOf(value, now)) - now).toBeLessThan(365 * 86_400_000);
});

test('what it is about, in words', () => {
  const row = { ruleID: 'r1', rule: 'Encoded command', deviceName: 'WS-01', userName: null };
  expect(aboutOf(row)).toBe('Encoded command on WS-01');
  expect(aboutOf({ ...row, rule: null })).toBe('r1 on WS-01');
  expect(aboutOf({ ruleID: null, rule: null, deviceName: null, userName: 'ana' })).toBe('by ana');
});
