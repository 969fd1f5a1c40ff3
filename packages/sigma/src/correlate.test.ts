import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { Correlation } from './ast.ts';
import { type CorrelationHit, countedValue, evaluateCorrelation, eventTime, groupKeyOf } from './correlate.ts';
import { compileRules } from './matcher.ts';
import { loadRules } from './rules.ts';
import { correlationStream } from './stream.ts';

vi.setConfig({ testTimeout: 60_000 });

const rulesText = ['a', 'b', 'c']
  .map((id) => `title: ${id}\nid: ${id}\nname: n${id}\ndetection: {s: {kind: ${id}}, condition: s}`)
  .join('\n---\n');

function correlationOf(body: Record<string, unknown>, more: Record<string, unknown>[] = []) {
  const documents = [{ title: 'C', id: 'c1', name: 'first', correlation: { timespan: '10s', ...body } }, ...more].map((each) =>
    JSON.stringify(each),
  );
  const loaded = loadRules([{ file: 'c.yml', text: [rulesText, ...documents].join('\n---\n') }]);
  expect(loaded.faults).toEqual([]);
  return loaded;
}
const one = (body: Record<string, unknown>): Correlation => correlationOf(body).correlations[0]!;

const hit = (ruleId: string, seconds: number, groupKey = 'g', value?: string): CorrelationHit => ({
  ruleId,
  at: seconds * 1000,
  groupKey,
  value,
  ref: `${ruleId}${seconds}${value ?? ''}`,
});
const fired = (correlation: Correlation, hits: CorrelationHit[], now?: number) =>
  evaluateCorrelation(correlation, hits, { now }).map((firing) => firing.hits.map(({ ref }) => ref).join(' '));

describe('event_count', () => {
  const atLeast3 = one({ type: 'event_count', rules: ['a'], 'group-by': ['u'], condition: { gte: 3 } });
  test('counts within a sliding window that includes its ends, by event time', () => {
    expect(fired(atLeast3, [hit('a', 0), hit('a', 5), hit('a', 10)])).toEqual(['a0 a5 a10']);
    expect(fired(atLeast3, [hit('a', 0), hit('a', 5), hit('a', 10.001)])).toEqual([]);
    expect(fired(atLeast3, [hit('a', 9), hit('a', -3), hit('a', 20), hit('a', 8), hit('a', 12)])).toEqual(['a8 a9 a12']);
  });
  test('separates groups and ignores other rules', () => {
    expect(fired(atLeast3, [hit('a', 0), hit('a', 1, 'h'), hit('a', 2), hit('b', 3)])).toEqual([]);
  });
  test('consumes the hits of a match', () => {
    expect(
      fired(
        atLeast3,
        [0, 1, 2, 3, 4, 5, 6].map((at) => hit('a', at)),
      ),
    ).toEqual(['a0 a1 a2', 'a3 a4 a5']);
  });
  test('judges only complete windows for upper bounds', () => {
    const fewer = one({ type: 'event_count', rules: ['a'], condition: { lt: 3 } });
    const hits = [hit('a', 0), hit('a', 1), hit('a', 2), hit('a', 20)];
    expect(fired(fewer, hits)).toEqual(['a20']);
    expect(fired(fewer, hits, 25_000)).toEqual([]);
    const range = one({ type: 'event_count', rules: ['a'], condition: { gt: 1, lte: 2 } });
    expect(fired(range, [...hits, hit('a', 21)])).toEqual(['a20 a21']);
    expect(fired(one({ type: 'event_count', rules: ['a'], condition: { eq: 3 } }), hits)).toEqual(['a0 a1 a2']);
    expect(fired(one({ type: 'event_count', rules: ['a'], condition: { neq: 3 } }), hits)).toEqual(['a20']);
  });
});

test('counts distinct values for value_count', () => {
  const correlation = one({ type: 'value_count', rules: ['a'], condition: { field: 'user', gte: 2 } });
  expect(fired(correlation, [hit('a', 0, 'g', 'x'), hit('a', 1, 'g', 'x'), hit('a', 2), hit('a', 3, 'g', 'y')])).toEqual([
    'a0x a1x a3y',
  ]);
  expect(fired(correlation, [hit('a', 0, 'g', 'x'), hit('a', 11, 'g', 'y')])).toEqual([]);
});

describe('temporal', () => {
  test('matches all rules in any order', () => {
    const correlation = one({ type: 'temporal', rules: ['a', 'b'] });
    expect(fired(correlation, [hit('b', 0), hit('b', 1), hit('a', 5)])).toEqual(['b0 b1 a5']);
    expect(fired(correlation, [hit('b', 0), hit('a', 11)])).toEqual([]);
  });
  test('matches a subset of the rules by condition', () => {
    expect(fired(one({ type: 'temporal', rules: ['a', 'b', 'c'], condition: { gte: 2 } }), [hit('c', 0), hit('a', 5)])).toEqual([
      'c0 a5',
    ]);
  });
  test('matches rules in order', () => {
    const correlation = one({ type: 'temporal_ordered', rules: ['a', 'b', 'c'] });
    expect(fired(correlation, [hit('a', 0), hit('b', 1), hit('c', 2)])).toEqual(['a0 b1 c2']);
    expect(fired(correlation, [hit('b', 0), hit('a', 1), hit('c', 2)])).toEqual([]);
    expect(fired(correlation, [hit('a', 0), hit('a', 8), hit('b', 9), hit('c', 15)])).toEqual(['a8 b9 c15']);
    expect(fired(correlation, [hit('c', 5), hit('b', 5), hit('a', 5)])).toEqual(['a5 b5 c5']);
  });
});

