import { Problem } from '@parapet/contract/problem.ts';
import { expect, test } from 'vitest';
import { codeError, codeOf, grouped, imageOf, refusalOf } from './mfa.ts';

test.each([
  ['', 'Min character length is 6'],
  ['12345', 'Min character length is 6'],
  ['123456', undefined],
  ['1234567', 'Max character length is 6'],
  ['12345a', 'The code has digits only.'],
  ['١٢٣٤٥٦', 'The code has digits only.'],
])('the code %j: %s', (code, text) => {
  expect(codeError(code)).toBe(text);
});

test('accepts codes in the grouping of authenticator apps', () => {
  expect(codeOf(' 123 456\n')).toBe('123456');
  expect(grouped('JBSWY3DPEHPK3PXP')).toBe('JBSW Y3DP EHPK 3PXP');
  expect(grouped('ABCDE')).toBe('ABCD E');
});

test('escapes the QR code inside its data URL', () => {
  const image = imageOf('<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>#"><script>');
  expect(image).toMatch(/^data:image\/svg\+xml,[\w%.\-!~*'()]+$/);
});

test.each([
  [new Problem('invalid', 'MFA token was not accepted', { errors: { wrongCode: ['MFA token was not accepted'] } }), 'again'],
  [new Problem('invalid', 'Not accepted.', { errors: { recoveryCode: ['Not accepted.'] } }), 'again'],
  [new Problem('invalid', 'Not accepted.', { errors: { passkey: ['Not accepted.'] } }), 'again'],
  [new Problem('tooManyRequests', 'Too many codes were tried.'), 'again'],
  [new Problem('unavailable', 'Unavailable.'), 'again'],
  [new TypeError('broken'), 'again'],
  [new Problem('invalid', 'This sign-in has ended.', { errors: { nonce: ['This sign-in has ended.'] } }), 'restart'],
  [new Problem('signInNeeded', 'This sign-in has ended.'), 'restart'],
])('%s: %s', (error, kind) => {
  expect(refusalOf(error)).toEqual({ kind, text: error.message });
});

test('offers another method after a dismissed passkey', () => {
  expect(refusalOf(new DOMException('', 'NotAllowedError'))).toEqual({
    kind: 'again',
    text: 'The passkey was not used. Try again, or choose another method.',
  });
});
