import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { completionAt, hasCondition, withCondition } from './edit.ts';
import { parseKql } from './parse.ts';
import { printKql } from './print.ts';

const code = { field: 'event.code', value: '4624' };

describe('withCondition', () => {
  test.each<[string, string]>([
    ['', 'event.code: 4624'],
    ['failed', 'failed and event.code: 4624'],
    ['failed or denied', '(failed or denied) and event.code: 4624'],
    ['user: (alice or bob)', 'user: (alice or bob) and event.code: 4624'],
    ['event.code: 4624', 'event.code: 4624'],
    ['a and EVENT.code: 4624', 'a and EVENT.code: 4624'],
    ['(a or b) and not event.code: 4624', '(a or b) and event.code: 4624'],
    ['not event.code: 4624', 'event.code: 4624'],
  ])('adds a condition to %j', (search, expected) => {
    expect(withCondition(search, code)).toBe(expected);
    expect(hasCondition(expected, code)).toBe(true);
    expect(hasCondition(expected, { ...code, isExcluded: true })).toBe(false);
  });

  test('excludes a value, and every event that has a field', () => {
    expect(withCondition('event.code: 4624', { ...code, isExcluded: true })).toBe('not event.code: 4624');
    expect(withCondition('a', { field: 'user.name', value: undefined })).toBe('a and user.name: *');
  });

  test('writes any name and value so that they are read as such', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 20 }), fc.string({ minLength: 1, maxLength: 40 }), (field, value) => {
        const search = withCondition('a or b', { field, value });
        if (search === undefined) return;
        const parsed = parseKql(search);
        expect(parsed.ok && parsed.ast && printKql(parsed.ast).startsWith('(a or b) and ')).toBe(true);
        expect(hasCondition(search, { field, value })).toBe(true);
      }),
    );
  });

  test('refuses what is longer than a search', () => {
    expect(withCondition('a', { field: 'b', value: 'c'.repeat(4_000) })).toBeUndefined();
  });
});

describe('completionAt', () => {
  test.each<[string, ReturnType<typeof completionAt>]>([
    ['', { kind: 'field', at: 0, typed: '' }],
    ['eve', { kind: 'field', at: 0, typed: 'eve' }],
    ['a and not (user.', { kind: 'field', at: 11, typed: 'user.' }],
    ['event.code: ', { kind: 'value', field: 'event.code', at: 12, typed: '' }],
    ['a event.code:46', { kind: 'value', field: 'event.code', at: 13, typed: '46' }],
    ['user: (alice or b', { kind: 'value', field: 'user', at: 16, typed: 'b' }],
    ['user: "al', { kind: 'value', field: 'user', at: 6, typed: 'al' }],
    ['user: alice and ', { kind: 'field', at: 16, typed: '' }],
    ['"failed pass', undefined],
    ['size > 1', { kind: 'field', at: 7, typed: '1' }],
  ])('finds the place in %j', (text, expected) => {
    expect(completionAt(text, text.length)).toEqual(expected);
  });
});