test('resolves group-by and counted values by alias and mapping, and excludes hits without them', () => {
  const correlation = one({
    type: 'value_count',
    rules: ['na', 'nb'],
    'group-by': ['who', 'Image'],
    aliases: { who: { na: 'source.ip', nb: 'destination.ip' } },
    condition: { field: 'User', gte: 2 },
  });
  const document = { source: { ip: '1.1.1.1' }, destination: { ip: '2.2.2.2' }, process: { executable: 'x' }, User: 'Bob' };
  expect(groupKeyOf(correlation, { id: 'a' }, document)).toBe('["1.1.1.1","x"]');
  expect(groupKeyOf(correlation, { id: 'b' }, document)).toBe('["2.2.2.2","x"]');
  expect(groupKeyOf(correlation, { id: 'a' }, { ...document, process: {} })).toBeUndefined();
  expect(countedValue(correlation, { id: 'a' }, document)).toBe('bob');
});

test.each([
  [{ '@timestamp': '2024-01-01T00:00:00.5Z' }, 1704067200500],
  [{ Event: { System: { TimeCreated: { '#attributes': { SystemTime: '2024-01-01T00:00:00.1234567Z' } } } } }, 1704067200123],
  [{ UtcTime: '2024-01-01 00:00:01.000' }, 1704067201000],
  [{ EventTime: '2024-01-01T01:00:00+01:00' }, 1704067200000],
  [{ ts: 1704067200.5 }, 1704067200500],
  [{ x: 1 }, undefined],
])('the time of %j', (document, expected) => {
  expect(eventTime(document)).toBe(expected);
});

describe('correlation stream', () => {
  const run = (loaded: ReturnType<typeof correlationOf>, events: [kind: string, seconds: number][]) => {
    const matcher = compileRules(loaded.rules);
    const stream = correlationStream(loaded.correlations);
    const found: string[] = [];
    const note = (fired: ReturnType<typeof stream.add>) => {
      for (const { correlation, firing } of fired) found.push(`${correlation.id}@${firing.hits.at(-1)!.ref}`);
    };
    events.forEach(([kind, seconds], index) => {
      const document = { kind, u: 'x' };
      note(stream.add(matcher.match(document), document, seconds * 1000, String(index)));
    });
    note(stream.end());
    return found;
  };

  test('matches correlations of correlations', () => {
    const loaded = correlationOf({ type: 'event_count', rules: ['a'], 'group-by': ['u'], condition: { gte: 2 } }, [
      {
        title: 'D',
        id: 'd1',
        correlation: { type: 'temporal_ordered', rules: ['first', 'b'], 'group-by': ['u'], timespan: '1m' },
      },
    ]);
    expect(
      run(loaded, [
        ['a', 0],
        ['a', 1],
        ['b', 30],
      ]),
    ).toEqual(['c1@1', 'd1@2']);
    expect(loaded.correlations.map(({ standalone }) => standalone)).toEqual([false, true]);
  });

  test('judges open windows at the end, and complete ones as time advances', () => {
    const loaded = correlationOf({ type: 'event_count', rules: ['a'], 'group-by': ['u'], condition: { lte: 1 } });
    expect(
      run(loaded, [
        ['a', 0],
        ['b', 30],
        ['a', 40],
      ]),
    ).toEqual(['c1@0', 'c1@2']);
  });

  test('discards hits before a matched chain', () => {
    const loaded = correlationOf({ type: 'temporal_ordered', rules: ['a', 'b', 'c'] });
    const events = ['a', 'b', 'a', 'b', 'c', 'c'].map((kind, at): [string, number] => [kind, at]);
    expect(run(loaded, events)).toEqual(['c1@4']);
  });

  test('returns the same matches as the evaluation of all hits, for ordered hits', () => {
    const bodies = [
      { type: 'event_count', rules: ['a', 'b'], condition: { gte: 3 } },
      { type: 'temporal', rules: ['a', 'b'] },
      { type: 'temporal_ordered', rules: ['a', 'b', 'c'] },
      { type: 'event_count', rules: ['a'], condition: { lt: 3 } },
    ].map((body) => correlationOf(body));
    fc.assert(
      fc.property(
        fc.constantFrom(...bodies),
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(4)), { maxLength: 30 }),
        (loaded, steps) => {
          let seconds = 0;
          const events = steps.map(([kind, step]): [string, number] => {
            seconds += step;
            return [kind, seconds];
          });
          const correlation = loaded.correlations[0]!;
          const hits = events.map(([kind, at], index) => ({ ...hit(kind, at, '[]'), ref: String(index) }));
          const expected = evaluateCorrelation(correlation, hits).map((firing) => `c1@${firing.hits.at(-1)!.ref}`);
          // The evaluation orders hits of one instant by rule; a stream cannot look ahead.
          if (new Set(events.map(([, at]) => at)).size === events.length) expect(run(loaded, events)).toEqual(expected);
        },
      ),
      { numRuns: 500 },
    );
  });
});
