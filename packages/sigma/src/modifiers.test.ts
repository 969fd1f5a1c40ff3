import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAddress } from './ip.ts';
import { faultOf, matches, matchesRule, ruleOf } from './testing.ts';

type Case = [selection: Record<string, unknown>, document: Record<string, unknown>, expected: boolean];

const cases: Record<string, Case[]> = {
  equality: [
    [{ F: 'Value' }, { F: 'VALUE' }, true],
    [{ F: 'Value' }, { F: 'values' }, false],
    [{ F: 'ΟΔΟΣ' }, { F: 'οδος' }, true],
    [{ 'F|contains': 'οδος' }, { F: 'ΟΔΟΣΑ' }, true],
    [{ F: '' }, { F: '' }, true],
    [{ F: '' }, {}, false],
    [{ F: '' }, { F: null }, false],
    [{ F: ['a', 'b'] }, { F: ['x', 'B'] }, true],
    [{ F: 'x' }, { F: { '#text': 'x' } }, true],
    [{ F: 'x' }, { F: { y: 'x' } }, false],
    [{ 'F|contains': 'x' }, { F: { y: ['x'] } }, true],
    [{ 'F|contains': '"y":"x"' }, { F: [1, { y: 'x' }] }, true],
    [{ F: '*' }, { F: {} }, false],
  ],
  numbers: [
    [{ F: 4688 }, { F: '4688' }, true],
    [{ F: 4688 }, { F: 4688 }, true],
    [{ F: '4688' }, { F: 4688 }, true],
    [{ F: 16 }, { F: '0x10' }, false],
    [{ F: 1.5 }, { F: '1.50' }, true],
    [{ F: 7 }, { F: '07' }, true],
    [{ F: true }, { F: 'True' }, true],
    [{ F: 'true' }, { F: true }, true],
    [{ F: false }, { F: true }, false],
  ],
  null: [
    [{ F: null }, {}, true],
    [{ F: null }, { F: null }, true],
    [{ F: null }, { F: '' }, false],
    [{ F: null }, { F: {} }, false],
    [{ F: [null, 'a'] }, {}, true],
    [{ F: [null, 'a'] }, { F: 'A' }, true],
    [{ F: [null, 'a'] }, { F: 'b' }, false],
  ],
  exists: [
    [{ 'F|exists': true }, { F: '' }, true],
    [{ 'F|exists': true }, { F: null }, false],
    [{ 'F|exists': false }, { F: null }, true],
    [{ 'F|neq': 'a' }, { F: null }, false],
    [{ 'F|exists': true }, {}, false],
    [{ 'F|exists': false }, {}, true],
    [{ 'F|exists': false }, { F: 0 }, false],
    [{ F: '*' }, { F: '' }, true],
    [{ F: '*' }, {}, false],
  ],
  position: [
    [{ 'F|contains': 'b*d' }, { F: 'abcde' }, true],
    [{ 'F|startswith': 'A' }, { F: 'abc' }, true],
    [{ 'F|startswith': 'b' }, { F: 'abc' }, false],
    [{ 'F|endswith': '\\cmd.exe' }, { F: 'C:\\x\\CMD.EXE' }, true],
    [{ 'F|endswith': '\\cmd.exe' }, { F: 'C:\\x\\cmd.exe ' }, false],
    [{ 'F|contains|all': ['a', 'c'] }, { F: 'abc' }, true],
    [{ 'F|all|contains': ['a', 'd'] }, { F: 'abc' }, false],
    [{ 'F|contains|all': ['a', 'd'] }, { F: ['xa', 'dx'] }, true],
    [{ 'F|contains': '' }, { F: 'x' }, true],
  ],
  cased: [
    [{ 'F|cased': 'Ab' }, { F: 'Ab' }, true],
    [{ 'F|cased': 'Ab' }, { F: 'ab' }, false],
    [{ 'F|contains|cased': 'B' }, { F: 'aBc' }, true],
    [{ 'F|cased|contains': 'B' }, { F: 'abc' }, false],
  ],
  re: [
    [{ 'F|re': 'a+b' }, { F: 'xaab' }, true],
    [{ 'F|re': 'A+B' }, { F: 'xaab' }, false],
    [{ 'F|re|i': 'A+B' }, { F: 'xaab' }, true],
    [{ 'F|re': '^b' }, { F: 'a\nb' }, false],
    [{ 'F|re|m': '^b' }, { F: 'a\nb' }, true],
    [{ 'F|re': 'a.b' }, { F: 'a\nb' }, false],
    [{ 'F|re|s': 'a.b' }, { F: 'a\nb' }, true],
    [{ 'F|re|i|s': 'A.B' }, { F: 'a\nb' }, true],
    [{ 'F|re': '^4688$' }, { F: 4688 }, true],
  ],
  cidr: [
    [{ 'F|cidr': '10.0.0.0/8' }, { F: '10.9.8.7' }, true],
    [{ 'F|cidr': '10.0.0.0/8' }, { F: '11.0.0.1' }, false],
    [{ 'F|cidr': '192.168.1.128/25' }, { F: '192.168.1.127' }, false],
    [{ 'F|cidr': '0.0.0.0/0' }, { F: '::1' }, false],
    [{ 'F|cidr': 'fe80::/10' }, { F: 'FEBF::1' }, true],
    [{ 'F|cidr': 'fe80::/10' }, { F: 'fe80::1%eth0' }, true],
    [{ 'F|cidr': '2001:db8::/32' }, { F: '2001:db9::' }, false],
    [{ 'F|cidr': '::1/128' }, { F: '0:0:0:0:0:0:0:1' }, true],
    [{ 'F|cidr': '10.0.0.0/8' }, { F: '::ffff:10.1.2.3' }, true],
    [{ 'F|cidr': ['10.0.0.0/8', '127.0.0.0/8'] }, { F: ['8.8.8.8', '127.0.0.1'] }, true],
    [{ 'F|cidr': '10.0.0.0/8' }, { F: 'ten' }, false],
  ],
  encodings: [
    [{ 'F|base64': 'ping' }, { F: 'cGluZw==' }, true],
    [{ 'F|base64|contains': 'foo' }, { F: 'x Zm9v y' }, true],
    [{ 'F|base64offset|contains': 'Invoke' }, { F: Buffer.from('xInvoke-Y').toString('base64') }, true],
    [{ 'F|contains|base64offset': 'Invoke' }, { F: Buffer.from('xyInvoke-Y').toString('base64') }, true],
    [{ 'F|base64offset|contains': 'Invoke' }, { F: Buffer.from('xInvok-Y').toString('base64') }, false],
    [{ 'F|wide|base64offset|contains': 'IEX' }, { F: Buffer.from('aIEX b', 'utf16le').toString('base64') }, true],
    [{ 'F|utf16le|base64|contains': 'IE' }, { F: `-enc ${Buffer.from('IE', 'utf16le').toString('base64')}` }, true],
    [{ 'F|utf16be|base64': 'IE' }, { F: Buffer.from('IE', 'utf16le').swap16().toString('base64') }, true],
    [{ 'F|utf16|base64': 'I' }, { F: Buffer.from([0xff, 0xfe, 0x49, 0]).toString('base64') }, true],
    [{ 'F|wide': 'ab' }, { F: 'a\0b\0' }, true],
    [{ 'F|base64': 'é' }, { F: Buffer.from('é').toString('base64') }, true],
  ],
  windash: [
    [{ 'F|windash|contains': ' -enc ' }, { F: 'x -enc y' }, true],
    [{ 'F|windash|contains': ' -enc ' }, { F: 'x /ENC y' }, true],
    [{ 'F|contains|windash': ' -enc ' }, { F: 'x –enc y' }, true],
    [{ 'F|contains|windash': ' -enc ' }, { F: 'x —enc y' }, true],
    [{ 'F|contains|windash': ' /enc ' }, { F: 'x ―enc y' }, true],
    [{ 'F|windash|contains': ' -enc ' }, { F: 'x +enc y' }, false],
    [{ 'F|windash|contains': 'a-b' }, { F: 'a/b' }, false],
    [{ 'F|windash|contains': ' -a -b -c -d -e -f' }, { F: 'x /a –b -c /d ―e -f' }, true],
    [{ 'F|windash|contains|all': [' -a', ' -b'] }, { F: 'x /a /b' }, true],
    [{ 'F|windash|contains|all': [' -a', ' -b'] }, { F: 'x /a' }, false],
  ],
  comparisons: [
    [{ 'F|gt': 5 }, { F: 6 }, true],
    [{ 'F|gt': 5 }, { F: '5' }, false],
    [{ 'F|gte': 5 }, { F: '5' }, true],
    [{ 'F|lt': 5 }, { F: 'four' }, false],
    [{ 'F|lte': 5.5 }, { F: '5.5' }, true],
    [{ 'F|lt': 5 }, {}, false],
  ],
  fieldref: [
    [{ 'F|fieldref': 'G' }, { F: 'a', G: 'A' }, true],
    [{ 'F|fieldref': 'G' }, { F: 'a', G: 'b' }, false],
    [{ 'F|fieldref': 'G' }, { F: 'a' }, false],
    [{ 'F|fieldref|cased': 'G' }, { F: 'a', G: 'A' }, false],
    [{ 'F|fieldref|startswith': 'G' }, { F: 'abc', G: 'AB' }, true],
    [{ 'F|fieldref|endswith': 'G' }, { F: 'abc', G: 'bc' }, true],
    [{ 'F|fieldref|contains': 'G' }, { F: 'abc', G: 'd' }, false],
    [{ 'F|fieldref|neq': 'G' }, { F: 'a', G: 'b' }, true],
    [{ 'F|fieldref|neq': 'G' }, { F: 'a', G: 'a' }, false],
  ],
  neq: [
    [{ 'F|neq': 'a' }, { F: 'b' }, true],
    [{ 'F|neq': 'a' }, { F: 'A' }, false],
    [{ 'F|neq': ['a', 'b'] }, { F: 'b' }, false],
    [{ 'F|neq': 5 }, { F: '6' }, true],
    [{ 'F|neq': 'a' }, {}, false],
    [{ 'F|contains|neq': 'b' }, { F: 'abc' }, false],
  ],
  time: [
    [{ 'T|hour': 23 }, { T: '2024-02-29T23:59:00Z' }, true],
    [{ 'T|hour|gte': 22 }, { T: '2024-02-29 21:59:00' }, false],
    [{ 'T|minute': 59 }, { T: '2024-02-29T23:59:00.1234567Z' }, true],
    [{ 'T|day': 29 }, { T: '2024-02-29T23:59:00Z' }, true],
    [{ 'T|month': 2 }, { T: 1709251140 }, true],
    [{ 'T|year': 2024 }, { T: 1709251140000 }, true],
    [{ 'T|week': 9 }, { T: '2024-02-29' }, true],
    [{ 'T|week': 53 }, { T: '2021-01-01' }, true],
    [{ 'T|hour': 1 }, { T: 'never' }, false],
  ],
};

