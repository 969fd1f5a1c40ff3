/** Turns of phrase of everyday questions, and short questions after others. */
import type { Query } from '@parapet/contract/rules/query.ts';
import { describe, expect, test } from 'vitest';
import { ask, outcome, queryLine, read } from '../../../../test/parse.samples.ts';

describe('turns of phrase', () => {
  test.each([
    ['my boss wants to know how many alerts we had last week, ballpark is fine', 'alert count @last week'],
    ['tickets nobody has picked up yet', 'case list [-isAssigned]'],
    ['alerts lately', 'alert list @the last seven days'],
    ['which rule went off most often last week', 'rule list [some alert{@last week}] order -count limit 1'],
    ['how fast do you guys answer', 'case mean(timeToAcknowledge)'],
    ['cases stuck waiting on the client', 'case list [isWaiting]'],
    ['whats in my queue', 'case list [isMine & isOpen]'],
    ['alerts at birch on sat + sun last month', 'alert list [client=Birch & isWeekend] @last month'],
    ['share of malicious in closed cases', 'case share(verdict=Malicious) [-isOpen]'],
    [
      'mttr mtta last month',
      'case mean(timeToClose) [closedTime@last month]; case mean(timeToAcknowledge) [closedTime@last month]',
    ],
    ['alerts per client, sorted by client', 'alert count by client'],
    ['cases sorted by severity', 'case list order -severity'],
    ['alerts before last month', 'alert list @before last month'],
    ['how many cases are not acknowledged', 'case count [-isAcknowledged]'],
    ['suppressions ending this week', 'suppression list [endTime@this week]'],
    ['who has the longest list of open cases', 'case count [isOpen] by analyst order -count limit 1'],
    ['percentage of servers without agent', 'device share(-hasAgent) [type=server]'],
    ['findings with a cvss of 9 or more and no fix', 'vulnerability list [cvss>=9 & -hasFix]'],
    ['which boxes have findings with cvss 9 or more', 'device list [some vulnerability{cvss>=9}]'],
    ['cases with confidence 60 or less', 'case list [confidence<=60]'],
    ['how many cases did you open for us in each of the last 4 months', 'case count @the last 4 months by month'],
    ['how many reviews have nobody on them', 'review count [-isAssigned]'],
    ['accounts not used for 90 days', 'account list [!lastSignInAt@the last 90 days]'],
    ["when was birch's last report made", 'report list [client=Birch] show lastSentAt'],
    ["what share of cedar's devices run our agent", 'device share(hasAgent) [client=Cedar]'],
    ['alerts since the start of the month', 'alert list @this month'],
    ['old agent versions still out there?', 'collector list [isOutdated] show version'],
    ['top 3 devices per client by alerts', 'left by'],
    [
      'servers with known exploited findings that nobody fixed',
      'device list [type=server & some vulnerability{isKnownExploited & state=open}]',
    ],
    ['who fixed the findings', 'left who'],
    ['are all servers ok', 'device share(state=reporting) [type=server]'],
    ['is the server ok', 'device share(state=reporting) [type=server]'],
    [
      'recent activity at birch',
      'alert count [client=Birch] @the last seven days by severity; case list [isOpen & client=Birch]; device count [state=silent & client=Birch]; risk list [client=Birch]',
    ],
    ['responses that failed last month', 'response list [state=failed & changedTime@last month]'],
    ['cases closed last week', 'case list [closedTime@last week]'],
    ['clients with a risk score above 500', 'client list [riskScore>500]'],
    ['when was CED-DC-01 last scanned', 'device list [name=CED-DC-01] show lastScanAt'],
    ['alerts on CED-DC-01 yesterday between 8 and 10', 'alert list [device=CED-DC-01 & hour=8|9] @yesterday'],
    ['rank the partners by open cases', 'case count [isOpen] by partner order -count'],
    ['did anyone log in to the portal last night', 'account exists [lastSignInAt@last night, 22:00 to 06:00]'],
    ['did alerts go up or down vs last month', 'alert count @this month against last month'],
    ['is birch getting more alerts than last month', 'alert count [client=Birch] @this month against last month'],
    ['are we busier than last month', 'alert count @this month against last month'],
    ['top 10 rules by number of suppressed alerts', 'rule list [some alert{disposition=suppressed}] order -count limit 10'],
    ['rules that never fired this month', 'rule list [!some alert{@this month}]'],
    ['cases with just a single alert in em', 'case list [some alert{#=1}]'],
    ['cases closed by the system without anyone looking at them', 'left those'],
    ['how long do we take to close a case on avg', 'case mean(timeToClose)'],
    ['dns events today not from birch', 'event list [text~dns & !client=Birch] @today'],
    ['hwo many alerts today', 'alert count @today'],
    ['cases that waited longest for the client', 'case list [isWaiting] order +createdTime'],
  ])('reads "%s"', (question, expected) => expect(outcome(read(question))).toBe(expected));
});

