/**
 * The client’s summary as prose: templates over the facts of `dashboard.summary`. Each number and case is a link to what it counts. The words are
 * for readers who are no analysts.
 */
import type { ClientSummary } from '@parapet/contract/dashboard.ts';
import { openStatuses } from '@parapet/contract/rules/cases.ts';
import { counted, exact } from '@parapet/contract/rules/numbers.ts';
import { periodLabel, type Timeframe, timeframeLabel } from '@parapet/contract/rules/timeframe.ts';
import { paths } from '../../lib/paths.ts';

export type Part = string | { text: string; href: string };
export type Sentence = readonly Part[];

export interface SummaryContext {
  client: number;
  timeframe: Timeframe;
  /** Day or month that narrows the timeframe. */
  period: string | undefined;
  timeZone: string;
}

const resolvedStatuses = ['closed', 'escalated:closed'];

/** Links whose lists have exactly as many rows as the number. */
export const linksOf = ({ client, timeframe, period }: SummaryContext) => {
  const time = { timeframe, ...(period ? { on: period } : {}) };
  const always = { timeframe: 'allTime' };
  return {
    alerts: paths.alerts(client, time),
    opened: paths.cases(client, time),
    resolved: paths.cases(client, { ...time, status: resolvedStatuses }),
    open: paths.cases(client, { ...always, status: openStatuses }),
    incidents: paths.cases(client, { ...always, status: openStatuses, confirmed: 'true' }),
    suspected: paths.cases(client, { ...always, status: openStatuses, verdict: 'Malicious' }),
    questions: paths.cases(client, { ...always, waiting: 'true' }),
    actions: paths.responses({ ...time, state: ['acknowledged', 'verified'] }),
    approvals: paths.responses({ state: 'requested' }),
    blind: paths.devices(client, { state: ['stale', 'silent', 'never'] }),
    install: paths.agents({ tab: 'install' }),
    case: (id: number) => paths.case(id),
  };
};

const timeframePhrases: Partial<Record<Timeframe, string>> = {
  thisMonth: 'this month',
  thisWeek: 'in the last seven days',
  lastMonth: 'last month',
  lastSixMonths: 'in the last 6 months',
  lastOneYear: 'in the last 12 months',
};
/** "this month", "in October 2026", "on 12 November 2026". */
export const timePhrase = ({ timeframe, period }: Pick<SummaryContext, 'timeframe' | 'period'>): string =>
  period === undefined
    ? (timeframePhrases[timeframe] ?? `in ${timeframeLabel(timeframe)}`)
    : `${period.length > 7 ? 'on' : 'in'} ${periodLabel(period)}`;

const is = (count: number) => (count === 1 ? 'is' : 'are');
const was = (count: number) => (count === 1 ? 'was' : 'were');
const quoted = (title: string) => `“${title}”`;

export interface Safety {
  state: 'incident' | 'watch' | 'blind' | 'safe';
  title: string;
  sentences: Sentence[];
}

/** Are we safe? The worst that is known decides. */
export function safetyOf(summary: ClientSummary, context: SummaryContext): Safety {
  const links = linksOf(context);
  const { incidents, incidentTotal, suspectedTotal, open, devices, reporting } = summary;
  const missing = devices - reporting;
  const sight: Sentence[] =
    missing > 0 && reporting > 0
      ? [[{ text: `${exact(missing)} of ${counted(devices, 'device')}`, href: links.blind }, ` ${is(missing)} not reporting.`]]
      : [];
  if (incidentTotal > 0) {
    return {
      state: 'incident',
      title: incidentTotal === 1 ? 'An attack is being handled' : `${exact(incidentTotal)} attacks are being handled`,
      sentences: [
        ...incidents.map(
          ({ id, title, openedTime }): Sentence => [
            { text: quoted(title), href: links.case(id) },
            ` was confirmed as an attack. It has been handled since ${dayOf(openedTime, context.timeZone)}.`,
          ],
        ),
        ...(incidentTotal > incidents.length
          ? [[{ text: `All ${exact(incidentTotal)} confirmed attacks`, href: links.incidents }, ' are open.']]
          : []),
        ...sight,
      ],
    };
  }
  if (suspectedTotal > 0) {
    const others = open - suspectedTotal;
    return {
      state: 'watch',
      title:
        suspectedTotal === 1 ? 'A likely attack is being examined' : `${exact(suspectedTotal)} likely attacks are being examined`,
      sentences: [
        [
          { text: counted(suspectedTotal, 'case'), href: links.suspected },
          ` ${is(suspectedTotal)} judged malicious and ${is(suspectedTotal)} being examined. No attack is confirmed.`,
        ],
        ...(others > 0 ? [[`${counted(others, 'other case')} ${is(others)} being investigated.`]] : []),
        ...sight,
      ],
    };
  }
  if (devices === 0)
    return {
      state: 'blind',
      title: 'Not monitored yet',
      sentences: [['No device is connected, so no attack can be detected.']],
    };
  if (reporting === 0)
    return {
      state: 'blind',
      title: 'Your devices aren’t reporting',
      sentences: [
        ['None of ', { text: counted(devices, 'device'), href: links.blind }, ' reports, so an attack would go unnoticed.'],
      ],
    };
  if (open > 0)
    return {
      state: 'watch',
      title: 'No confirmed attack',
      sentences: [
        [{ text: counted(open, 'case'), href: links.open }, ` ${is(open)} being investigated. None is confirmed as an attack.`],
        ...sight,
      ],
    };
  return {
    state: missing > 0 ? 'watch' : 'safe',
    title: 'No open incidents',
    sentences: [
      ['Nothing is under investigation.'],
      ...(missing > 0 ? sight : [[`All ${counted(devices, 'device')} ${devices === 1 ? 'reports' : 'report'}.`]]),
    ],
  };
}

