/** Follow-ups about records of the answer before: "that host", "it", "they". */
import { describe, expect, test } from 'vitest';
import { ask, outcome, queryLine, read, rowsOf } from '../../../../test/parse.samples.ts';

const after = (first: string, next: string) => {
  const { queries } = read(first);
  return outcome(ask(next, queries, true, rowsOf(queries)));
};

describe('records of the answer before', () => {
  test.each([
    ['which device had the most alerts last week', 'is that host isolated', 'device list [name=CED-DC-01 & isIsolated]'],
    ['which device had the most alerts last week', 'what alerts does that machine have', 'alert list [device=CED-DC-01]'],
    ['the riskiest device', 'does it have open vulnerabilities', 'vulnerability list [device=CED-DC-01 & state=open]'],
    [
      'which user triggered the most alerts this month',
      'what did that user do yesterday',
      'event list [user=jhearst] @yesterday',
    ],
    ['which user triggered the most alerts this month', 'alerts of that user last week', 'alert list [user=jhearst] @last week'],
    ['the oldest open case', 'who is it assigned to', 'case list [number=412] show analyst'],
    ['the oldest open case', 'how many alerts does that case have', 'alert count [case=412]'],
    ['top 3 devices by risk', 'how many open cases do they have', 'case count [isOpen & device=CED-DC-01|CED-WS-007|ALD-SQL-01]'],
    ['alerts on CED-DC-01 last week', 'is that host isolated', 'device list [name=CED-DC-01 & isIsolated]'],
    ['alerts on CED-DC-01 last week', 'any vulnerabilities on it', 'vulnerability exists [device=CED-DC-01]'],
    ['how many critical vulns does CED-DC-01 have', 'when was it last scanned', 'device list [name=CED-DC-01] show lastScanAt'],
    ['is CED-DC-01 isolated', 'any alerts on that box today', 'alert exists [device=CED-DC-01] @today'],
  ])('names them after "%s": "%s"', (first, next, expected) => expect(after(first, next)).toBe(expected));

  test.each([
    ['open cases at birch', 'how many of those are critical', 'case count [isOpen & client=Birch & severity=critical]'],
    ['alerts on CED-DC-01 last week', 'split it by severity', 'alert count [device=CED-DC-01] @last week by severity'],
    [
      'how many alerts on CED-DC-01 yesterday',
      'is it more than the day before',
      expect.stringMatching(/^alert count .* against /),
    ],
    ['silent servers at alder', 'do those have open cases', expect.stringMatching(/^device list \[state=silent .* some case/)],
  ])('leaves lists and figures as they are after "%s": "%s"', (first, next, expected) =>
    expect(after(first, next)).toEqual(expected),
  );
});

test('does not answer where the record is not known', () => {
  const { queries } = read('which device had the most alerts last week');
  const { queries: none, left, nearest } = ask('is that host isolated', queries, true);
  expect([none, left]).toEqual([[], ['that host']]);
  expect(nearest?.map((each) => each.map(queryLine))).toEqual([['device list [isIsolated]']]);
});