describe('related records', () => {
  test.each([
    ['devices with more than 50 open vulns', 'device list [some vulnerability{state=open#>50}]'],
    ['which client had zero criticals last month', 'client list [!some alert{severity=critical@last month}]'],
    ['which client this week had the most cases', 'client list [some case{@the last seven days}] order -count limit 1'],
    ['the noisiest client this week', 'client list [some alert{@the last seven days}] order -count limit 1'],
    ['techniques at birch, not alder', 'technique list [some alert{client=Birch} & !some alert{client=Alder}]'],
    ['clients with no open case', 'client list [!some case{isOpen}]'],
    ['clients with neither open cases nor silent devices', 'client list [!some case{isOpen} & !some device{state=silent}]'],
    ['users who triggered more than 10 alerts this month', 'user list [some alert{@this month#>10}]'],
    ['hosts that went silent in the last 24 hours', 'device list [state=silent & lastEventAt@the last 24 hours]'],
    ['most common exploited vulns at birch', 'vulnerability count [isKnownExploited & client=Birch] by cve order -count'],
  ])('reads "%s"', (question, expected) => expect(outcome(read(question))).toBe(expected));
});

describe('different records', () => {
  test.each([
    ['top 10 vulnerabilities with the most affected devices', 'vulnerability count distinct device by cve order -count limit 10'],
    [
      'which critical cve is on the most servers',
      'vulnerability count distinct device [severity=critical & deviceType=server] by cve order -count limit 1',
    ],
    ['which cves are on the most devices', 'vulnerability count distinct device by cve order -count limit 10'],
    ['top 10 vulnerabilities by number of affected devices', 'vulnerability count distinct device by cve order -count limit 10'],
    ['top 5 cves by number of affected hosts', 'vulnerability count distinct device by cve order -count limit 5'],
    ['how many devices are affected by each cve', 'vulnerability count distinct device by cve'],
    ['how many distinct cves do we have open', 'vulnerability count distinct cve [state=open]'],
    ['how many different users triggered alerts last week', 'user count [some alert{@last week}]'],
    ['how many different rules fired yesterday', 'rule count [some alert{@yesterday}]'],
    ['how many different categories of alerts last week', 'alert count distinct category @last week'],
    ['which rule fired on the most hosts', 'alert count distinct device by rule order -count limit 1'],
    [
      'which rule fired on the most servers last week',
      'alert count distinct device [deviceType=server] @last week by rule order -count limit 1',
    ],
    [
      'which user triggered critical alerts on the most machines last week',
      'alert count distinct device [severity=critical] @last week by user order -count limit 1',
    ],
    ['which technique was seen at the most clients', 'alert count distinct client by technique order -count limit 1'],
    ['how many techniques were seen per client', 'alert count distinct technique by client'],
    ['how many rules per device last week except at birch', 'alert count distinct rule [!client=Birch] @last week by device'],
    ['top 5 devices by number of different rules', 'alert count distinct rule by device order -count limit 5'],
    ['how many hosts did each rule fire on this month', 'alert count distinct device @this month by rule'],
    [
      'which client had the most different rules last week',
      'alert count distinct rule @last week by client order -count limit 1',
    ],
    ['which device has the most distinct vulnerabilities', 'vulnerability count distinct cve by device order -count limit 1'],
    ['cves that affect more than 10 devices', 'vulnerability count distinct device by cve having >10'],
    ['rules that fired on more than 5 devices', 'alert count distinct device by rule having >5'],
  ])('reads "%s"', (question, expected) => expect(outcome(ask(question))).toBe(expected));

  // Those without any are in no group, and a denial has no place there.
  test.each([
    'the rule with the fewest devices',
    'rules that fired on fewer than 5 devices',
    'which rule did not fire on the most hosts',
    'mean number of different rules per device',
    'how many different devices per rule compared with last week',
  ])('does not answer "%s"', (question) => expect(ask(question).queries).toEqual([]));
});