describe.each(Object.entries(cases))('%s', (_name, list) => {
  test.each(list)('%j on %j: %s', (selection, document, expected) => {
    expect(matches(selection, document)).toBe(expected);
  });
});

describe('placeholders', () => {
  const placeholders = { servers: ['srv*', 'db-1'], none: [] };
  test('inserts values with their wildcards', () => {
    expect(matches({ 'F|expand': '%servers%' }, { F: 'SRV-17' }, { placeholders })).toBe(true);
    expect(matches({ 'F|expand|contains': 'x%servers%y' }, { F: 'axdb-1yb' }, { placeholders })).toBe(true);
    expect(matches({ 'F|expand': '%servers%' }, { F: '%servers%' }, { placeholders })).toBe(false);
    expect(matches({ 'F|expand': '\\%servers%' }, { F: '%servers%' }, { placeholders })).toBe(true);
    expect(matches({ F: '%servers%' }, { F: '%servers%' })).toBe(true);
  });
  test('matches nothing while a placeholder has no value, on either side of a "not"', () => {
    const rule = ruleOf({ s: { F: 'a' }, f: { 'G|expand': ['%servers%', '%toString%'] }, condition: 's and not f' });
    expect(rule.awaits).toEqual(['servers', 'toString']);
    expect(matchesRule(rule, { F: 'a' })).toBe(false);
    expect(matchesRule(rule, { F: 'a', G: '%servers%' })).toBe(false);
    const some = { placeholders: { ...placeholders, toString: ['x'] } };
    const known = ruleOf({ s: { F: 'a' }, f: { 'G|expand': ['%servers%', '%toString%'] }, condition: 's and not f' }, {}, some);
    expect(known.awaits).toEqual([]);
    expect([matchesRule(known, { F: 'a' }), matchesRule(known, { F: 'a', G: 'srv1' })]).toEqual([true, false]);
    expect(ruleOf({ s: { 'F|cidr|expand': ['%nets%', '%nets%'], 'G|re|expand': '(%x%' }, condition: 's' }).awaits).toEqual([
      'nets',
      'x',
    ]);
    expect(ruleOf({ s: { 'F|expand': '%none%' }, condition: 's' }, {}, { placeholders }).awaits).toEqual(['none']);
  });
});

