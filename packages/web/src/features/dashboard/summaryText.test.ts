import type { ClientSummary } from '@parapet/contract/dashboard.ts';
import { openStatuses } from '@parapet/contract/rules/cases.ts';
import { describe, expect, test } from 'vitest';
import { doneOf, type Part, type Sentence, safetyOf, storyOf, timePhrase, todoOf } from './summaryText.ts';

const nothing: ClientSummary = {
  alerts: 0,
  opened: 0,
  resolved: 0,
  actions: 0,
  open: 0,
  reporting: 44,
  devices: 44,
  approvals: 0,
  incidents: [],
  incidentTotal: 0,
  suspectedTotal: 0,
  questions: [],
  questionTotal: 0,
  blind: [],
  story: [],
};
const context = { client: 10, timeframe: 'thisMonth', period: undefined, timeZone: 'Europe/Berlin' } as const;
const textOf = (part: Part) => (typeof part === 'string' ? part : part.text);
const text = (sentences: readonly Sentence[]) => sentences.map((parts) => parts.map(textOf).join('')).join(' ');
const hrefs = (sentences: readonly Sentence[]) =>
  sentences.flat().flatMap((part) => (typeof part === 'string' ? [] : [part.href]));
const of = (facts: Partial<ClientSummary>): ClientSummary => ({ ...nothing, ...facts });
const incident = { id: 7, title: 'Ransom note', openedTime: '2026-11-12T23:30:00Z' };

describe('are we safe', () => {
  const safety = (facts: Partial<ClientSummary>) => {
    const { state, title, sentences } = safetyOf(of(facts), context);
    return `${state}: ${title}. ${text(sentences)}`;
  };
  test.each<[Partial<ClientSummary>, string]>([
    [{}, 'safe: No open incidents. Nothing is under investigation. All 44 devices report.'],
    [{ devices: 1, reporting: 1 }, 'safe: No open incidents. Nothing is under investigation. All 1 device reports.'],
    [{ reporting: 42 }, 'watch: No open incidents. Nothing is under investigation. 2 of 44 devices are not reporting.'],
    [{ open: 1 }, 'watch: No confirmed attack. 1 case is being investigated. None is confirmed as an attack.'],
    [
      { open: 1200, reporting: 43 },
      'watch: No confirmed attack. 1,200 cases are being investigated. None is confirmed as an attack. 1 of 44 devices is not reporting.',
    ],
    [
      { open: 1, suspectedTotal: 1 },
      'watch: A likely attack is being examined. 1 case is judged malicious and is being examined. No attack is confirmed.',
    ],
    [
      { open: 5, suspectedTotal: 2, reporting: 43 },
      'watch: 2 likely attacks are being examined. 2 cases are judged malicious and are being examined. No attack is confirmed. 3 other cases are being investigated. 1 of 44 devices is not reporting.',
    ],
    [{ devices: 0, reporting: 0 }, 'blind: Not monitored yet. No device is connected, so no attack can be detected.'],
    [
      { reporting: 0, open: 3 },
      'blind: Your devices aren’t reporting. None of 44 devices reports, so an attack would go unnoticed.',
    ],
    [
      { open: 4, incidents: [incident], incidentTotal: 1 },
      'incident: An attack is being handled. “Ransom note” was confirmed as an attack. It has been handled since 13 November.',
    ],
    [
      { open: 4, incidents: [incident], incidentTotal: 3, reporting: 0 },
      'incident: 3 attacks are being handled. “Ransom note” was confirmed as an attack. It has been handled since 13 November. All 3 confirmed attacks are open.',
    ],
  ])('%o', (facts, expected) => expect(safety(facts)).toBe(expected));
});

test('links the total of attacks to their list', () => {
  const { sentences } = safetyOf(of({ open: 9, incidents: [incident], incidentTotal: 3 }), context);
  expect(hrefs(sentences)).toEqual([
    '/apps/case/7',
    `/apps/cases/10?timeframe=allTime&status=${openStatuses.join()}&confirmed=true`,
  ]);
});

