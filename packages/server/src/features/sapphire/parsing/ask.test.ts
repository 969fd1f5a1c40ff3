/** Phrasings with a wrong answer or none in the past, by their structure. */
import { describe, expect, test } from 'vitest';
import { outcome, queryLine, read } from '../../../../test/parse.samples.ts';

const reads = (questions: readonly [string, unknown][]) =>
  test.each(questions)('reads "%s"', (question, expected) => expect(outcome(read(question))).toEqual(expected));

describe('only, of related records', () => {
  reads([
    ['rules that only fired at cedar', 'rule list [some alert{client=Cedar} & !some alert{!client=Cedar}]'],
    ['which clients have only low alerts', 'client list [some alert{severity=low} & !some alert{!severity=low}]'],
    ['users with only critical alerts', 'user list [some alert{severity=critical} & !some alert{!severity=critical}]'],
    ['devices with alerts only from birch', 'device list [some alert{client=Birch} & !some alert{!client=Birch}]'],
    ['alerts today only high', 'alert list [severity=high] @today'],
    ['only devices with critical alerts', 'device list [some alert{severity=critical}]'],
    ['only show devices at cedar with critical alerts', 'device list [client=Cedar & some alert{severity=critical}]'],
  ]);
});

describe('texts joined with "or"', () => {
  reads([
    ['alerts about mimikatz or lsass', 'alert list [(text~mimikatz | text~lsass)]'],
    ['findings in openssl or curl at birch', 'vulnerability list [(text~openssl | text~curl) & client=Birch]'],
    ['alerts about mimikatz and lsass', 'alert list [text~mimikatz & text~lsass]'],
  ]);
});

describe('a weekday that is one day', () => {
  reads([
    ['alerts on last tuesday after 6pm', 'alert list [hour=18|19|20|21|22|23] @17 November 2026'],
    ['alerts between 2 and 4 am last friday', 'alert list [hour=2|3] @20 November 2026'],
    ['alerts on tuesdays after 6pm', 'alert list [weekday=2 & hour=18|19|20|21|22|23]'],
    ['last weeks alerts at birch', 'alert list [client=Birch] @last week'],
    ['compare last weeks alerts with the week before', 'alert count @last week against the week before last'],
  ]);
});

describe('verbs of people', () => {
  reads([
    ['how many cases did we open on mondays', 'case count [weekday=1]'],
    ['did you open any cases at birch today', 'case exists [client=Birch] @today'],
    ['did we have open cases at birch', 'case exists [isOpen & client=Birch]'],
    ['who gets the monthly report at cedar', 'report list [client=Cedar] show recipients'],
    ['who receives the report for birch', 'report list [client=Birch] show recipients'],
    ['who isolated CED-DC-01', 'response list [action=isolate & device=CED-DC-01] show requestedBy'],
    ['reviews waiting on me', 'review list [isMine & -isDecided]'],
  ]);
});

describe('all of them', () => {
  reads([
    ['is everyone at cedar using mfa', 'account share(mfaIsSet) [client=Cedar]'],
    ['does everyone at birch use mfa', 'account share(mfaIsSet) [client=Birch]'],
    ['has everybody logged in this month', 'account share(lastSignInAt@this month)'],
    ['does cedar have mfa turned on for everybody', 'account share(mfaIsSet) [client=Cedar]'],
  ]);
});

describe('figures of each', () => {
  reads([
    ['how many alerts per case on average', 'case mean(alertCount)'],
    ['average number of devices per client', 'client mean(deviceCount)'],
    ['how many users per client on average', 'client mean(accountCount)'],
    ['what time do most alerts come in', 'alert count by hour order -count limit 1'],
  ]);
  test.each(['how many critical alerts per case on average', 'alerts per case on average last month'])(
    'does not count all of them for "%s"',
    (question) => expect(outcome(read(question))).not.toMatch(/^case mean\(alertCount\)$/),
  );
});

describe('the longest', () => {
  reads([
    ['longest silent device', 'device list order -silence limit 1'],
    ['device silent the longest', 'device list [state=silent] order -silence limit 1'],
    ['how long has CED-DC-01 been silent', 'device list [name=CED-DC-01] show lastEventAt'],
    ['who is quickest at closing', 'case mean(timeToClose) by analyst order +value'],
    ['which tactic has the most alerts', 'tactic list [some alert{}] order -count limit 1'],
    ['which tactic has the most rules', 'tactic list order -rules limit 1'],
  ]);
});

describe('actions of a person', () => {
  reads([
    ['what did priya do today', 'audit list [actor=Priya Raman] @today'],
    ['what has tom okafor done this week', 'audit list [actor=Tom Okafor] @the last seven days'],
    ['what did jhearst do yesterday', 'event list [user=jhearst] @yesterday'],
    ['show me everything that user jhearst did yesterday', 'event list [user=jhearst] @yesterday'],
    ['what did mkowalski do that set off alerts', 'alert list [user=mkowalski]'],
  ]);
});