/** Alerts, cases and responses of the timeframe. */
export function doneOf(summary: ClientSummary, context: SummaryContext): Sentence[] {
  const links = linksOf(context);
  const { alerts, opened, resolved, actions } = summary;
  if (alerts + opened + actions === 0) return [[`Nothing suspicious was detected ${timePhrase(context)}.`]];
  const open = opened - resolved;
  return [
    [
      { text: counted(alerts, 'alert'), href: links.alerts },
      ` ${was(alerts)} raised ${timePhrase(context)} and led to `,
      opened === 0 ? 'no case' : { text: counted(opened, 'case'), href: links.opened },
      '.',
    ],
    ...(opened === 0
      ? []
      : resolved === 0
        ? [[opened === 1 ? 'It is being investigated.' : 'They are being investigated.']]
        : open === 0
          ? [[{ text: opened === 1 ? 'It' : 'All of them', href: links.resolved }, ` ${is(opened)} resolved.`]]
          : [
              [
                { text: `${exact(resolved)} of them`, href: links.resolved },
                ` ${is(resolved)} resolved, ${exact(open)} ${is(open)} being investigated.`,
              ],
            ]),
    ...(actions > 0
      ? [
          [
            { text: counted(actions, 'protective action'), href: links.actions },
            ` ${was(actions)} carried out on devices and accounts.`,
          ],
        ]
      : []),
  ];
}

/** Tasks of the reader, most urgent first; one sentence each. */
export function todoOf(summary: ClientSummary, context: SummaryContext): Sentence[] {
  const links = linksOf(context);
  const { questionTotal, approvals, devices, reporting } = summary;
  const missing = devices - reporting;
  const todo: Sentence[] = [
    ...(questionTotal > 0 ? [['Answer ', { text: counted(questionTotal, 'question'), href: links.questions }, '.']] : []),
    ...(approvals > 0
      ? [['Approve or refuse ', { text: counted(approvals, 'requested action'), href: links.approvals }, '.']]
      : []),
    ...(devices === 0 ? [['Connect ', { text: 'your first device', href: links.install }, '.']] : []),
    ...(missing > 0
      ? [['Check why ', { text: counted(missing, 'device'), href: links.blind }, ` ${missing === 1 ? 'does' : 'do'} not report.`]]
      : []),
  ];
  return todo.length > 0 ? todo : [['Nothing waits for you.']];
}

type StoryCase = ClientSummary['story'][number];
type StoryAction = StoryCase['actions'][number];

/** "a, b and 3 more devices". */
function listed(names: readonly string[], total: number, what: string): string {
  const more = total - names.length;
  const all = more > 0 ? [...names, `${exact(more)} more ${what}${more === 1 ? '' : 's'}`] : names;
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

const actionPhrases: Record<StoryAction['action'], (target: string) => [subject: string, done: string]> = {
  isolate: (target) => [target, 'isolated from the network'],
  unisolate: (target) => [target, 'connected to the network again'],
  blockUser: (target) => [`the account ${target}`, 'blocked'],
  unblockUser: (target) => [`the account ${target}`, 'unblocked'],
  block: (target) => [target, 'blocked'],
  unblock: (target) => [target, 'unblocked'],
  disable: (target) => [`the account ${target}`, 'disabled'],
  reenable: (target) => [`the account ${target}`, 'enabled again'],
  killProcess: (target) => [`the program ${target}`, 'stopped'],
  collectFile: (target) => [`the file ${target}`, 'collected'],
  revokeSessions: (target) => [`the account ${target}`, 'signed out everywhere'],
  resetFactors: (target) => [`the account ${target}`, 'MFA reset'],
};

/** Only observed effects count as done. */
function actionText({ action, target, isVerified }: StoryAction): string {
  const [subject, done] = actionPhrases[action](target);
  return `${subject} ${isVerified ? 'was' : 'was reported as'} ${done}`;
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

function outcomeOf({ isMalicious, isHarmless, isWaiting, closedTime }: StoryCase): string {
  if (isMalicious) return 'it was confirmed as an attack';
  if (isHarmless) return 'it turned out to be harmless';
  if (closedTime !== null) return 'it was investigated';
  return isWaiting ? 'it waits for your answer' : 'it is being investigated';
}

export interface StoryLine {
  id: number;
  /** "12 November". */
  day: string;
  sentence: Sentence;
}

/** The cases of the timeframe, one line each. */
export const storyOf = ({ story }: Pick<ClientSummary, 'story'>, context: SummaryContext): StoryLine[] =>
  story.map((one) => {
    const { id, title, devices, deviceTotal, users, userTotal, openedTime, closedTime } = one;
    const day = dayOf(openedTime, context.timeZone);
    const closedDay = closedTime === null ? undefined : dayOf(closedTime, context.timeZone);
    // Titles of cases mostly name their device.
    const isNamed = deviceTotal === 1 && title.includes(devices[0] ?? title);
    const place = deviceTotal > 0 && !isNamed ? ` on ${listed(devices, deviceTotal, 'device')}` : '';
    const account =
      userTotal === 0
        ? ''
        : ` ${userTotal === 1 ? 'with the account' : 'with the accounts'} ${listed(users, userTotal, 'account')}`;
    const closing =
      closedDay === undefined ? [] : [`the case was closed ${closedDay === day ? 'the same day' : `on ${closedDay}`}`];
    const rest = [outcomeOf(one), ...one.actions.map(actionText), ...closing].map((text) => `${capital(text)}.`).join(' ');
    return {
      id,
      day,
      sentence: [{ text: quoted(title), href: linksOf(context).case(id) }, ` was detected${place}${account}. ${rest}`],
    };
  });

/** "12 November". */
const dayOf = (instant: string, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone }).format(new Date(instant));
