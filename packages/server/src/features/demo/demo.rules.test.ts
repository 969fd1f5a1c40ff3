import { ruleStates } from '@parapet/contract/detectionRules.ts';
import { compileRules, ruleChecker } from '@parapet/sigma/matcher.ts';
import { loadRules } from '@parapet/sigma/rules.ts';
import { history } from '@parapet/world/history.ts';
import { expect, test } from 'vitest';
import { filterFault } from '../../pipeline/rule-check.ts';
import { demoRules } from './demo.rules.ts';

const loaded = loadRules(demoRules.map(({ id, yaml }) => ({ file: `${id}.yml`, text: yaml })));

test('loads each rule of the demo under its ID, with one in each state', () => {
  expect(loaded.faults).toEqual([]);
  expect(loaded.rules.map(({ id }) => id)).toEqual(demoRules.map(({ id }) => id));
  expect(new Set(demoRules.map(({ states }) => states.at(-1)?.[0] ?? 'draft'))).toEqual(new Set(ruleStates));
});

test('meets the tests of its rules and fits the exception to its rule', () => {
  const matches = ruleChecker();
  for (const [index, { tests }] of demoRules.entries())
    for (const { name, isMatch, event } of tests)
      expect([name, matches(loaded.rules[index]!, event as never)]).toEqual([name, isMatch]);
  expect(filterFault(demoRules[0].exception, loaded.rules[0]!)).toBeUndefined();
});

test('matches no event of the demo’s year with its rules', () => {
  const matcher = compileRules(loaded.rules);
  let events = 0;
  for (const { documents } of history({ seed: '1', now: Date.UTC(2026, 10, 1), months: 3, scale: 0.2 }))
    for (const { _id, _index, ...document } of documents) {
      events++;
      expect(matcher.match(document as never)).toEqual([]);
    }
  expect(events).toBeGreaterThan(1_000);
});
