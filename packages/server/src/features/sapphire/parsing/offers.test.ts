/** Questions offered in place of those that were not understood. */
import type { Query } from '@parapet/contract/rules/query.ts';
import { describe, expect, test } from 'vitest';
import { queryLine, read } from '../../../../test/parse.samples.ts';
import { schemas } from '../../../domain/query/schemas.ts';
import { createLexicon } from './lexicon.ts';
import { isFrequent, likeness } from './likeness.ts';
import { maxOffers } from './offers.ts';

const offered = (question: string, previous: readonly Query[] = []): string[] => {
  const { nearest, clarify, queries } = read(question, previous);
  expect(queries, question).toEqual([]);
  const offers = (nearest ?? clarify?.queries ?? []).map((each) => each.map(queryLine).join('; '));
  expect(offers.length, question).toBeLessThanOrEqual(maxOffers);
  expect(new Set(offers).size, question).toBe(offers.length);
  return offers;
};

describe('likeness', () => {
  test('orders words by meaning', () => {
    expect(likeness('customers', 'customer')).toBe(1);
    expect(likeness('gadget', 'device')).toBeGreaterThan(likeness('gadget', 'severity'));
    expect(likeness('solved', 'resolved')).toBeGreaterThan(0.5);
    expect(likeness('grumbly', 'device')).toBe(0);
  });

  test('covers the words of the lexicon with vectors', () => {
    const stems = [...createLexicon(schemas).stems].filter((stem) => /^[a-z]{3,20}$/.test(stem));
    // Words that are added to the lexicon are read without; many of them ask for `npm run vectors`.
    expect(stems.filter((stem) => !isFrequent(stem)).length / stems.length).toBeLessThan(0.1);
  });
});

describe('a question with an unknown word', () => {
  test.each([
    ['how many folks havent set up two factor', 'account count [-mfaIsSet]'],
    ['flaws with a public exploit', 'vulnerability list [isKnownExploited]'],
    ['kicked out users', 'user list [isBlocked]'],
    ['cases handed to me since monday', 'case list [isMine] @since 23 November 2026'],
    ['requests i have to sign off', 'response list [state=requested]'],
    ['urgent items', 'case list [severity=high|critical]'],
  ])('is offered among others: "%s"', (question, expected) => expect(offered(question)).toContain(expected));

  test.each([
    ['crital cases opend today', 'case list [severity=critical] @today'],
    ['malware alerts last weak', 'alert list [category=Malware] @last week'],
  ])('is offered with the word corrected: "%s"', (question, expected) => expect(offered(question)).toContain(expected));

  test('leads to an offer without the word', () =>
    expect(offered('unhappy clients with more than 10 open cases')).toContain('client list [some case{isOpen#>10}]'));

  test('continues the question before', () => {
    const { queries } = read('vulnerabilities at cedar');
    expect(offered('grotty ones with a public exploit', queries)).toContain(
      'vulnerability list [client=Cedar & isKnownExploited]',
    );
  });
});

describe('a usual question', () => {
  test.each([
    ['which firm gives us the most grief', 'case count by client order -count'],
    ['lifespan of a hole until someone fixes it', 'vulnerability median(timeToFix)'],
    ['attack techniques we cant see', 'technique list [coverage=none]'],
    ['customers on the cheapest plan', 'client count by subscriptionLevel'],
    ['rules that barked over 100 times last week', 'rule list [some alert{@last week#>100}]'],
    ['logs we couldnt swallow', 'rejected list'],
    ['did you guys ever cut off one of our computers from the network', 'device list [isIsolated]'],
    ['machines gone astray at cedar', 'device list [state=silent & client=Cedar]'],
  ])('is offered among others: "%s"', (question, expected) => expect(offered(question)).toContain(expected));

  test('offers the same records at most twice', () => {
    const kinds = offered('grumbly stuff about cases').map((line) => line.replace(/ by .*/, ''));
    for (const kind of kinds) expect(kinds.filter((each) => each === kind).length).toBeLessThanOrEqual(2);
  });
});

test('offers how the one client is that is named', () =>
  expect(offered('is birch in good shape')).toContainEqual(
    expect.stringMatching(/^alert count \[client=Birch\].*; risk list \[client=Birch\]$/),
  ));

describe('an offer keeps', () => {
  const all = (question: string) => offered(question).join('\n');

  test.each([
    ['a name and a time', 'dodgy logons at birch last week', /^(?=.*(?:client=Birch|state of))(?=.*last week)/],
    ['an exclusion', 'gruesome alerts last week except at birch', /!client=Birch/],
    ['a number', 'gruesome alerts on devices with more than 5 findings', /5/],
    ['a weekday', 'gruesome alerts on mondays', /weekday=1/],
    ['a comparison', 'clients with over 5 gruesome cases', />5/],
    ['a superlative', 'which client had the most gruesome stuff', /order -/],
  ])('%s', (_, question, pattern) => {
    for (const offer of offered(question)) expect(offer, question).toMatch(pattern);
  });

  test('each part of several by merging none', () => {
    for (const offer of offered('how many silent collectors, how many arent, and is CED-DC-01 one of the gruesome ones'))
      expect(offer).not.toContain('!device=CED-DC-01');
  });

  test.each(['unlike birch', 'hardly critical'])('a word that excludes by having none: %s', (words) =>
    expect(all(`alerts last week ${words}`)).toBe(''),
  );

  test.each([
    ['non critical gripes that blew the deadline last week', /(?<!!)severity=critical/],
    ['gripes not closed by automation yesterday', /(?<!-)isClosedAutomatically/],
  ])('a denied value by not offering its opposite: %s', (question, opposite) => expect(all(question)).not.toMatch(opposite));

  test('a negation that no element of a query holds by having none', () =>
    expect(all('alerts last week without grumbly')).toBe(''));
});

describe('words that stand apart in the title of a rule', () => {
  test('give no query', () => expect(read('cryptic mining thing').queries).toEqual([]));
  test('name no rule if the lexicon has them', () =>
    expect(read('accounts locked at birch').queries.map(queryLine).join()).not.toContain('rule='));
});

test.each(['oldest finding that could be repaired', 'cases that should be closed'])(
  'asks back whether it is so: %s',
  (question) => expect(read(question).queries).toEqual([]),
);

test('asks back who did what no user of events does', () => expect(read('who muted the most alerts').queries).toEqual([]));

test('asks back for a ratio of two figures', () =>
  expect(read('ratio of false positives to benign cases at cedar').queries).toEqual([]));
