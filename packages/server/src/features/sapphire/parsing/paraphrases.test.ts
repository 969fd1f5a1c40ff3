/** Paraphrases mean what they are replaced by, and every replacement is understood. */
import { describe, expect, test } from 'vitest';
import { ask, outcome, read } from '../../../../test/parse.samples.ts';
import { schemas } from '../../../domain/query/schemas.ts';
import { createLexicon } from './lexicon.ts';
import { allParaphrases, paraphrased } from './paraphrases.ts';
import { stem, tokensOf } from './tokens.ts';

describe('paraphrases', () => {
  test('lead to words of the lexicon', () => {
    const { stems } = createLexicon(schemas);
    const unknown = new Set(
      allParaphrases()
        .flatMap(({ meaning }) => tokensOf(meaning).map(({ text }) => stem(text)))
        .filter((word) => !stems.has(word) && !/^\d+$/.test(word)),
    );
    expect([...unknown]).toEqual([]);
  });

  test('have one meaning each', () => {
    const meanings = new Map<string, Set<string>>();
    for (const { phrase, meaning } of allParaphrases()) meanings.set(phrase, (meanings.get(phrase) ?? new Set()).add(meaning));
    expect([...meanings].filter(([, all]) => all.size > 1).map(([phrase, all]) => [phrase, ...all])).toEqual([]);
  });

  test('fit at their longest, in all forms of the verb, with articles and adverbs inside', () => {
    expect(paraphrased('cases wrapped up by Priya')).toBe('cases closed by Priya');
    expect(paraphrased('which boxes have actually gone off the radar')).toBe('which boxes have actually silent');
    expect(paraphrased('tickets that blew right past the sla')).toBe('tickets that blew right past the sla');
    expect(paraphrased('tickets that blew past our sla')).toBe('tickets that breached');
  });

  test('drop no exclusion', () => {
    const excludes =
      /\b(?:bar|except|excluding|excluded|minus|unless|besides|barring|omit|omitting|leaving out|other than|apart from)\b/;
    expect(allParaphrases().filter(({ phrase }) => excludes.test(phrase))).toEqual([]);
  });

  test('leave names alone', () =>
    expect(paraphrased('alerts of Backlog Wrapped Up yesterday', ['Backlog Wrapped Up'])).toBe(
      'alerts of Backlog Wrapped Up yesterday',
    ));

  test('leave a negation inside and quoted text alone', () => {
    expect(paraphrased('wrapped not up')).toBe('wrapped not up');
    expect(paraphrased('alerts with "wrapped up"')).toBe('alerts with "wrapped up"');
  });
});

describe('a question with a paraphrase', () => {
  test.each([
    ['what did priya wrap up yesterday', 'case list [closedBy=Priya Raman & closedTime@yesterday]'],
    ['machines pulled off the network', 'device list [isIsolated]'],
    ["do we have any malicious cases with nobody's name on them", 'case exists [verdict=Malicious & -isAssigned]'],
    ['identify any administrators lacking a second factor', 'account list [role=Administrator & -mfaIsSet]'],
    ['how many of our servers still run an old agent', 'device count [type=server & some collector{isOutdated}]'],
    ['whats in the queue', 'case list [isOpen]'],
    ['who in my company can log in here without mfa', 'account list [-mfaIsSet]'],
    ['what percentage of alerts converted into cases in october', 'alert share(hasCase) @October 2026'],
    ['which of my customers had the busiest week', 'client list [some alert{@the last seven days}] order -count limit 1'],
    ['who approved responses last week', 'audit count [action=response.approved] @last week by actor'],
    ['alerts outside 0700-1900 yesterday', expect.stringMatching(/^alert list \[!hour=7\|.*\|18\] @yesterday$/)],
  ])('reads "%s"', (question, expected) => expect(outcome(read(question))).toEqual(expected));
});

describe('everyday words of times, columns and logs', () => {
  test.each([
    ['alerts on the 12th', 'alert list @on 12 November 2026'],
    ['critical alerts from the 3rd to the 14th', 'alert list [severity=critical] @3 to 14 November 2026'],
    ['suppressions ending in the coming fortnight', 'suppression list [endTime@the next 14 days]'],
    ['which client gets its stuff sorted fastest', 'case mean(timeToClose) by client order +value'],
    ['portal users with role, last sign-in and mfa status', 'account list show role, lastSignInAt, mfaIsSet'],
    ['who exported reports last week', 'audit count [action=report.exported] @last week by actor'],
    ['every client bar dogwood: highs last week', 'alert count [!client=Dogwood & severity=high] @last week by client'],
  ])('reads "%s"', (question, expected) => expect(outcome(read(question))).toEqual(expected));

  test('asks back "who turned off the breach mails"', () =>
    expect(outcome(ask('who turned off the breach mails'))).toMatch(/^clarify mailSubscription /));

  test.each(['we have no unreviewed malicious verdicts', 'i was told there are 4 problems'])('refuses "%s"', (question) =>
    expect(read(question).queries).toEqual([]),
  );
});

describe('two states or times that are compared', () => {
  test.each([
    ['cases closed this month vs last month', 'case count [closedTime@this month] against closedTime@last month'],
    ['open vs closed cases at birch', 'case count [client=Birch & isOpen] against client=Birch & -isOpen'],
    ['devices with agent vs without agent', 'device count [hasAgent] against -hasAgent'],
    ['are there more cases on weekends than on weekdays', 'case count [isWeekend] against -isWeekend'],
    ['share of servers with critical findings', 'device share(some vulnerability{severity=critical}) [type=server]'],
    ['failed logins per user', 'audit count [action=user.signInRefused] by actor'],
  ])('reads "%s"', (question, expected) => expect(outcome(read(question))).toBe(expected));
});

test('offers the clause that is understood, with the names of the other', () => {
  const { nearest = [] } = read("i've got a grumbly meeting with birch at 2, how many open cases do they have");
  expect(outcome({ queries: nearest[0] as never, left: [] })).toBe('case count [isOpen & client=Birch]');
});
