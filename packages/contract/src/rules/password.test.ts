import { expect, test } from 'vitest';
import { isComplex, requirements } from './password.ts';

test.each([
  ['Parapet-Demo-2026!', true],
  ['Aa1!Aa1!Aa1!', true],
  ['Aa1!Aa1!Aa1', false],
  [`Aa1!${'x'.repeat(60)}`, true],
  [`Aa1!${'x'.repeat(61)}`, false],
  ['parapet-demo-2026!', false],
  ['PARAPET-DEMO-2026!', false],
  ['Parapet-Demo-Year!', false],
  ['ParapetDemo20261', false],
  ['Ünïcödé-ist-1-Wort', true],
  ['', false],
])('%j is complex: %s', (password, is) => {
  expect(isComplex(password)).toBe(is);
  expect(requirements.every(({ isMet }) => isMet(password))).toBe(is);
});
