/**
 * Compares the compiled matcher with an interpreter without index, folding shortcuts or shared tables, on random rules and events.
 * Errors of the index and the required literals would silently prevent matches; this test reveals them.
 */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { compileRules } from './matcher.ts';
import { loadRules } from './rules.ts';
import { steadyDocuments } from './testing.ts';

vi.setConfig({ testTimeout: 60_000 });

type Scalar = string | number | boolean | null;
type Value = Scalar | Scalar[];
type Selection = Record<string, Value> | Record<string, Value>[] | string[];
interface Rule {
  title: string;
  id: string;
  logsource: Record<string, string>;
  detection: Record<string, Selection | string>;
}

const FIELDS = ['Image', 'CommandLine', 'EventID', 'User', 'Extra'];
const text = fc
  .array(
    fc.constantFrom('a', 'B', 'ab', 'Ab', '\\', ' ', '-a', '/b', '.', 'é', 'ΑΣ', 'ς', '*', '?', '\\*', '\\\\', '1', '10', ''),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(''));
const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  { weight: 8, arbitrary: text },
  { weight: 2, arbitrary: fc.constantFrom(1, 10, 1.5, '1.0', '010') },
  { weight: 1, arbitrary: fc.constantFrom(true, false, null) },
);
const modifiers = fc.constantFrom(
  '',
  '',
  '|contains',
  '|contains|all',
  '|all|contains',
  '|startswith',
  '|endswith',
  '|endswith|cased',
  '|cased',
  '|contains|neq',
  '|neq',
  '|windash|contains',
  '|re',
  '|re|i',
  '|exists',
  '|gt',
  '|fieldref',
);
const regexes = fc.constantFrom(
  'a+b',
  '^ab',
  'B$',
  '(ab|10)',
  'a.b',
  '[ab]{2}',
  '\\\\',
  'AB',
  'x?',
  '(?i)ab',
  'b(é|a)?',
  '1+0',
  'ab.*-a',
  '\\bab[\\\\/ ]?a',
  '[^a]/b|ab$',
);

