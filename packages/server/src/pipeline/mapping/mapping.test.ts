/** Mapping of foreign records to ECS, and the reading of bodies. */
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import { type MappingTargetPath, namespaceFault, suggestedFields } from '@parapet/contract/rules/eventMapping.ts';
import { describe, expect, test } from 'vitest';
import { mapRecord } from './mapped.ts';
import { previewOf } from './preview.ts';
import { recordsIn } from './records.ts';

const now = Date.parse('2026-11-28T09:00:00Z');
const mappingOf = (fields: Partial<Record<MappingTargetPath, string[]>>, records: string[] = []): EventMapping => ({
  namespace: 'acme',
  records,
  fields: Object.entries(fields).map(([to, from]) => ({ to: to as MappingTargetPath, from })),
});
const mapOne = (to: MappingTargetPath, value: unknown) => {
  const { document, unread } = mapRecord({ v: value }, mappingOf({ [to]: ['v'] }), now);
  return unread.length > 0 ? undefined : document;
};

describe('mapRecord', () => {
  test('fills ECS fields, and keeps the whole record under the namespace', () => {
    const record = { who: { login: 'ann' }, ips: ['192.0.2.7'], extra: 1 };
    const { document } = mapRecord(record, mappingOf({ 'user.name': ['who', 'login'], 'source.ip': ['ips', '0'] }), now);
    expect(document).toEqual({
      user: { name: 'ann' },
      source: { ip: '192.0.2.7' },
      event: { kind: 'event', module: 'acme', dataset: 'acme.events' },
      acme: record,
    });
  });

  test('fills fixed values', () => {
    const mapping = { namespace: 'acme', records: [], fields: [{ to: 'event.category' as const, value: 'authentication, iam' }] };
    expect(mapRecord({}, mapping, now).document.event).toMatchObject({ category: ['authentication', 'iam'] });
  });

  test.each([
    ['2026-11-28T08:00:00+01:00', '2026-11-28T07:00:00.000Z'],
    [1_795_852_800, '2026-11-28T08:00:00.000Z'],
    ['1795852800000', '2026-11-28T08:00:00.000Z'],
    ['yesterday', undefined],
  ])('reads the time %s', (value, expected) => {
    expect(mapOne('@timestamp', value)?.['@timestamp']).toBe(expected);
  });

  test.each([
    ['192.0.2.7', { ip: '192.0.2.7' }],
    ['192.0.2.7:443', { ip: '192.0.2.7', port: 443 }],
    ['[2001:db8::1]:443', { ip: '2001:db8::1', port: 443 }],
    ['203.0.113.9, 10.0.0.1', { ip: '203.0.113.9' }],
    ['2001:db8::1', { ip: '2001:db8::1' }],
    ['999.1.1.1', undefined],
    ['internal', undefined],
  ])('reads the address %s', (value, expected) => {
    expect(mapOne('source.ip', value)?.source).toEqual(expected);
  });

  test.each([
    ['Allowed', 'success'],
    [true, 'success'],
    [204, 'success'],
    ['BLOCKED', 'failure'],
    [403, 'failure'],
    ['pending', 'unknown'],
  ])('reads the outcome %s as %s', (value, expected) => {
    expect(mapOne('event.outcome', value)?.event).toMatchObject({ outcome: expected });
  });

  test('reads severities as numbers and as words', () => {
    expect(mapOne('event.severity', '7')?.event).toMatchObject({ severity: 7 });
    expect(mapOne('event.severity', 'High')).toMatchObject({ event: { severity: 73 }, log: { level: 'high' } });
    expect(mapOne('event.severity', 'constructor')).toBeUndefined();
  });

  test('reads only own members of a record, and leaves prototypes alone', () => {
    const hostile = JSON.parse('{"__proto__":{"x":"1"},"constructor":"c"}');
    const { document, unread } = mapRecord(hostile, mappingOf({ 'user.name': ['toString'], message: ['__proto__', 'x'] }), now);
    expect(unread).toEqual(['user.name']);
    expect(document.message).toBe('1');
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});

describe('recordsIn', () => {
  const values = (body: string, path: string[] = []) => [...recordsIn(body, path)];

  test('reads an object, a list, a list in an object, and lines', () => {
    expect(values('{"a":1}')).toEqual([{ value: { a: 1 } }]);
    expect(values('[{"a":1},{"a":2}]')).toHaveLength(2);
    expect(values('{"data":{"events":[{"a":1},{"a":2}]}}', ['data', 'events'])).toHaveLength(2);
    expect(values('{"a":1}\r\n\n{"a":2}\n')).toEqual([{ value: { a: 1 } }, { value: { a: 2 } }]);
  });

  test('keeps the good lines beside a broken one', () => {
    const [first, second, third] = values('{"a":1}\n{"a":\n{"a":3}');
    expect([first, third]).toEqual([{ value: { a: 1 } }, { value: { a: 3 } }]);
    expect(second).toMatchObject({ raw: '{"a":', fault: expect.stringContaining('not JSON') });
  });

  test.each([
    ['', 'empty'],
    ['{"a":', 'not JSON'],
    ['{\n"a":1,\n"b"\n', 'not JSON'],
    ['"text"', 'neither an object nor a list'],
    ['{"a":1}', 'no records at events'],
  ])('refuses the body %j', (body, text) => {
    expect(() => values(body, ['events'])).toThrow(text);
  });
});

describe('previewOf', () => {
  test('shows events as they would be stored, unread fields and refused records', () => {
    const sample = JSON.stringify([{ at: '2026-11-28T08:00:00Z', user: 'ann', msg: '<b>hi</b>' }, 7]);
    const mapping = mappingOf({ '@timestamp': ['at'], 'user.name': ['user'], message: ['msg'], 'source.ip': ['ip'] });
    const preview = previewOf(sample, mapping, 'Acme (webhook)', now);
    expect(preview.results[0]).toMatchObject({
      at: '2026-11-28T08:00:00.000Z',
      device: 'Acme (webhook)',
      user: 'ann',
      text: '<b>hi</b>',
      unread: ['Source address'],
    });
    expect(JSON.parse(preview.results[0]!.document)).toMatchObject({ acme: { user: 'ann' }, related: { user: ['ann'] } });
    expect(preview).toMatchObject({ total: 2, refused: ['Record 2: This record is not an object.'] });
  });
});

describe('suggestedFields', () => {
  test('maps usual names, shallow ones first, each once', () => {
    const record = { timestamp: 1, data: { user: 'x', ip: '192.0.2.1' }, user: { name: 'ann' }, message: 'm' };
    expect(suggestedFields(record)).toEqual([
      { to: '@timestamp', from: ['timestamp'] },
      { to: 'message', from: ['message'] },
      { to: 'user.name', from: ['data', 'user'] },
      { to: 'source.ip', from: ['data', 'ip'] },
    ]);
  });
});

describe('namespaceFault', () => {
  test('refuses sections of ECS and invalid names', () => {
    for (const name of ['event', 'winlog', 'portal', 'A', '1x', 'a b', '__proto__']) expect(namespaceFault(name)).toBeDefined();
    expect(namespaceFault('acme_waf')).toBeUndefined();
  });
});
