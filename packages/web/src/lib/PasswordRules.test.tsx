import { isComplex, tooCommonText } from '@parapet/contract/rules/password.ts';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { PasswordRules } from './PasswordRules.tsx';

/** Texts of the rules by their state, as a screen reader has them. */
function rulesOf(password: string, refusal?: string): Record<string, string[]> {
  const markup = renderToStaticMarkup(<PasswordRules password={password} refusal={refusal} />);
  const found: Record<string, string[]> = { 'Met:': [], 'Missing:': [], 'Refused:': [] };
  for (const [, state = '', text = ''] of markup.matchAll(/<li[^>]*>.*?<title>([^<]*)<\/title>.*?<\/svg>([^<]*)<\/li>/g))
    found[state]!.push(text);
  return found;
}

const common = 'Not common, checked when you save';

test('ticks each rule that the password meets', () => {
  expect(rulesOf('')).toEqual({
    'Met:': [],
    'Missing:': ['12 to 64 characters', 'One upper case letter', 'One lower case letter', 'One number', 'One symbol', common],
    'Refused:': [],
  });
  expect(rulesOf('Short1')).toMatchObject({
    'Met:': ['One upper case letter', 'One lower case letter', 'One number'],
    'Missing:': ['12 to 64 characters', 'One symbol', common],
  });
});

test.each(['Correct-horse-7', 'Grüße-aus-Köln-3', '🐎🐎🐎🐎🐎🐎🐎Aa1-b', `Aa1-${'x'.repeat(60)}`])(
  'ticks all but the lists of the server for %s',
  (password) => {
    expect(isComplex(password)).toBe(true);
    expect(rulesOf(password)).toMatchObject({ 'Missing:': [common], 'Refused:': [] });
  },
);

test.each(['Aa1-short', `Aa1-${'x'.repeat(61)}`])('leaves the length open for %s', (password) => {
  expect(isComplex(password)).toBe(false);
  expect(rulesOf(password)['Missing:']).toEqual(['12 to 64 characters', common]);
});

test('shows the server’s refusal of a common password, and no other refusal', () => {
  expect(rulesOf('Password-1234', `newPassword: ${tooCommonText}`)).toMatchObject({ 'Missing:': [], 'Refused:': ['Too common'] });
  expect(rulesOf('Password-1234', 'This link has expired.')).toMatchObject({ 'Missing:': [common], 'Refused:': [] });
});

test('shows nothing of the password', () => {
  const markup = renderToStaticMarkup(<PasswordRules password="Secret-horse-77<b>" id="rules" />);
  expect(markup).not.toContain('Secret');
  expect(markup).toContain('id="rules"');
});
