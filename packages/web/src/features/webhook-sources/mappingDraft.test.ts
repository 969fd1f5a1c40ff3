import { describe, expect, test } from 'vitest';
import { absentIn, assign, fix, fixedOf, namespaceOf, readSample, suggestedMapping, targetOf } from './mappingDraft.ts';

describe('readSample', () => {
  test('finds the record in an object, a list, a list in an object, and lines', () => {
    const record = { a: 1 };
    for (const text of ['{"a":1}', '[{"a":1}]', '{"x":{"y":1},"events":[{"a":1}]}', '{"a":1}\n{"a":2}'])
      expect(readSample(text)?.record).toEqual(record);
    expect(readSample('{"events":[{"a":1}]}')?.records).toEqual(['events']);
  });

  test('finds nothing in other texts', () => {
    for (const text of ['', '{', '7', '[7]', 'null', '{"a":1}broken']) expect(readSample(text)).toBeUndefined();
  });

  test('keeps a record whole when the mapping takes the body as the record', () => {
    expect(readSample('{"tags":[{"a":1}]}', [])?.record).toEqual({ tags: [{ a: 1 }] });
  });
});

describe('assign', () => {
  test('fills a target once, and a field fills one target', () => {
    const first = assign([], ['user'], 'user.name');
    const second = assign(first, ['login'], 'user.name');
    expect(second).toEqual([{ to: 'user.name', from: ['login'] }]);
    expect(assign(second, ['login'], 'message')).toEqual([{ to: 'message', from: ['login'] }]);
    expect(assign(second, ['login'], undefined)).toEqual([]);
    expect(targetOf(second, ['login'])).toBe('user.name');
  });
});

describe('fix', () => {
  test('replaces a field of the sample, and an empty value removes it', () => {
    const fields = fix(assign([], ['kind'], 'event.category'), 'event.category', 'iam');
    expect(fixedOf(fields, 'event.category')).toBe('iam');
    expect(fix(fields, 'event.category', ' ')).toEqual([]);
  });
});

describe('suggestedMapping', () => {
  test('orders fields as the form does', () => {
    const mapping = suggestedMapping('{"user":"ann","time":1,"n":{"src_ip":"192.0.2.1"}}', 'acme');
    expect(mapping?.fields.map(({ to }) => to)).toEqual(['@timestamp', 'user.name', 'source.ip']);
  });
});

test('absentIn names mapped paths that the sample lacks', () => {
  const fields = assign(assign([], ['a'], 'message'), ['b', 'c'], 'user.name');
  expect(absentIn(fields, readSample('{"a":1}')).map(({ to }) => to)).toEqual(['user.name']);
});

test('namespaceOf makes a name a namespace', () => {
  expect(namespaceOf('Acme WAF (EU)')).toBe('acme_waf_eu');
  expect(namespaceOf('3CX')).toBe('cx');
});
