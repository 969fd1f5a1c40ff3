import { Problem } from '@parapet/contract/problem.ts';
import { expect, test } from 'vitest';
import { errorsOf, isUnknownLink, isUsable } from './resetLink.ts';

const now = Date.parse('2026-03-29T00:30:00Z');
const form = (expirationDate: string, token = 'abc') => ({ email: 'a@alder.example', expirationDate, token });

test.each([
  ['2026-03-29T00:30:01Z', true],
  ['2026-03-29T00:30:00Z', false],
  // The same instants in other time zones.
  ['2026-03-29T02:00:00+02:00', false],
  ['2026-03-28T23:45:00-01:00', true],
  ['soon', false],
])('treats a link until %s as valid: %s', (expirationDate, isValid) => {
  expect(isUsable(form(expirationDate), 'abc', now)).toBe(isValid);
});

test('rejects a token other than the server’s', () => {
  expect(isUsable(form('2026-03-30T00:00:00Z', 'abd'), 'abc', now)).toBe(false);
});

test.each([
  [new Problem('notFound', ''), true],
  [new Problem('invalid', ''), true],
  [new Problem('tooManyRequests', ''), false],
  [new Problem('unavailable', ''), false],
  [new Error('broken'), false],
])('treats %s as an unknown link: %s', (error, isUnknown) => {
  expect(isUnknownLink(error)).toBe(isUnknown);
});

const complexity = "The password you entered doesn't match the complexity requirements, please choose a different password.";
test.each([
  ['Good-Password-1!', 'Good-Password-1!', {}],
  ['good', 'good', { newPassword: complexity }],
  ['good', 'other', { newPassword: complexity }],
  ['Good-Password-1!', 'Good-Passwo', { confirm: 'Min character length is 12' }],
  ['Good-Password-1!', 'Good-Password-2!', { confirm: "The passwords you entered don't match, please try again" }],
])('%j and %j', (newPassword, confirm, errors) => {
  expect(errorsOf(newPassword, confirm)).toEqual(errors);
});
