/** Questions of people who talk about the portal rather than in its words, by the classes in which they were once not understood, or understood wrongly. */
import type { Query } from '@parapet/contract/rules/query.ts';
import { describe, expect, test } from 'vitest';
import { outcome, queryLine, read } from '../../../../test/parse.samples.ts';
import { asideOf } from './asides.ts';

const reads = (questions: readonly [string, unknown][]) =>
  test.each(questions)('reads "%s"', (question, expected) => expect(outcome(read(question))).toEqual(expected));

describe('a share of all, a bound of groups', () => {
  reads([
    ['percentage breakdown of alerts by severity this month', 'alert count in percent @this month by severity'],
    ["what share of last month's alerts is each severity", 'alert count in percent @last month by severity'],
    ['what percentage of alerts does each client make up', 'alert count in percent by client'],
    ['which days last month had more than 100 alerts', 'alert count @last month by day having >100'],
    ['days with more than 20 critical alerts', 'alert count [severity=critical] by day having >20'],
    ['techniques seen more than 10 times this month', 'technique list [some alert{@this month#>10}]'],
    ['rules that fired over 100 times last week', 'rule list [some alert{@last week#>100}]'],
  ]);

  test.each(['days with fewer than 5 alerts', 'hours with no alerts'])(
    'refuses "%s", of which some are in no group',
    (question) => expect(read(question).queries).toEqual([]),
  );
});

describe('states of a past time', () => {
  const then = (time: string) => `createdTime@until the end of ${time} & !closedTime@before ${time}`;
  reads([
    ['how many cases were open on 1 November', `case count [${then('1 November 2026')}]`],
    ['how many tickets were still open at the end of october', `case count [${then('31 October 2026')}]`],
    ["how big was birch's backlog at the end of last month", `case count [client=Birch & ${then('31 October 2026')}]`],
    ['cases that were open last week', `case list [${then('last week')}]`],
    ['how many cases that were opened last week are still open', 'case count [isOpen] @last week'],
    ['which problems have been open the longest', 'case list [isOpen] order +createdTime'],
  ]);
  test.each(['cases closed on weekends', 'what is the longest a critical case was open this year'])(
    'does not answer "%s"',
    (question) => expect(read(question).queries).toEqual([]),
  );
});

describe('times of closing', () => {
  reads([
    ['cases closed per month this year', 'case count [-isOpen & closedTime@this year so far] by month (closedTime)'],
    ['closed cases by weekday', 'case count [-isOpen] by weekday (closedTime)'],
    ['how many findings were fixed per week since september', expect.stringMatching(/by week \(fixedAt\)$/)],
    ['mean time to close by month this year', 'case mean(timeToClose) [closedTime@this year so far] by month (closedTime)'],
    ['cases opened per month this year', 'case count @this year so far by month'],
  ]);
});

describe('orders', () => {
  reads([
    ['list cedar devices alphabetically', 'device list [client=Cedar] order +name'],
    ['clients in alphabetical order', 'client list order +name'],
    ['rank our clients by risk score', 'client list order -riskScore'],
    ['clients from best to worst', 'client list order +riskScore'],
    ['critical hits by client, worst first', 'alert count [severity=critical] by client order -count'],
    [
      'average time to close, worst first, by client, last quarter',
      expect.stringMatching(/^case mean\(timeToClose\) .* order -value$/),
    ],
    ['which client has the oldest open case', 'case list [isOpen] order +createdTime limit 1'],
    ['top 5 loudest detections last month', 'rule list [some alert{@last month}] order -count limit 5'],
    ['which patches should birch do first', 'vulnerability list [client=Birch] order -priority'],
  ]);
});

describe('wrong answers of before', () => {
  reads([
    ['my cases that breach within the hour', 'case list [isMine & -isBreached & dueIn<60]'],
    ['how many alerts did the suppressions hide last week', 'alert count [disposition=suppressed] @last week'],
    ['which responses are waiting for my approval', 'response list [state=requested]'],
    ['clients with no alerts but have open cases', 'client list [!some alert{} & some case{isOpen}]'],
    ['i need only criticals. how many alerts today', 'alert count [severity=critical] @today'],
    ['every case in which a user was disabled', 'left case'],
  ]);
  test.each([
    'which client had the biggest increase in alerts since last month',
    'which rule had no alerts last month but did this month',
    'cases due today',
    'how many cases were not open on 1 november',
  ])('does not answer "%s"', (question) => expect(read(question).queries).toEqual([]));
});

