/** Whole questions with several conditions, by classes of errors in labelled questions of people; and those that need a clarification because another query is likelier. */
import { describe, expect, test } from 'vitest';
import { ask, outcome, queryLine, read } from '../../../../test/parse.samples.ts';

const reads = (questions: readonly [string, string][]) =>
  test.each(questions)('reads "%s"', (question, expected) => expect(outcome(read(question))).toBe(expected));

describe('absent records', () => {
  reads([
    ["isolated devices that don't have an open case", 'device list [isIsolated & !some case{isOpen}]'],
    ['isolated endpoints wich dont have any open case', 'device list [isIsolated & !some case{isOpen}]'],
    ['clients that do not have open cases', 'client list [!some case{isOpen}]'],
    ["clients that didn't have a critical alert last week", 'client list [!some alert{severity=critical@last week}]'],
    ["which of our servers don't have the agent", 'device list [type=server & -hasAgent]'],
    ["clients which don't have more than 5 open cases", 'client list [some case{isOpen#<=5}]'],
    ["clients that don't have overdue cases", 'client list [!some case{isBreached}]'],
    ["clients that don't have one open case", 'client list [!some case{isOpen}]'],
  ]);
});

describe('a flag of related records', () => {
  reads([
    ['critical hits no case yesterday', 'alert list [severity=critical & !some case{}] @yesterday'],
    ['alerts with no case in the last 24 hours', 'alert list [-hasCase] @the last 24 hours'],
    ['clients with no alerts yesterday', 'client list [!some alert{@yesterday}]'],
  ]);
});

describe('a share', () => {
  reads([
    ['% of closed high+ cases reviewed', 'case share(isReviewed) [-isOpen & severity>=high]'],
    ['share of critical cases closed automatically', 'case share(isClosedAutomatically) [severity=critical]'],
    [
      'what proportion of our high or worse detections last month came outside working hours',
      'alert share(-isWorkingHours) [severity>=high] @last month',
    ],
    [
      'what share of critical incidents last month was acknowledged in 15 minutes or less',
      'case share(timeToAcknowledge<=15) [severity=critical] @last month',
    ],
  ]);
});

describe('times of cases', () => {
  reads([
    ['cases not acknowledged in 1 hour', 'case list [-isAcknowledged & age>60]'],
    ["cases that haven't been acknowledged in 2 hours", 'case list [-isAcknowledged & age>120]'],
    ['how many open cases have less than an hour to go', 'case count [isOpen & dueIn<60]'],
    ['which open tickets got their last alert today', 'case list [isOpen & lastAlertTime@today]'],
    ['cases whose last alert was yesterday', 'case list [lastAlertTime@yesterday]'],
    ['high+ closed as accepted risk last month', 'case list [severity>=high & resolution=acceptedRisk & closedTime@last month]'],
  ]);
});

const offered = (question: string): string[] => {
  const { queries, nearest, clarify } = ask(question);
  expect(queries, question).toEqual([]);
  return (nearest ?? clarify?.queries ?? []).map((each) => each.map(queryLine).join('; '));
};

describe('a question of several conditions in other words', () => {
  test.each([
    ['hoo many alerts fae a weekend are still sittin unseen', 'alert list [isWeekend & status=new]'],
    ['folded alarms with over 100 hits to them', 'alert list [fireCount>100 & disposition=folded]'],
    ['which suppressions never hid anything', 'suppression list [hidden<=0]'],
    ['avg match count per rule, 7d', 'alert mean(fireCount) @the last 7 days by rule'],
    [
      'out of what we closed for birch yesterday, what proportion turned out a false positive',
      'case share(resolution=falsePositive) [closedTime@yesterday & client=Birch]',
    ],
  ])('is offered with all of them: "%s"', (question, expected) => expect(offered(question)).toContain(expected));
});

describe('an offer', () => {
  test.each([
    ['gnarly cases closed last week, excluding Priya', /(?<!!)closedBy=Priya/],
    ['juiciest cases except by Priya last week', /(?<!!)closedBy=Priya/],
    ['gnarly alerts in the last 3 days on CED-DC-01', /mkowalski/],
    ['gnarly alerts at Alder or Birch last week', /jhearst/],
  ])('of "%s" has no opposite and no name of others', (question, wrong) =>
    expect(offered(question).filter((offer) => wrong.test(offer))).toEqual([]),
  );

  test('keeps a number in words that is compared', () =>
    expect(offered('gnarly alerts on devices with two or more cases').filter((offer) => !offer.includes('2'))).toEqual([]));
});

describe('a reading that no likely query is', () => {
  test.each([
    ['which status has the most critical cases', 'case list [severity=critical] order -status show status'],
    ['how many powershell rules at birch last week', 'rule count [text~powershell & some alert{client=Birch@last week}]'],
  ])('is asked back, as the first button: "%s"', (question, expected) => {
    expect(ask(question).queries).toEqual([]);
    expect(offered(question)[0]).toBe(expected);
    expect(offered(question).length).toBeGreaterThan(1);
  });

  test.each([
    ['what share of users is without alert', 'user share(!some alert{})'],
    ['how many alerts yesterday not high', 'alert count [!severity=high] @yesterday'],
    ['cases that are escalated, waiting or malicious', 'case list [((status=escalated | isWaiting) | verdict=Malicious)]'],
    ['alerts from monday to wednesday last week', 'alert list @16 November 2026 to 18 November 2026'],
  ])('is the first button where the grammar alone composes it: "%s"', (question, expected) =>
    expect(
      outcome(ask(question))
        .replace(/^clarify /, '')
        .split('; ')[0],
    ).toBe(expected),
  );
});

describe('a question whose words mean another query, mostly', () => {
  test.each([
    ['how many cases did we close in October, leaving aside false positives, benign ones and duplicates', 'resolution=duplicate'],
  ])('is asked back: "%s"', (question) => expect(offered(question).length).toBeGreaterThan(1));

  test.each([
    'alerts by severity and cases by status',
    'how many alerts last week and how many open cases',
    'share of alerts from birch',
    'all alerts but low ones',
    'alert count oct vs sep',
    'cases not acknowledged in 1 hour',
  ])('is none where the grammar alone decides: "%s"', (question) => expect(read(question).queries.length).toBeGreaterThan(0));

  test('gives an answer where it continues the question before', () => {
    const { queries } = ask('cases assigned to tom');
    expect(ask('and nadia', queries).queries).toHaveLength(1);
  });
});
