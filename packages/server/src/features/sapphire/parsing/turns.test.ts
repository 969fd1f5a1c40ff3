/** Alternatives, days of a week, habits, and untouched records. */
import { describe, expect, test } from 'vitest';
import { outcome, read } from '../../../../test/parse.samples.ts';

const reads = (cases: [string, unknown][]) =>
  test.each(cases)('reads "%s"', (question, expected) => expect(outcome(read(question))).toEqual(expected));

describe('alternatives', () => {
  reads([
    ['cases that are overdue or unassigned', 'case list [(isBreached | -isAssigned)]'],
    ['cases that are breached or older than a week', 'case list [(isBreached | age>10080)]'],
    ['cases with a score above 80 or older than a week', 'case list [(score>80 | age>10080)]'],
    ['vulnerabilities exploited or with cvss above 9', 'vulnerability list [(isKnownExploited | cvss>9)]'],
    ['cases with no owner or no answer from the client', 'case list [(-isAssigned | !clientAnswer)]'],
    [
      'servers without an agent or with critical findings',
      'device list [type=server & (-hasAgent | some vulnerability{severity=critical})]',
    ],
    [
      'servers with critical findings or silent',
      'device list [type=server & (state=silent | some vulnerability{severity=critical})]',
    ],
    ['devices with open cases or critical alerts', 'device list [(some case{isOpen} | some alert{severity=critical})]'],
    ['clients with silent devices or open cases', 'client list [(some device{state=silent} | some case{isOpen})]'],
    ['collectors with a full buffer or errors', 'collector list [(isBufferFull | errorCount>0)]'],
    ['vulnerabilities that are exploited or have a fix', 'vulnerability list [(isKnownExploited | hasFix)]'],
    ['cases opened today or overdue', 'left or'],
    ['new or escalated cases from this week', 'left new'],
  ]);
});

describe('orders', () => {
  reads([
    ['devices by number of alerts', 'device list [some alert{}] order -count'],
    ['biggest customer by number of machines', 'client list [some device{}] order -count limit 1'],
    ['top 10 vulnerabilities by cvss', 'vulnerability list order -cvss limit 10'],
    ['alerts from today in order of severity', 'alert list @today order -severity'],
    ['all critical findings, worst first', 'vulnerability list [severity=critical] order -severity'],
  ]);
});

describe('parts of one question', () => {
  reads([
    [
      'both the open cases and the critical alerts at birch for september',
      'case list [isOpen & client=Birch] @September 2026; alert list [severity=critical & client=Birch] @September 2026',
    ],
    [
      'which clients had both a critical case and a failed response in september',
      'client list [some case{severity=critical@September 2026} & some response{state=failed@September 2026}]',
    ],
  ]);
});

describe('shares against the average', () => {
  reads([
    [
      'the share of criticals in all alerts for cedar compared to the average client',
      'alert share(severity=critical) [client=Cedar] against average client',
    ],
    [
      "what share of birch's alerts are high compared to the average client",
      'alert share(severity=high) [client=Birch] against average client',
    ],
  ]);
});

describe('days of a week', () => {
  reads([
    ['alerts between monday and wednesday', 'alert list @16 November 2026 to 18 November 2026'],
    ['how many alerts from tuesday to thursday at birch', 'alert count [client=Birch] @17 November 2026 to 19 November 2026'],
    ['cases opened between monday and friday', 'case list @16 November 2026 to 20 November 2026'],
    ['alerts between saturday and monday', 'alert list @21 November 2026 to 23 November 2026'],
    ['cases closed between tuesday and thursday last week', 'case list [closedTime@17 November 2026 to 19 November 2026]'],
    ['alerts mon-fri', 'alert list [weekday=1|2|3|4|5]'],
    ['alerts from mondays to wednesdays', 'alert list [weekday=1|2|3]'],
    ['alerts from monday to wednesday in september', 'alert list [weekday=1|2|3] @September 2026'],
  ]);
});

describe('habits', () => {
  reads([
    ['how many cases do we open per day', 'case count by day'],
    ['how many cases do we open a week', 'case count by week'],
    ['how many cases do you close a month', 'case count [-isOpen] by month (closedTime)'],
    ['how many cases does the team open and close per week', 'case count by week; case count [-isOpen] by week (closedTime)'],
    ['how many cases do we usually open in a week', 'case count per week @the last 30 days'],
  ]);
});

describe('each, usually, when', () => {
  reads([
    ['how many alerts did each of my clients have yesterday', 'alert count @yesterday by client'],
    ['birch: workstations vs servers, how many of each', 'device count [client=Birch & type=workstation|server] by type'],
    ['how many cases is each analyst working on', 'case count [isOpen] by analyst'],
    ['how many cases were opened vs closed last month', 'case count @last month; case count [closedTime@last month]'],
    ['how long do critical cases usually take to close', 'case mean(timeToClose) [severity=critical]'],
    ['how many alerts do we normally get per day', 'alert count per day @the last 30 days'],
    ['time to close by severity', 'case mean(timeToClose) by severity'],
    ['what is our sla compliance this month', 'case share(sla=met & closedTime@this month) [-isOpen]'],
    ['which cases did you escalate this month', 'case list [status=escalated] @this month'],
    ['when was case 412 closed', 'case list [number=412] show closedTime'],
  ]);
});

describe('untouched records', () => {
  reads([
    ['untouched cases', 'case list [-isAcknowledged]'],
    ['how many tickets has nobody touched', 'case count [-isAcknowledged]'],
    ['open cases no one has looked into', 'case list [isOpen & -isAcknowledged]'],
    ["critical cases that haven't been touched", 'case list [severity=critical & !isAcknowledged]'],
    ['untouched alerts from yesterday', 'alert list [status=new] @yesterday'],
  ]);
});

test('gives the client and the time of the last part of a list to all', () =>
  expect(outcome(read('alerts, cases and responses at cedar last week'))).toMatch(
    /^clarify alert list \[client=Cedar\] @last week \+ case list \[client=Cedar\] @last week \+ response list \[client=Cedar\] @last week;/,
  ));