const item: fc.Arbitrary<[string, Value]> = fc.tuple(fc.constantFrom(...FIELDS), modifiers).chain(([field, names]) => {
  const key = field + names;
  if (names.startsWith('|re'))
    return fc.array(regexes, { minLength: 1, maxLength: 2 }).map((list) => [key, list] as [string, Value]);
  if (names === '|exists') return fc.boolean().map((expected) => [key, expected] as [string, Value]);
  if (names === '|gt') return fc.constantFrom(1, 5, 10).map((number) => [key, number] as [string, Value]);
  if (names === '|fieldref') return fc.constantFrom(...FIELDS).map((other) => [key, other] as [string, Value]);
  const value = names === '' ? scalar : text;
  return fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 4 })).map((values) => [key, values] as [string, Value]);
});
const map = fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => Object.fromEntries(items));
const keyword = text.filter((word) => /[^*]/.test(word));
const selection: fc.Arbitrary<Selection> = fc.oneof(
  { weight: 6, arbitrary: map },
  { weight: 2, arbitrary: fc.array(map, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.array(keyword, { minLength: 1, maxLength: 3 }) },
);
const condition = fc.constantFrom(
  's1',
  's1 and s2',
  's1 or s2',
  's1 and not s2',
  'not s1',
  '1 of s*',
  'all of s*',
  '2 of s*',
  'all of them',
  's1 and (s2 or not s3)',
  'not (s1 or s2) and s3',
  's1 or s2 and s3',
);
const LOGSOURCES = [
  {},
  { product: 'windows' },
  { product: 'windows', category: 'process_creation' },
  { product: 'windows', service: 'sysmon' },
  { product: 'windows', service: 'security' },
  { product: 'linux' },
];
const rule: fc.Arbitrary<Rule> = fc.record({
  title: fc.constant('t'),
  id: fc.constant(''),
  logsource: fc.constantFrom(...(LOGSOURCES as Record<string, string>[])),
  detection: fc.record({ s1: selection, s2: selection, s3: selection, condition }),
});
const eventValue = fc.oneof(
  { weight: 6, arbitrary: text as fc.Arbitrary<Value> },
  { weight: 2, arbitrary: fc.constantFrom<Value>(1, 10, '10', '1.0', 1.5, true, null) },
  { weight: 1, arbitrary: fc.array(text, { minLength: 2, maxLength: 3 }) },
);
const fields = fc.dictionary(fc.constantFrom(...FIELDS.filter((name) => name !== 'EventID')), eventValue, { maxKeys: 4 });

/** Sigma's wildcards as an ordinary regular expression: correct, but slow. */
function glob(pattern: string, head: string, tail: string, dashes: boolean): string {
  let source = head;
  for (let i = 0; i < pattern.length; i++) {
    let char = pattern[i]!;
    const next = pattern[i + 1];
    if (char === '\\' && next !== undefined && '*?\\'.includes(next)) {
      char = next;
      i++;
    } else if (char === '*') {
      source += '[^]*';
      continue;
    } else if (char === '?') {
      source += '[^]';
      continue;
    }
    const before = pattern[i - 1];
    const isFlag = '-/'.includes(char) && !/[\p{L}\d_]/u.test(before ?? ' ') && /[\p{L}\d_]/u.test(next ?? ' ');
    if (dashes && isFlag) source += '[-/–—―]';
    else source += char.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  }
  return source + tail;
}

const folded = (value: string): string => value.toLowerCase().replaceAll('ς', 'σ');

function holds(value: Scalar | undefined, expected: Scalar, names: string[], event: Record<string, Value>): boolean {
  if (names.includes('exists')) return (value !== undefined && value !== null) === expected;
  if (expected === null) return value === undefined || value === null;
  if (value === undefined || value === null) return false;
  if (names.includes('gt'))
    return (
      (typeof value === 'number' ? value : /^[+-]?(\d+\.?\d*|\.\d+)$/.test(String(value)) ? Number(value) : Number.NaN) >
      Number(expected)
    );
  if (names.includes('re'))
    return new RegExp(
      String(expected).replace('(?i)', ''),
      names.includes('i') || String(expected).includes('(?i)') ? 'i' : '',
    ).test(String(value));
  if (names.includes('fieldref')) {
    const other = event[String(expected)];
    return (Array.isArray(other) ? other : [other]).some(
      (each) => each !== undefined && each !== null && folded(String(each)) === folded(String(value)),
    );
  }
  if (typeof expected === 'number') return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(String(value)) && Number(value) === expected;
  const around = names.includes('contains');
  const head = around || names.includes('endswith') ? '^[^]*' : '^';
  const tail = around || names.includes('startswith') ? '[^]*$' : '$';
  const cased = names.includes('cased');
  const pattern = cased ? String(expected) : folded(String(expected));
  return new RegExp(glob(pattern, head, tail, names.includes('windash')), 'u').test(
    cased ? String(value) : folded(String(value)),
  );
}

function itemHolds(key: string, expected: Value, event: Record<string, Value>): boolean {
  const [field = '', ...names] = key.split('|');
  const actual = event[field];
  const values: (Scalar | undefined)[] = Array.isArray(actual) ? actual : [actual];
  const wanted = Array.isArray(expected) ? expected : [expected];
  const one = (each: Scalar) => values.some((value) => holds(value, each, names, event));
  const found = names.includes('all') ? wanted.every(one) : wanted.some(one);
  return names.includes('neq') ? actual !== undefined && actual !== null && !found : found;
}

function selectionHolds(selected: Selection, event: Record<string, Value>, everything: Scalar[]): boolean {
  if (!Array.isArray(selected)) return Object.entries(selected).every(([key, expected]) => itemHolds(key, expected, event));
  return selected.some((each) =>
    typeof each === 'string'
      ? everything.some((value) => value !== null && value !== '' && holds(value, each, ['contains'], event))
      : selectionHolds(each, event, everything),
  );
}

function naive(candidate: Rule, event: Record<string, Value>, everything: Scalar[]): boolean {
  const [a, b, c] = ['s1', 's2', 's3'].map((name) =>
    selectionHolds(candidate.detection[name] as Selection, event, everything),
  ) as [boolean, boolean, boolean];
  const count = Number(a) + Number(b) + Number(c);
  const answers: Record<string, boolean> = {
    s1: a,
    's1 and s2': a && b,
    's1 or s2': a || b,
    's1 and not s2': a && !b,
    'not s1': !a,
    '1 of s*': count >= 1,
    'all of s*': count === 3,
    '2 of s*': count >= 2,
    'all of them': count === 3,
    's1 and (s2 or not s3)': a && (b || !c),
    'not (s1 or s2) and s3': !(a || b) && c,
    's1 or s2 and s3': a || (b && c),
  };
  return answers[candidate.detection.condition as string]!;
}

/** Rules on so many other fields that the matcher looks at an event's keys before its fields. */
const others: Rule[] = Array.from({ length: 40 }, (_, at) => ({
  title: `Other ${at}`,
  id: `other ${at}`,
  logsource: { product: 'windows' },
  detection: { ...Object.fromEntries(['s1', 's2', 's3'].map((name) => [name, { [`Other${at}`]: 'abc' }])), condition: 's1' },
}));

const numbered = (rules: Rule[]): Rule[] => rules.map((each, index) => ({ ...each, id: String(index) }));

test('matches the same rules as a naive interpreter for any log source', () => {
  fc.assert(
    fc.property(
      fc.array(rule, { minLength: 1, maxLength: 12 }),
      fc.array(fields, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      (written, events, isWide) => {
        const rules = [...numbered(written), ...(isWide ? others : [])];
        const loaded = loadRules([{ file: 'r.yml', text: rules.map((each) => JSON.stringify(each)).join('\n---\n') }]);
        expect(loaded.faults).toEqual([]);
        const matcher = compileRules(loaded.rules);
        const steady = steadyDocuments();
        for (const event of events) {
          const expected = rules.filter((each) => naive(each, event, Object.values(event).flat())).map(({ id }) => id);
          for (const document of [event, steady(event)]) expect(matcher.match(document).map(({ id }) => id)).toEqual(expected);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('selects rules for EVTX events by log source alone', () => {
  const channel = fc.constantFrom<[string, number, number[]]>(
    ['Microsoft-Windows-Sysmon/Operational', 1, [0, 1, 2, 3]],
    ['Microsoft-Windows-Sysmon/Operational', 10, [0, 1, 3]],
    ['Security', 4688, [0, 1, 2, 4]],
    ['security', 10, [0, 1, 4]],
    ['Somewhere/Else', 1, [0, 1]],
  );
  fc.assert(
    fc.property(
      fc.array(rule, { minLength: 1, maxLength: 12 }),
      fields,
      fc.array(channel, { minLength: 1, maxLength: 4 }),
      (drawn, event, channels) => {
        const rules = numbered(drawn);
        const matcher = compileRules(
          loadRules([{ file: 'r.yml', text: rules.map((each) => JSON.stringify(each)).join('\n---\n') }]).rules,
        );
        const steady = steadyDocuments();
        for (const [Channel, EventID, allowed] of channels) {
          const written = { Event: { System: { Channel, EventID }, EventData: event } };
          const everything = [Channel, EventID, ...Object.values(event).flat()];
          const expected = rules
            .filter((each) => allowed.includes(LOGSOURCES.indexOf(each.logsource as (typeof LOGSOURCES)[number])))
            .filter((each) => naive(each, { ...event, EventID }, everything))
            .map(({ id }) => id);
          for (const document of [written, steady(written)])
            expect(matcher.match(document).map(({ id }) => id)).toEqual(expected);
        }
      },
    ),
    { numRuns: 250 },
  );
});

test('explains every match, except for pure negations, by at least one item', () => {
  fc.assert(
    fc.property(rule, fields, (written, event) => {
      const [loaded] = loadRules([{ file: 'r.yml', text: JSON.stringify({ ...written, id: '0' }) }]).rules;
      const matcher = compileRules([loaded!]);
      const isMatch = matcher.match(event).length === 1;
      const { items } = matcher.explain(loaded!, event);
      if (!isMatch) expect(items).toEqual([]);
      else if (!/not/.test(written.detection.condition as string)) expect(items.length).toBeGreaterThan(0);
    }),
    { numRuns: 300 },
  );
});
