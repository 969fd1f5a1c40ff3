import { type CorrelationHit, evaluateCorrelation } from '@parapet/sigma/correlate.ts';
import { type Correlation, loadRules } from '@parapet/sigma/rules.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluateWindows } from './windows.ts';

const rule = (name: string) =>
  `title: ${name}\nname: ${name}\nid: ${name}\nlogsource:\n  product: linux\ndetection:\n  s:\n    a: b\n  condition: s\n`;
function correlationOf(type: string, condition: string): Correlation {
  const text = `title: c\nid: c\ncorrelation:\n  type: ${type}\n  rules: [a, b, c]\n  timespan: 60s\n${condition}level: high\n`;
  const { correlations, faults } = loadRules(
    [...['a', 'b', 'c'].map((name) => ({ file: `${name}.yml`, text: rule(name) })), { file: 'c.yml', text }].map((file, i) =>
      i === 3 ? { ...file, text: file.text.replace('id: c\n', 'id: correlation\n') } : file,
    ),
  );
  expect(faults).toEqual([]);
  return correlations[0]!;
}
const kinds: [string, Correlation][] = [
  ['event_count gte', correlationOf('event_count', '  condition:\n    gte: 4\n')],
  ['event_count gt', correlationOf('event_count', '  condition:\n    gt: 2\n')],
  ['value_count gte', correlationOf('value_count', '  condition:\n    field: x\n    gte: 3\n')],
  ['temporal', correlationOf('temporal', '')],
  ['temporal_ordered', correlationOf('temporal_ordered', '')],
  ['event_count lte', correlationOf('event_count', '  condition:\n    lte: 2\n')],
  ['value_count eq', correlationOf('value_count', '  condition:\n    field: x\n    eq: 2\n')],
];

const stream = fc.array(
  fc.record({
    gap: fc.integer({ min: 0, max: 40_000 }),
    ruleId: fc.constantFrom('a', 'b', 'c'),
    value: fc.constantFrom('1', '2', '3', '4'),
  }),
  {
    maxLength: 60,
  },
);

describe.each(kinds)('%s', (_name, correlation) => {
  test('matches the same however a stream in order of time is batched', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 60 }), (entries, sizes) => {
        let at = 0;
        const hits = entries.map(({ gap, ruleId, value }, i): CorrelationHit => {
          at += gap + 1;
          return { ruleId, value, at, groupKey: 'g', ref: String(i) };
        });
        const shape = (firings: { at: number; count: number }[]) => firings.map(({ at, count }) => `${at} ${count}`);
        const whole = shape(evaluateCorrelation(correlation, hits, { now: at }));
        const fired: string[] = [];
        let rest: CorrelationHit[] = [];
        for (let from = 0, i = 0; from < hits.length; i++) {
          const fresh = hits.slice(from, from + sizes[i % sizes.length]!);
          from += fresh.length;
          const judged = evaluateWindows(correlation, [...rest, ...fresh], fresh.at(-1)!.at);
          fired.push(...shape(judged.firings));
          rest = judged.rest;
        }
        expect(fired).toEqual(whole);
      }),
      { numRuns: 300 },
    );
  });

  test('stores no repeats of known values', () => {
    const hits = Array.from(
      { length: 5_000 },
      (_, i): CorrelationHit => ({ ruleId: 'a', value: '1', at: i, groupKey: 'g', ref: String(i) }),
    );
    const { rest } = evaluateWindows(correlation, hits, 5_000);
    if (correlation.conditions.every(({ operator }) => operator.startsWith('g'))) expect(rest.length).toBeLessThanOrEqual(20);
    // Windows judged as a whole need all hits until they have ended.
    else expect(evaluateWindows(correlation, hits, 100_000).rest).toEqual([]);
  });
});