describe('rejected detections', () => {
  test.each([
    [{ 'F|foo': 'a' }, /"foo" is not known/],
    [{ 'F|contains|startswith': 'a' }, /contradict/],
    [{ 'F|re|contains': 'a' }, /contradict/],
    [{ 'F|cidr': '10.0.0.0/33' }, /not a network/],
    [{ 'F|cidr': 'a' }, /not a network/],
    [{ 'F|gt': 'a' }, /not a number/],
    [{ 'F|exists': 'perhaps' }, /true or false/],
    [{ 'F|base64': 'a*' }, /wildcards/],
    [{ 'F|i': 'a' }, /belong to "re"/],
    [{ F: { a: 1 } }, /a map where a value is expected/],
    [{ F: [] }, /has no value/],
    [{}, /empty map/],
    [null, /null/],
    [['*'], /every event/],
  ])('%j', (sel, reason) => {
    expect(faultOf({ sel, condition: 'sel' })).toMatch(reason);
  });
});

describe('keywords', () => {
  const event = { Message: 'Run EvilService now', list: ['one', { deep: 'Two -x' }], n: 4711, secret: true };
  test.each([
    [['evilservice'], true],
    [['nothing', 'TWO'], true],
    [['nothing'], false],
    [['evil*now'], true],
    [['4711'], true],
    [[4711], true],
    [['Message'], false],
    [{ '|all': ['evil', 'two'] }, true],
    [{ '|all': ['evil', 'three'] }, false],
    [{ '|re': 'Evil[A-Z]' }, true],
    ['evilservice', true],
    [['nothing', { n: 4711 }], true],
    [{ '|contains': ['two'], n: 4711 }, true],
  ])('%j: %s', (selection, expected) => {
    expect(matches(selection, event)).toBe(expected);
  });
});

describe('address parser', () => {
  const parts = fc.constantFrom('0', '1', 'ffff', '12345', 'g', '', ':', '::', '1.2.3.4', '256.1.1.1', '01.2.3.4', '10', '%eth0');
  test('accepts the same addresses as node:net', () => {
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 10 }), fc.constantFrom(':', '.', ''), (list, joint) => {
        const text = list.join(joint);
        if (!text.includes('%')) expect(parseAddress(text) !== undefined).toBe(isIP(text) > 0);
      }),
      { numRuns: 5_000 },
    );
    fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => parseAddress(text) !== undefined));
  });
});
