/**
 * Tests that a rule carries under the key `tests`: events that it must or must not match. A test of a correlation has several events, in order:
 *
 *   tests:
 *     - name: Failed logon of root
 *       matches: true
 *       event: { message: "Failed password for root from 203.0.113.9 port 4022 ssh2" }
 */
import type { Correlation, Loaded, SigmaRule } from './ast.ts';
import { eventTime } from './correlate.ts';
import { compileRules } from './matcher.ts';
import type { Document } from './source.ts';
import { correlationStream } from './stream.ts';

export interface RuleTest {
  name: string;
  matches: boolean;
  events: Document[];
}

export interface RuleTestFailure {
  file: string;
  line: number;
  title: string;
  text: string;
}

export interface RuleTestReport {
  failures: RuleTestFailure[];
  /** Tests that ran. */
  tests: number;
  /** Rules and correlations with at least one test. */
  tested: number;
  untested: (SigmaRule | Correlation)[];
}

/** Of a rule: its text may be by a stranger. */
const [maxTests, maxEvents] = [100, 1_000];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** @throws Error naming the test that is not written as described above. */
export function testsOf({ custom }: Pick<SigmaRule, 'custom'>): RuleTest[] {
  if (custom.tests === undefined) return [];
  if (!Array.isArray(custom.tests)) throw new Error('“tests” must be a list.');
  if (custom.tests.length > maxTests) throw new Error(`A rule has at most ${maxTests} tests.`);
  const tests = custom.tests.map((test: unknown, index): RuleTest => {
    const name = isRecord(test) && typeof test.name === 'string' ? test.name : `Test ${index + 1}`;
    if (!isRecord(test) || typeof test.matches !== 'boolean') throw new Error(`“${name}” must have “matches”, true or false.`);
    const events = test.events ?? [test.event];
    if (!Array.isArray(events) || events.length === 0 || !events.every(isRecord))
      throw new Error(`“${name}” must have an “event”, or a list “events”.`);
    return { name, matches: test.matches, events };
  });
  if (tests.reduce((sum, { events }) => sum + events.length, 0) > maxEvents)
    throw new Error(`The tests of a rule have at most ${maxEvents} events.`);
  return tests;
}

/** Runs the tests of all rules and correlations. An event must be of the rule’s log source, as in a stream. */
export function runTests(loaded: Loaded): RuleTestReport {
  const report: RuleTestReport = { failures: [], tests: 0, tested: 0, untested: [] };
  const matcher = compileRules(loaded.rules);
  const firesIn = (correlation: Correlation, events: readonly Document[]): boolean => {
    const stream = correlationStream(loaded.correlations);
    const fired = events.flatMap((event, index) =>
      stream.add(matcher.match(event), event, eventTime(event) ?? index * 1_000, String(index)),
    );
    return [...fired, ...stream.end()].some((each) => each.correlation === correlation);
  };
  const run = (rule: SigmaRule | Correlation, matchesIn: (test: RuleTest) => boolean) => {
    const fail = (text: string) => report.failures.push({ file: rule.file, line: rule.line, title: rule.title, text });
    try {
      const tests = testsOf(rule);
      if (tests.length > 0) report.tested++;
      else report.untested.push(rule);
      report.tests += tests.length;
      for (const test of tests)
        if (matchesIn(test) !== test.matches)
          fail(`“${test.name}” fails: ${test.matches ? 'expected a match, found none' : 'expected no match, found one'}.`);
    } catch (error) {
      fail((error as Error).message);
    }
  };
  for (const rule of loaded.rules)
    if (!rule.id.endsWith(':base')) run(rule, ({ events }) => events.some((event) => matcher.match(event).includes(rule)));
  for (const correlation of loaded.correlations) run(correlation, ({ events }) => firesIn(correlation, events));
  return report;
}
