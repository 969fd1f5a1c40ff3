import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonical, dispatchOf } from './dispatch.ts';
import { compileRules, ruleChecker } from './matcher.ts';
import { loadRules, type SigmaRule } from './rules.ts';

const rulesOf = (detections: readonly unknown[]): SigmaRule[] => {
  const { rules, faults } = loadRules(
    detections.map((detection, index) => ({
      file: `${index}.yml`,
      text: `title: t${index}\nlogsource: {product: windows, service: security}\ndetection: ${JSON.stringify(detection)}`,
    })),
  );
  expect(faults).toEqual([]);
  return rules;
};

const eventOf = (id: unknown, data: Record<string, unknown>): Record<string, unknown> => ({
  winlog: { channel: 'Security', provider_name: 'Microsoft-Windows-Security-Auditing', event_id: id, event_data: data },
});

const byId = (ids: readonly unknown[]): SigmaRule[] =>
  rulesOf(ids.map((id) => ({ s: { EventID: id, TargetUserName: 'evil' }, condition: 's' })));

describe('the field', () => {
  test('takes the one that the majority of rules compare with own values', () => {
    const dispatch = dispatchOf(byId([1, 2, 3, 4, 5, [5, 6]]))!;
    expect(dispatch.field).toBe('EventID');
    expect([...dispatch.values]).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(dispatch.wanted.at(-1)).toEqual(['5', '6']);
  });

  test('takes none for few rules, one value or patterns', () => {
    expect(dispatchOf(byId([1, 2, 3]))).toBeUndefined();
    expect(dispatchOf(byId([1, 1, 1, 1, 1, 1, 1]))).toBeUndefined();
    expect(dispatchOf(byId(['1*', '2*', '3*', '4*', '5*', '6*', '7*']))).toBeUndefined();
  });

  test('does not bind a rule that excludes a value or takes others too', () => {
    const rules = rulesOf([
      ...[1, 2, 3, 4, 5, 6].map((id) => ({ s: { EventID: id }, condition: 's' })),
      { s: { EventID: 7 }, condition: 'not s' },
      { s: [{ EventID: 8 }, { TargetUserName: 'evil' }], condition: 's' },
      { s: { EventID: [9, '1?'] }, condition: 's' },
      { s: { EventID: 9 }, t: { TargetUserName: 'x' }, condition: '1 of *' },
    ]);
    expect(dispatchOf(rules)!.wanted.slice(6)).toEqual([undefined, undefined, undefined, undefined]);
  });
});

test.each(['7.0', '07', '+7'])('reads %s as a number in another spelling', (text) => {
  expect(canonical(text)).toBeUndefined();
  expect(canonical('7')).toBe('7');
});

test('finds what each rule finds alone, however the event writes its value', () => {
  const id = fc.oneof(
    fc.integer({ min: 1, max: 9 }),
    fc.constantFrom('1', '07', 'x', 'X', '', '1*'),
    fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 }),
  );
  const text = fc.constantFrom('evil', 'fine', '*vi*');
  const items = fc.record(
    { EventID: id, TargetUserName: text, 'IpAddress|endswith': fc.constantFrom('1', '2') },
    { requiredKeys: [] },
  );
  const selection = fc.oneof(
    items.filter((each) => Object.keys(each).length > 0),
    fc.array(
      items.filter((each) => Object.keys(each).length > 0),
      { minLength: 1, maxLength: 3 },
    ),
  );
  const detection = fc.record({
    a: selection,
    b: selection,
    condition: fc.constantFrom('a and b', 'a or b', 'a and not b', 'not a', '1 of them', 'all of them', 'a'),
  });
  const event = fc.record({
    id: fc.oneof(
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 10 }).map(String),
      fc.constantFrom('07', '1.0', 'x', 'X', '', null, undefined, [1, 2], ['7', 'x'], {}),
    ),
    data: fc.record(
      { TargetUserName: fc.constantFrom('evil', 'EVIL', 'devils', 'fine'), IpAddress: fc.constantFrom('10.0.0.1', '10.0.0.2') },
      { requiredKeys: [] },
    ),
  });
  fc.assert(
    fc.property(
      fc.array(detection, { minLength: 1, maxLength: 12 }),
      fc.array(event, { minLength: 1, maxLength: 8 }),
      (detections, events) => {
        const rules = [...byId([1, 2, 3, 4, 5, 6, 7]), ...rulesOf(detections)];
        const matcher = compileRules(rules);
        const holds = ruleChecker();
        for (const { id: value, data } of events) {
          const document = eventOf(value, data);
          expect(matcher.match(document).map(({ title }) => title)).toEqual(
            rules.filter((rule) => holds(rule, document)).map(({ title }) => title),
          );
        }
      },
    ),
    { numRuns: 100 },
  );
});