describe('names and times that are compared', () => {
  reads([
    [
      'alder vs birch, alerts, this month against last',
      'alert count [client=Alder|Birch] @this month by client against last month',
    ],
    ['attacks against alder last week', 'alert list [client=Alder] @last week'],
    ['how much did alerts drop from september to october', 'alert count @October 2026 against September 2026'],
    [
      'false alarms in the last quarter compared to the one before',
      'case count [investigationStatus=5] @last quarter against the quarter before last',
    ],
  ]);
});

describe('everyday words', () => {
  reads([
    ['what came in since midnight', expect.stringMatching(/^alert list @.*; case list @/)],
    ['oldest thing sitting in the queue right now', 'case list [isOpen] order +createdTime limit 1'],
    ['which boxes have we cut off from the network and not let back on', 'device list [isIsolated]'],
    ['rules that have been silent for two months or so', 'rule list [!some alert{@the last 2 months}]'],
    ['suppressions about to run out', 'suppression list [endTime@the next 7 days]'],
    ['agents that havnt phoned home in 3+ days', 'collector list [state=silent & silentFor>4320]'],
    ['which clients haven’t answered us', 'client list [some case{isWaiting}]'],
    ['cases where we wait for the customer', 'case list [isWaiting]'],
    ['who has closed the most cases in october', 'case count [closedTime@October 2026] by closedBy order -count limit 1'],
    ['how many cases did each analyst close last week', 'case count [-isOpen & closedTime@last week] by closedBy'],
    ['cases priya closed as benign', 'case list [closedBy=Priya Raman & resolution=benign]'],
    ["who hasn't logged in for three months", 'account list [!lastSignInAt@the last 3 months]'],
    ['who at our place can log in to this thing', 'account list'],
    ['are all our laptops sending you their logs', 'device share(state=reporting) [type=workstation]'],
    [
      'how many users has birch, and how many are administrators',
      'account count [client=Birch]; account count [role=Administrator & client=Birch]',
    ],
    ['oldest job still on the books', 'case list [isOpen] order +createdTime limit 1'],
    ['how long does it usually take you people to sort something out', 'case mean(timeToClose)'],
    ['CVE-2024-3094 - who is affected', 'vulnerability list [cve~CVE-2024-3094]'],
    ['open cases of birch that are critcal', 'case list [isOpen & client=Birch & severity=critical]'],
  ]);

  test.each([
    ['will we be hacked this weekend', 'refused notKept'],
    ["who's on nights next tuesday", 'refused notKept'],
    ['which connectors are broken', 'refused notKept'],
    ['write me an exploit for CED-DC-01', 'refused notKept'],
    ['what api token does cedar use', 'refused forbidden'],
    ['grab case 7 for me', 'command grab case 7'],
    ['make me administrator', 'command make me administrator'],
    ['bin the suppression of cedar', 'command bin the suppression'],
  ])('does not answer "%s"', (question, expected) => expect(outcome(read(question))).toBe(expected));

  test('corrects no word of English to one of the lexicon', () => {
    expect(read('is birch properly hooked').left).toContain('hooked');
    expect(read('alerts by strangers').left).toContain('strangers');
  });
});

describe('the reason of a question', () => {
  test.each([
    ['i am a bit worried, how many criticals came in today', 'alert count [severity=critical] @today'],
    ['for my review with birch: cases in q3, split by verdict', 'case count [client=Birch] @Q3 2026 by verdict'],
    ['any client without alerts since monday? that usually means something is unplugged', expect.stringMatching(/^client /)],
  ])('is left out where it narrows nothing: "%s"', (question, expected) => expect(outcome(read(question))).toEqual(expected));

  test('needs a clarification where it has a time of its own, and stays where it names a client', () => {
    expect(outcome(read("we had an audit last week, can you tell me how many people don't have mfa"))).toMatch(
      /^clarify account count \[-mfaIsSet\]/,
    );
    expect(asideOf('I am calling about Birch, how many open cases are there', ['Birch'])).toBeUndefined();
    expect(asideOf('how many open cases', [])).toBeUndefined();
  });
});