describe('a time as a whole', () => {
  const both = (where: string, now: string, then: string) =>
    ['alert', 'case'].map((entity) => `${entity} count${where} @${now} against ${then}`).join('; ');
  reads([
    ['how is alder doing compared to last month', both(' [client=Alder]', 'this month', 'last month')],
    ['are we better than last month', both('', 'this month', 'last month')],
    ['is birch doing better or worse than yesterday', both(' [client=Birch]', 'today', 'yesterday')],
    ['how bad was last week', 'alert count @last week by severity; case list [isOpen]; device count [state=silent]; risk list'],
  ]);
});

describe('a follow-up', () => {
  const follows = (before: string, question: string) => outcome(read(question, read(before).queries));
  test.each([
    ['how many alerts are there at birch', 'whats their risk score', 'risk list [client=Birch]'],
    ['how many cases are there at birch', 'whats their score', 'risk list [client=Birch]'],
    ['how many alerts are there at birch', 'and their open cases', 'case list [client=Birch & isOpen]'],
    ['how many alerts are there at birch', 'how many devices do they have', 'device count [client=Birch]'],
    ['how many alerts are there at birch', 'who are their admins', 'account list [client=Birch & role=Administrator]'],
    ['open cases at birch', 'who is their analyst', 'case list [isOpen & client=Birch] show analyst'],
    ['open cases at birch', 'which of them are critical', 'case list [isOpen & client=Birch & severity=critical]'],
    [
      'how many cases did nadia sorensen close last month',
      'and priya',
      'case count [closedTime@last month & closedBy=Priya Raman]',
    ],
    ['cases assigned to tom', 'and nadia', 'case list [analyst=Nadia Sorensen]'],
  ])('after "%s" reads "%s"', (before, question, expected) => expect(follows(before, question)).toBe(expected));

  test('offers both records that a pronoun can be of', () => {
    const { nearest = [], queries } = read('and their alerts', read('open cases at birch').queries);
    expect(queries).toEqual([]);
    expect(nearest.map((each) => each.map(queryLine).join('; '))).toEqual([
      'alert list [client=Birch]',
      'alert list [some case{isOpen & client=Birch} & client=Birch]',
    ]);
  });

  test('keeps the records of its pronoun', () => {
    for (const question of ['their emails', 'which rules do they have', 'how many of those are tactics'])
      for (const query of read(question, read('silent devices at cedar').queries).queries)
        expect(queryLine(query)).toMatch(/Cedar|some device/);
  });
});

describe('an offer', () => {
  test('keeps the one named client beside unknown words', () => {
    const { nearest = [] } = read('what can i tell harbor in the meeting tomorow');
    expect(nearest.map((each) => each.map(queryLine).join('; ')).join('|')).toMatch(/alert count \[partner=Harbor\].*risk list/);
  });

  test('keeps the order that was asked for', () => {
    const { nearest = [] } = read('latest wobble at birch');
    expect(nearest.length).toBeGreaterThan(0);
    for (const queries of nearest) expect(queries.map(queryLine).join(' ')).toMatch(/order |isCurrent/);
  });
});

describe('lacking and lasting', () => {
  reads([
    [
      'which clients have neither cases nor alerts this month',
      'client list [!some case{@this month} & !some alert{@this month}]',
    ],
    ['clients with neither open cases nor alerts this month', 'client list [!some case{isOpen} & !some alert{@this month}]'],
    ['devices silent for more than a day', 'device list [state=silent & silence>1440]'],
    ['did we have more alerts this week then last week', 'alert count @the last seven days against last week'],
    ['cases older then 3 days', 'case list [age>4320]'],
    ['is everything checking in', 'device share(state=reporting)'],
    ['is CED-DC-01 patched', 'vulnerability list [state=open & device=CED-DC-01]'],
    ['hi sev not picked up', 'case list [severity=high & -isAssigned]'],
    ['is anyone brute forcing us', 'alert exists [technique=T1110]'],
    ['when was birchs last report', 'report list [client=Birch] show lastSentAt'],
    ['when did CED-DC-01 last report', 'device list [name=CED-DC-01] show lastEventAt'],
  ]);
  test.each([
    ['clients without admin', 'client list [!some account{role=Administrator}]'],
    ['devices not running winlogbeat', 'device list [!some collector{product=winlogbeat}]'],
    ['devices running winlogbeat', 'device list [some collector{product=winlogbeat}]'],
  ])('asks back for "%s"', (question, expected) => {
    const { queries, clarify } = read(question);
    expect(queries).toEqual([]);
    expect(clarify?.queries.map((each) => each.map(queryLine).join('; '))[0]).toBe(expected);
  });
  test('refuses how long a device is isolated', () => {
    expect(read('devices isolated for more than a day').queries).toEqual([]);
  });
});
