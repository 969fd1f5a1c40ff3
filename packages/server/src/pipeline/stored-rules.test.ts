import { expect, test } from 'vitest';
import { createStoredRules } from './stored-rules.ts';

const text = (id: string, word: string) =>
  `title: ${id}\nid: ${id}\nname: ${id}\nlogsource: { product: linux }\ndetection: { selection: { message|contains: ${word} }, condition: selection }\nlevel: low\n`;
const version = (key: string, word: string, organisationId = 1) => ({
  organisationId,
  key,
  version: 1,
  yaml: text(key, word),
  revision: word,
  isShadow: false,
});
const none = { rules: [], correlations: [] };
const idsOf = (matches: readonly { id: string }[] | undefined) => (matches ?? []).map(({ id }) => id).sort();
const event = (message: string) => ({ message, event: { dataset: 'system.syslog' }, host: { os: { type: 'linux' } } });

test('reads a text once, and forgets it when its version ends', async () => {
  const stored = createStoredRules();
  const [a, b] = [version('a', 'alpha'), version('b', 'beta')];
  const first = stored.load([a, b], none).rules;
  expect(stored.load([a, b], none).rules).toEqual(first);
  expect(stored.load([b, a], none).rules.map((rule) => first.indexOf(rule))).toEqual([1, 0]);
  await stored.settle([b], [first[1]!], []);
  const again = stored.load([a, b], none).rules;
  expect([again[0] === first[0], again[1] === first[1]]).toEqual([false, true]);
});

test('matches as freshly compiled rules, regardless of earlier states', async () => {
  const stored = createStoredRules();
  const versions = Array.from({ length: 100 }, (_, i) => version(`r${i}`, `word${i}x`));
  const rules = stored.load(versions, none).rules;
  await stored.settle(versions, rules, []);
  const whole = stored.compile(rules, 'live');
  expect(idsOf(whole?.match(event('word7x and word8x')))).toEqual(['r7', 'r8']);
  const changed = [...versions.filter(({ key }) => key !== 'r7'), version('new', 'word8x')];
  const next = stored.compile(stored.load(changed, none).rules, 'live');
  expect(idsOf(next?.match(event('word7x and word8x')))).toEqual(['new', 'r8']);
  // A state that another one follows still matches as before.
  expect(idsOf(whole?.match(event('word7x and word8x')))).toEqual(['r7', 'r8']);
  expect(stored.compile([], 'live')).toBeUndefined();
});

test('hides a rule that a correlation counts in the state of that correlation only', () => {
  const stored = createStoredRules();
  const [rule] = stored.load([version('a', 'alpha')], none).rules;
  const counting = {
    ...version('c', 'gamma'),
    yaml: 'title: c\nid: c\ncorrelation: { type: event_count, rules: [a], group-by: [host.name], timespan: 5m, condition: { gte: 2 } }\nlevel: low\n',
  };
  const counted = stored.load([version('a', 'alpha'), counting], none);
  expect(counted.correlations.map(({ rules }) => rules)).toEqual([['a']]);
  expect([rule!.standalone, counted.rules[0]!.standalone]).toEqual([true, false]);
  // The same object in later states, so that it stays compiled.
  expect(stored.load([version('a', 'alpha'), counting], none).rules[0]).toBe(counted.rules[0]);
  expect(stored.load([version('a', 'alpha')], none).rules[0]!.standalone).toBe(true);
});