describe('nothing that narrows is left out', () => {
  reads([
    ['I want to exclude benign ones, how many cases did we have last month', 'case count [!verdict=Benign] @last month'],
    ['I need all linux devices, how many are silent', 'clarify device count [state=silent]'],
    ["I'm covering last night, how many alerts were there", expect.stringMatching(/^clarify alert count/)],
    ["I'm covering the weekend, how many alerts were there", expect.stringMatching(/^clarify alert count/)],
    [
      "We're worried about phishing, how many alerts were there last week",
      expect.stringMatching(/^clarify alert count @last week/),
    ],
    ['I work for the dental group, how many alerts this month', expect.stringMatching(/^clarify alert count @this month/)],
    [
      'how many alerts did we have last month, that usually means phishing. only critical ones please',
      'alert count [severity=critical] @last month',
    ],
    ['cases of birch, which normally means phishing. not benign', 'case list [client=Birch & !verdict=Benign]'],
    ['alerts in the last couple of days', 'alert list @the last 2 days'],
  ]);
  test.each([
    'which devices were isolated last month without asking us',
    'how many responses were run without telling us',
    'how many alerts since the board meeting',
    'cases that will not breach within 3 hours',
  ])('refuses "%s"', (question) => expect(read(question).queries).toEqual([]));

  test('keeps the words around a rewritten one apart', () => {
    expect(outcome(read('who can log in without mfa'))).toBe('account list [-mfaIsSet]');
  });
});

test('offers a question without a noun of alerts and of cases', () => {
  const { queries, nearest = [] } = read('show me the worst ones from yesterday');
  expect(queries).toEqual([]);
  expect(nearest.slice(0, 2).map((each) => each.map(queryLine).join('; '))).toEqual([
    'alert list @yesterday order -severity',
    'case list @yesterday order -score',
  ]);
});

test('reads an exclusion before a question of its own without the question before', () => {
  const { queries } = read('how many cases were open on 1 November');
  expect(outcome(read('I want to exclude benign ones, how many cases did we have last month', queries))).toBe(
    'case count [!verdict=Benign] @last month',
  );
});

test('answers both parts of a question about those before', () => {
  const { queries } = read('critical alerts last week');
  expect(outcome(read('how many is that in total and how many are at birch', queries))).toBe(
    'alert count [severity=critical] @last week; alert count [severity=critical & client=Birch] @last week',
  );
});

test('continues groups with another division in the other order', () => {
  let previous: readonly Query[] = [];
  for (const [question, expected] of [
    ['busiest hour of the day for alerts', 'alert count by hour order -count limit 1'],
    ['and quietest weekday', 'alert count by weekday order +count limit 1'],
  ] as const) {
    const parsed = read(question, previous);
    expect(outcome(parsed)).toBe(expected);
    previous = parsed.queries;
  }
});

describe('a turn of everyday speech', () => {
  reads([
    [
      'known exploited vulns sitting unpatched for 30 days plus, per client',
      'vulnerability count [isKnownExploited & state=open & age>43200] by client',
    ],
    ['busiest weekday for alerts over the past 6 months', 'alert count @the last 6 months by weekday order -count limit 1'],
    ["who's noisier this week, Alder or Cedar?", 'alert count [client=Alder|Cedar] @the last seven days by client order -count'],
    ['who closed more cases, Priya or Tom', 'case count [closedBy=Priya Raman|Tom Okafor] by closedBy order -count'],
    [
      'what kind of stuff do we get hit with the most? leave out the low severity noise please',
      'alert count [!severity=low] by rule order -count limit 1',
    ],
    [
      "cases at cedar older than 5 days that aren't closed, oldest on top",
      'case list [client=Cedar & age>7200 & isOpen] order +createdTime',
    ],
    ['workload per analyst rn', 'case count [isOpen] by analyst'],
    ['cases nobody is working on', 'case list [-isAssigned & isOpen]'],
    ['emails you sent us about cases in the last 2 weeks', 'mail list [sentAt@the last 2 weeks & some case{}]'],
  ]);
});
