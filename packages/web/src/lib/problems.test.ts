import { Problem } from '@parapet/contract/problem.ts';
import { expect, test } from 'vitest';
import { faultOf } from './problems.ts';

const has = (name: string) => name === 'email' || name === 'name';

test('assigns texts and hints to the fields of the form', () => {
  const problem = new Problem('invalid', 'email: taken', { errors: { email: ['taken', 'taken', 'Use another.'], other: ['?'] } });
  expect(faultOf(problem, has)).toEqual({ fields: { email: 'taken. Use another.' }, text: undefined });
});

test('returns a text for errors without a field', () => {
  const problem = new Problem('invalid', 'other: ?', { errors: { other: ['?'] } });
  expect(faultOf(problem, has)).toEqual({ fields: {}, text: 'other: ?' });
  expect(faultOf(new Problem('forbidden', 'Not yours.'), has)).toEqual({ fields: {}, text: 'Not yours.' });
  expect(faultOf('?', has).text).toMatch(/Try again/);
});
