/** Compositions of the query language: records of both, persons counted and within a bound, means of a time that is not given. */
import type { Query } from '@parapet/contract/rules/query.ts';
import { describe, expect, test } from 'vitest';
import { ask, outcome, queryLine, read } from '../../../../test/parse.samples.ts';

describe('values after "both"', () => {
  test.each([
    ['which rules fired at both alder and birch', 'rule list [some alert{client=Alder} & some alert{client=Birch}]'],
    [
      'techniques seen at both alder and birch last month',
      'technique list [some alert{client=Alder@last month} & some alert{client=Birch@last month}]',
    ],
    ['devices tagged both dmz and pci', 'device list [tag=dmz & tag=pci]'],
    ['devices that had alerts both yesterday and today', 'device list [some alert{@yesterday} & some alert{@today}]'],
    ['rules common to alder and birch', 'rule list [some alert{client=Alder} & some alert{client=Birch}]'],
    [
      'how many cves does birch have in common with cedar',
      'vulnerability count distinct client [client=Birch|Cedar] by cve having >=2',
    ],
    ['which cves affect both alder and birch', 'vulnerability count distinct client [client=Alder|Birch] by cve having >=2'],
    [
      'how many cves are on both CED-DC-01 and CED-WS-007',
      'vulnerability count distinct device [device=CED-DC-01|CED-WS-007] by cve having >=2',
    ],
    // A record of one client is of either.
    ['open cases at both alder and birch', 'case list [isOpen & client=Alder|Birch]'],
    ['findings at both alder and birch', 'vulnerability list [client=Alder|Birch]'],
    ['alerts at alder and birch yesterday', 'alert list [client=Alder|Birch] @yesterday'],
    [
      'which devices have both critical findings and open cases',
      'device list [some vulnerability{severity=critical} & some case{isOpen}]',
    ],
  ])('reads "%s"', (question, expected) => expect(outcome(read(question))).toBe(expected));

  test('leaves a denial of another client for a CVE', () =>
    expect(read('which cves affect alder but not birch').left).toEqual(['not']));

  test('gives a denied client the time of the others', () =>
    expect(outcome(read('which rules fired at alder but not at birch last month'))).toBe(
      'rule list [some alert{client=Alder@last month} & !some alert{client=Birch@last month}]',
    ));
});

describe('persons of records', () => {
  test.each([
    ['how many different analysts closed cases last week', 'case count distinct closedBy [-isOpen & closedTime@last week]'],
    ['how many analysts worked on cases at birch last month', 'case count distinct analyst [client=Birch] @last month'],
    ['how many different people closed cases last month', 'case count distinct closedBy [-isOpen & closedTime@last month]'],
    ['who closed more than 3 cases yesterday', 'case count [closedTime@yesterday] by closedBy having >3'],
    ['analysts who closed at least 5 cases last week', 'case count [closedTime@last week] by closedBy having >=5'],
    ['which analysts have over 5 open cases', 'case count [isOpen] by analyst having >5'],
    ['which cases has priya worked on', 'case list [analyst=Priya Raman]'],
    ['how many analysts do we have', 'account count [role=Analyst]'],
  ])('reads "%s"', (question, expected) => expect(outcome(read(question))).toBe(expected));

  // Those without any are in no group, and a case has no reviewer.
  test.each(['who closed fewer than 3 cases yesterday', 'how many analysts reviewed cases last week'])(
    'does not answer "%s"',
    (question) => expect(ask(question).queries).toEqual([]),
  );

  test('leaves a verb that no person of a case has', () =>
    expect(read('which analysts reviewed cases last week').left).toEqual(['who']));

  test('reads the same verb for another person', () =>
    expect(read('how many cases did priya close yesterday and how many did tom').queries.map(queryLine)).toEqual([
      'case count [closedBy=Priya Raman & closedTime@yesterday]',
      'case count [closedTime@yesterday & closedBy=Tom Okafor]',
    ]));
});

test.each([
  ['mean alerts per day', 'alert count per day @the last 30 days'],
  ['average alerts per day at cedar last month', 'alert count per day [client=Cedar] @last month'],
  ['avg number of cases per week', 'case count per week @the last 30 days'],
  ['average number of cases per client last month', 'case count per client @last month'],
  ['mean number of alerts per device at birch', 'alert count per device [client=Birch]'],
])('bounds the mean "%s"', (question, expected) => expect(outcome(read(question))).toBe(expected));