test.each<[string, [string, string][]]>([
  [
    'records of those before',
    [
      ['exploited vulns at birch', 'vulnerability list [isKnownExploited & client=Birch]'],
      ['on which machines', 'device list [some vulnerability{isKnownExploited & client=Birch}]'],
      ['only servers', 'device list [some vulnerability{isKnownExploited & client=Birch} & type=server]'],
    ],
  ],
  [
    'the same of another noun',
    [
      ['how many alerts at birch last week', 'alert count [client=Birch] @last week'],
      ['and cases?', 'case count [client=Birch] @last week'],
      ['by client', 'case count [client=Birch] @last week by client'],
    ],
  ],
  [
    'another order',
    [
      ['client with most devices', 'client list [some device{}] order -count limit 1'],
      ['and the fewest', 'client list [some device{#>=0}] order +count limit 1'],
    ],
  ],
  [
    'a share of something new',
    [
      ['how many alerts were suppressed yesterday', 'alert count [disposition=suppressed] @yesterday'],
      ['what % ended up in a case', 'alert share(hasCase) [disposition=suppressed] @yesterday'],
    ],
  ],
  [
    'the age of the first',
    [
      ['open case with the highest score', 'case list [isOpen] order -score limit 1'],
      ['how long has it been sitting there', 'case list [isOpen] order -score limit 1 show age'],
    ],
  ],
  [
    'the number of related records',
    [
      ['critical findings', 'vulnerability list [severity=critical]'],
      ['on how many different machines is that', 'device count [some vulnerability{severity=critical}]'],
    ],
  ],
  [
    'a device as a whole',
    [
      [
        'is CED-DC-01 ok',
        expect.stringMatching(/; device list \[name=CED-DC-01\] show state, lastEventAt, isIsolated$/) as never,
      ],
      ['any high alerts there', 'alert exists [some device{name=CED-DC-01} & severity=high]'],
    ],
  ],
])('continues with %s', (_, turns) => {
  let previous: readonly Query[] = [];
  for (const [question, expected] of turns) {
    const parsed = read(question, previous);
    expect(outcome(parsed), question).toEqual(expected);
    previous = parsed.queries;
  }
});

describe('a guess', () => {
  test.each([
    ['which client is on fire', 'clarify client list'],
    ['domain controllers with alerts today', 'clarify device list [text~-dc- & some alert{@today}]'],
  ])('is asked back before others: "%s"', (question, expected) => expect(outcome(read(question)).split('; ')[0]).toBe(expected));

  test('leads to an offer for unknown words, never one without its exclusion', () => {
    const { nearest = [] } = read('how many alerts last week grumbly');
    expect(nearest.map((queries) => queries.map(queryLine).join('; '))).toContain('alert count @last week');
    expect(read('alerts last week without grumbly').nearest).toBeUndefined();
  });
});