describe('what was done', () => {
  test.each<[Partial<ClientSummary>, string]>([
    [{}, 'Nothing suspicious was detected this month.'],
    [{ alerts: 1 }, '1 alert was raised this month and led to no case.'],
    [{ alerts: 1182, opened: 1 }, '1,182 alerts were raised this month and led to 1 case. It is being investigated.'],
    [{ alerts: 9, opened: 3 }, '9 alerts were raised this month and led to 3 cases. They are being investigated.'],
    [{ alerts: 9, opened: 1, resolved: 1 }, '9 alerts were raised this month and led to 1 case. It is resolved.'],
    [{ alerts: 9, opened: 3, resolved: 3 }, '9 alerts were raised this month and led to 3 cases. All of them are resolved.'],
    [
      { alerts: 9, opened: 3, resolved: 1, actions: 1 },
      '9 alerts were raised this month and led to 3 cases. 1 of them is resolved, 2 are being investigated. 1 protective action was carried out on devices and accounts.',
    ],
  ])('%o', (facts, expected) => expect(text(doneOf(of(facts), context))).toBe(expected));

  test('links each number to its list in the same timeframe', () => {
    expect(hrefs(doneOf(of({ alerts: 9, opened: 3, resolved: 1, actions: 2 }), { ...context, period: '2026-11-12' }))).toEqual([
      '/apps/alerts/10?timeframe=thisMonth&on=2026-11-12',
      '/apps/cases/10?timeframe=thisMonth&on=2026-11-12',
      '/apps/cases/10?timeframe=thisMonth&on=2026-11-12&status=closed,escalated:closed',
      '/apps/response?timeframe=thisMonth&on=2026-11-12&state=acknowledged,verified',
    ]);
  });

  test.each([
    ['thisWeek', undefined, 'in the last seven days'],
    ['October', undefined, 'in October'],
    ['lastOneYear', '2026-10', 'in October 2026'],
    ['thisMonth', '2026-11-12', 'on 12 November 2026'],
  ] as const)('names the timeframe %s, %s', (timeframe, period, expected) =>
    expect(timePhrase({ timeframe, period })).toBe(expected),
  );
});

describe('what must I do', () => {
  test.each<[Partial<ClientSummary>, string]>([
    [{}, 'Nothing waits for you.'],
    [{ questionTotal: 1 }, 'Answer 1 question.'],
    [
      { questionTotal: 2, approvals: 1, reporting: 43 },
      'Answer 2 questions. Approve or refuse 1 requested action. Check why 1 device does not report.',
    ],
    [{ devices: 0, reporting: 0 }, 'Connect your first device.'],
  ])('%o', (facts, expected) => expect(text(todoOf(of(facts), context))).toBe(expected));
});

describe('what happened', () => {
  const base = {
    ...incident,
    closedTime: null,
    isMalicious: false,
    isHarmless: false,
    isWaiting: false,
    devices: [],
    deviceTotal: 0,
    users: [],
    userTotal: 0,
    actions: [],
  };
  const textOf = (facts: Partial<ClientSummary['story'][number]>) => {
    const [line] = storyOf({ story: [{ ...base, ...facts }] }, context);
    return `${line!.day}: ${text([line!.sentence])}`;
  };
  test.each<[Partial<ClientSummary['story'][number]>, string]>([
    [{}, '13 November: “Ransom note” was detected. It is being investigated.'],
    [
      { title: 'Ransom note on HOST-1', devices: ['HOST-1'], deviceTotal: 1 },
      '13 November: “Ransom note on HOST-1” was detected. It is being investigated.',
    ],
    [{ isWaiting: true }, '13 November: “Ransom note” was detected. It waits for your answer.'],
    [
      { devices: ['HOST-1'], deviceTotal: 1, isHarmless: true, closedTime: '2026-11-13T09:00:00Z' },
      '13 November: “Ransom note” was detected on HOST-1. It turned out to be harmless. The case was closed the same day.',
    ],
    [
      {
        isMalicious: true,
        devices: ['HOST-1', 'HOST-2'],
        deviceTotal: 4,
        users: ['ada'],
        userTotal: 1,
        closedTime: '2026-11-15T09:00:00Z',
        actions: [
          { action: 'isolate', target: 'HOST-1', isVerified: true },
          { action: 'blockUser', target: 'ada', isVerified: false },
        ],
      },
      '13 November: “Ransom note” was detected on HOST-1, HOST-2 and 2 more devices with the account ada. It was confirmed as an attack. HOST-1 was isolated from the network. The account ada was reported as blocked. The case was closed on 15 November.',
    ],
  ])('%o', (facts, expected) => expect(textOf(facts)).toBe(expected));
});

test('uses no words and timers of analysts', () => {
  const everything = of({
    ...{ alerts: 9, opened: 3, resolved: 1, actions: 2, open: 2, approvals: 1, questionTotal: 2, reporting: 40 },
    incidents: [incident],
    incidentTotal: 1,
  });
  const all = [...safetyOf(everything, context).sentences, ...doneOf(everything, context), ...todoOf(everything, context)];
  expect(text(all)).not.toMatch(/\b(SLA|MTT|triage|acknowledg|contain|unassigned|verdict|breach|criticality|timer)/i);
});