test('leaves a noun that would narrow nothing', () =>
  expect(read('how many of our alerts are attacks').left).toEqual(['attacks']));

test.each(['do we have any open cases that need me', 'cases that need review'])('leaves the need in "%s"', (question) =>
  expect(read(question).left).toEqual(['need']),
);

test.each([
  'which client grew the most in alerts',
  'which rule increased the most',
  'which client has the most alerts per device',
])('does not answer "%s"', (question) => expect(ask(question).queries).toEqual([]));

test.each([
  ['avg time to close at birch vs cedar', 'case mean(timeToClose) [client=Birch|Cedar] by client'],
  ['how long do cases take on average at each client', 'case mean(timeToClose) by client'],
  ['give me everything on CVE-2024-3094', 'vulnerability list [cve~CVE-2024-3094]'],
])('answers "%s" at once', (question, expected) => expect(outcome(ask(question))).toBe(expected));

test.each<[string, string[], string]>([
  [
    'a time',
    ['rules that fired at both alder and birch', 'and last week'],
    'rule list [some alert{client=Alder@last week} & some alert{client=Birch@last week}]',
  ],
  [
    'a client and a time',
    ['top 5 rules last week', 'and for birch only', 'what about this week'],
    'rule list [some alert{client=Birch@the last seven days}] order -count limit 5',
  ],
  [
    'the month before',
    ['what was the most common technique last month', 'and the month before that'],
    'technique list [some alert{@September 2026}] order -count limit 1',
  ],
  ['a bound', ['rules that fired fewer than 3 times last month', 'and this month'], 'rule list [some alert{@this month#<3}]'],
  [
    'an order',
    ['list open cases at birch', 'sort by severity', 'only the first 3'],
    'case list [isOpen & client=Birch] order -severity limit 3',
  ],
])('keeps the rest of related records after %s', (_, questions, expected) => {
  const queries = questions.reduce<readonly Query[]>((before, question) => read(question, before).queries, []);
  expect(queries.map(queryLine)).toEqual([expected]);
});

test.each([
  ['cases that took more than 2 days to close last month', 'case list [timeToClose>2880 & closedTime@last month]'],
  ['sla breaches this month by analyst', 'case count [isBreached] @this month by analyst'],
  ['alerts with technique T1110', 'alert list [technique=T1110]'],
  ['which analyst has case 12', 'case list [number=12] show analyst'],
  ['first alert of case 1042', 'alert list [case=1042] order +createdTime limit 1'],
  [
    'what is the mean time to close compared to last month',
    'case mean(timeToClose) [closedTime@this month so far] against closedTime@last month',
  ],
  ['alerts compared to last week', 'alert count @this week so far against last week'],
  ['alerts per client compared to last month', 'alert count @this month so far by client against last month'],
  [
    'cases closed compared to last month',
    'case count [-isOpen & closedTime@this month so far] against -isOpen & closedTime@last month',
  ],
  ['cases with client birch', 'case list [client=Birch]'],
  ['most common severity of alerts last week', 'alert count @last week by severity order -count limit 1'],
  ['highest severity of alerts last week', 'alert list @last week order -severity'],
  ['which client has the highest share of critical alerts', 'alert share(severity=critical) by client order -value limit 1'],
  [
    'client with the lowest percentage of servers with agent',
    'device share(hasAgent) [type=server] by client order +value limit 1',
  ],
  ['alerts at alder compared to birch last month', 'alert count [client=Alder|Birch] @last month by client'],
  ['clients where nothing happened yesterday', 'client list [!some alert{@yesterday}]'],
  ['cases waiting on client reply', 'case list [isWaiting]'],
])('reads "%s"', (question, expected) => expect(outcome(read(question))).toBe(expected));

test.each([
  ['which devices alerted more than 20 times this week', 'device list [some alert{@the last seven days#>20}]'],
  ['which clients alerted yesterday', 'client list [some alert{@yesterday}]'],
  ["how many of harbor's clients use the agent", 'client count [partner=Harbor & some collector{}]'],
])('reads "%s"', (question, expected) => expect(outcome(read(question))).toBe(expected));

test.each([
  'clients with more than 10 servers',
  'need open cases for cedar sorted by age',
  'tactic breakdown but skip discovery',
])('answers "%s" though conditions can be added to it or left out', (question) =>
  expect(outcome(ask(question))).toBe(outcome(read(question))),
);
