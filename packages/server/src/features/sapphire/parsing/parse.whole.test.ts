/** Questions of which a word was once dropped, or read as another. */
import type { Query } from '@parapet/contract/rules/query.ts';
import { describe, expect, test } from 'vitest';
import { outcome, read } from '../../../../test/parse.samples.ts';

describe('exclusion and denial', () => {
  test.each([
    ['everything but low alerts last week', 'alert list [!severity=low] @last week'],
    ['all alerts but low ones', 'alert list [!severity=low]'],
    ['critical alerts except on monday mornings', 'alert list [severity=critical & !(weekday=1 & hour=6|7|8|9|10|11)]'],
    ["alerts that are not from birch's servers", 'alert list [!(client=Birch & deviceType=server)]'],
    [
      'which client, ignoring alder and weekends, had the most alerts last month',
      'alert count [!client=Alder & !isWeekend] @last month by client order -count limit 1',
    ],
    [
      'is it true that birch had no critical alert this year',
      'alert exists [client=Birch & severity=critical] @this year so far',
    ],
    ['none of the servers are offline, correct?', 'device exists [type=server & state=silent]'],
    ['which clients had no critical alerts last week', 'client list [!some alert{severity=critical@last week}]'],
    ['cases not closed by system last week', 'case list [-isClosedAutomatically] @last week'],
    ['all clients but cedar: silent devices', 'device list [!client=Cedar & state=silent]'],
    ['which servers had no alerts last month', 'device list [type=server & !some alert{@last month}]'],
    ['devices at cedar without alerts today', 'device list [client=Cedar & !some alert{@today}]'],
    ['users with alerts today but not yesterday', 'user list [some alert{@today} & !some alert{@yesterday}]'],
    [
      'servers with open findings but no critical ones',
      'device list [type=server & some vulnerability{state=open} & !some vulnerability{state=open & severity=critical}]',
    ],
    ['alert without case from this week with severity high', 'alert list [-hasCase & severity=high] @the last seven days'],
  ])('reads "%s"', (question, expected) => expect(outcome(read(question))).toBe(expected));

  test.each([
    'only critical alerts that are low',
    'ratio of open to closed cases',
    'techniques not covered by any rule of birch',
    'responses requested by birch',
    'devices with agent version older than 2',
    'how many cases did i close this month',
    'clients with alerts today and yesterday',
    'the most alerted user per client',
  ])('refuses "%s"', (question) => expect(read(question).queries).toEqual([]));
});

describe('numbers and comparisons', () => {
  test.each([
    ['case with exactly one alert', 'case list [some alert{#=1}]'],
    ['average number of alerts per day last month', 'alert count per day @last month'],
    ['how many cases a week on average this year', 'case count per week @this year so far'],
    ['alerts/day at birch last month', 'alert count [client=Birch] @last month by day'],
    ['clients above the average risk score', 'client list [riskScore>average]'],
    ['which clients are above average for open cases', 'client list [some case{isOpen#>average}]'],
    ['cases acknowledged within 30 minutes', 'case list [timeToAcknowledge<=30]'],
    ['acknowledged in less than 1 hour', 'case list [isAcknowledged & timeToAcknowledge<60]'],
    ['what percent of cases got closed within a day', 'case share(-isOpen & timeToClose<=1440)'],
    [
      'alder versus birch and cedar combined, cases this month',
      'case count [client=Alder] @this month against client=Birch|Cedar',
    ],
    ['are all critical cases closed', 'case share(-isOpen) [severity=critical]'],
    ['every device at cedar is scanned?', 'device share(isScanned) [client=Cedar]'],
    ['clients by number of devices', 'client list order -deviceCount'],
    [
      'workstations with open critical findings, most first',
      'device list [type=workstation & some vulnerability{state=open & severity=critical}] order -count',
    ],
    [
      'cases closed this week that had been open more than 10 days',
      'case list [closedTime@the last seven days & timeToClose>14400]',
    ],
    ['suspicious cases with low confidence', 'case list [verdict=Suspicious & confidence<65]'],
    ['cases with no analyst, critical or high', 'case list [-isAssigned & severity=critical|high]'],
    ['cases that are escalated, waiting or malicious', 'case list [((status=escalated | isWaiting) | verdict=Malicious)]'],
    ['open cases/client', 'case count [isOpen] by client'],
  ])('reads "%s"', (question, expected) => expect(outcome(read(question))).toBe(expected));

  test.each([
    'devices with more alerts than the client average',
    'alerts with over 100 devices',
    'devices by device',
    'responses by fancy this year',
  ])('refuses "%s"', (question) => expect(read(question).queries).toEqual([]));
});

describe('several parts', () => {
  test.each([
    ['open cases and offline devices at cedar', 'case list [isOpen & client=Cedar]; device list [state=silent & client=Cedar]'],
    [
      'critical alerts and closed cases at birch last week',
      'alert list [severity=critical & client=Birch] @last week; case list [-isOpen & client=Birch & closedTime@last week]',
    ],
    [
      'how many devices are there, how many are offline and which is the worst',
      expect.stringMatching(/^device count; device count \[state=silent\]; /),
    ],
    [
      'alerts for elm last 24h and last 7d',
      'alert list [client=Elm] @the last 24 hours; alert list [client=Elm] @the last seven days',
    ],
  ])('reads "%s"', (question, expected) => expect(outcome(read(question))).toEqual(expected));
});

describe('words of records', () => {
  test.each([
    ['blocked users right now', 'user list [isBlocked]'],
    ['mails of type client.welcome', 'mail list [kind=client.welcome]'],
    ['clients in healthcare', 'client list [industry=Healthcare]'],
    ['alerts of clients in the health care sector last week', 'alert list [client=Birch] @last week'],
    ['open cases in portland', 'case list [isOpen & client=Birch]'],
    ['alerts from network devices today', 'alert list [deviceType=networkDevice] @today'],
    ['cases w/o analyst', 'case list [-isAssigned]'],
    ['how many sla breaches this month', 'case count [isBreached] @this month'],
    ['how many vulnerabilities did we fix in october', 'vulnerability count [fixedAt@October 2026]'],
    ['which machine has most vulnerabilities', 'device list [some vulnerability{}] order -count limit 1'],
    ['how often did the rule SSH Brute Force fire last month', 'alert count [rule=SSH Brute Force] @last month'],
  ])('reads "%s"', (question, expected) => expect(outcome(read(question))).toBe(expected));
});

test('continues an order in reverse, and a number as its share', () => {
  let previous: readonly Query[] = [];
  const next = (question: string) => {
    const parsed = read(question, previous);
    previous = parsed.queries;
    return outcome(parsed);
  };
  next('which client has the highest risk score');
  expect(next('and the lowest')).toBe('client list order +riskScore limit 1');
  next('how many cases were false positives this year');
  expect(next('what share is that')).toBe('case share(investigationStatus=5) @this year so far');
});
