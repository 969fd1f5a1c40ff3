/** Summaries of a period: compared with another, since a day, or in words. */
import { statusLabel, type Verdict } from '@parapet/contract/rules/cases.ts';
import { resolveTimeframe } from '@parapet/contract/rules/timeframe.ts';
import { before } from '../understanding/times.ts';
import { alertsNamed, alertsPath, readAlerts } from './alerts.ts';
import { casesNamed, casesPath, readCases } from './cases.ts';
import {
  changeOf,
  counted,
  each,
  type Facts,
  inTime,
  listed,
  number,
  plain,
  quoted,
  rowsOf,
  type Skill,
  type SkillContext,
  sentence,
  type Timeframe,
  when,
} from './facts.ts';
import { casePath, path, timedPath, timeOf, wholeDays } from './links.ts';

/** The same context for another time. */
const at = (context: SkillContext, timeframe: Timeframe): SkillContext => ({ ...context, timeframe, hasOwnTime: true });

export const comparePeriods: Skill = async (context): Promise<Facts> => {
  const { timeframe } = context;
  const other = context.slots.before ?? before(timeframe, context.now, context.timeZone);
  const isOfCases = context.slots.metric === 'cases';
  const count = async (of: Timeframe) =>
    (isOfCases ? await readCases(at(context, of), 1) : await readAlerts(at(context, of), 1)).total;
  const [now, then] = [await count(timeframe), await count(other)];
  const noun = isOfCases ? casesNamed(context, 2) : alertsNamed(context, 2);
  const drillDownOf = (of: Timeframe) => (client: number) =>
    isOfCases ? casesPath(at(context, of), client) : alertsPath(at(context, of), client);
  const [client = 0] = context.clients;
  return {
    text: sentence(
      `${context.whose}: ${number(now)} ${noun} ${inTime(timeframe.label)}, ${number(then)} ${inTime(other.label)}: ${changeOf(now, then)}${now === then ? '' : ` (${now > then ? '+' : '−'}${number(Math.abs(now - then))})`}.`,
    ),
    sources: context.clients.flatMap((of) => [
      { text: `${number(now)} ${noun} ${inTime(timeframe.label)}`, path: drillDownOf(timeframe)(of) },
      { text: `${number(then)} ${noun} ${inTime(other.label)}`, path: drillDownOf(other)(of) },
    ]),
    ...rowsOf(
      ['Time', sentence(noun)],
      [
        { cells: [timeframe.label, now], path: drillDownOf(timeframe)(client) },
        { cells: [other.label, then], path: drillDownOf(other)(client) },
      ],
      'comparison',
    ),
    choices: [isOfCases ? 'And alerts?' : 'And cases?', 'Which rules raise the most alerts?', 'Summarise the last seven days'],
  };
};

/** Reads the common figures of a period: alerts, cases, top entities. */
async function read(context: SkillContext) {
  const { actor, services, timeframe } = context;
  const earlier = before(timeframe, context.now, context.timeZone);
  const alerts = await readAlerts(context, 1);
  const alertsBefore = await readAlerts(context, 1, earlier);
  const critical = await readAlerts({ ...context, slots: { ...context.slots, severities: ['critical'] } }, 1);
  const opened = await readCases(
    { ...context, slots: { ...context.slots, states: undefined, severities: undefined }, hasOwnTime: true },
    200,
  );
  const open = await readCases({ ...context, slots: { ...context.slots, states: ['open'] }, hasOwnTime: false }, 1);
  const overviews = await each(context, (client) => services.dashboard.overview(actor, client, timeframe.start, timeframe.end));
  const best = (tops: { name: string; count: number }[]) => tops.sort((a, b) => b.count - a.count)[0];
  return {
    alerts: alerts.total,
    alertsBefore: alertsBefore.total,
    critical: critical.total,
    opened,
    open: open.total,
    earlier,
    rule: best(overviews.flatMap(({ topRules }) => topRules)),
    device: best(overviews.flatMap(({ topDevices }) => topDevices)),
    user: best(overviews.flatMap(({ topUsers }) => topUsers)),
  };
}

/** Omits the critical ones when there are no alerts. */
const criticalOf = ({ alerts, critical }: { alerts: number; critical: number }): string =>
  alerts === 0
    ? ''
    : alerts === 1
      ? critical === 1
        ? ', a critical one'
        : ', not a critical one'
      : `, ${critical === 0 ? 'none' : number(critical)} of them critical`;

/** Outcomes of the cases opened in a period. */
function endsOf(total: number, closed: number, malicious: number, suspicious: number): string {
  const judged = malicious === 1 ? 'malicious' : suspicious === 1 ? 'suspicious' : undefined;
  if (total === 1) return `; it is ${closed === 1 ? 'closed' : 'open'}${judged ? ` and was judged ${judged}` : ''}`;
  return `; ${closed === 0 ? 'none' : number(closed)} of them ${closed === 1 ? 'is' : 'are'} closed, ${malicious === 0 ? 'none' : number(malicious)} ${malicious === 1 ? 'was' : 'were'} judged malicious${suspicious === 0 ? '' : `, ${number(suspicious)} suspicious`}`;
}

const casesIn = (context: SkillContext) =>
  context.clients.map((client) => ({
    text: `Cases opened then${wholeDays(context)}`,
    path: path(`/apps/cases/${client}`, timeOf(context.timeframe, context.now, context.timeZone).query),
  }));

const caseRows = (context: SkillContext, { opened }: Awaited<ReturnType<typeof read>>) =>
  rowsOf(
    ['Case', 'Title', 'Status', 'Criticality', 'Client', 'Opened'],
    opened.rows.map((row) => ({
      cells: [
        row.id,
        row.title,
        statusLabel(row.status),
        row.criticality,
        row.clientOrganizationName,
        when(row.createdTime, context.timeZone),
      ],
      path: casePath(row.id),
    })),
    'cases-of-the-time',
  );

const ordered = ['critical', 'high', 'medium', 'low', 'informational'];

export const periodSummary: Skill = async (given): Promise<Facts> => {
  // "How was our week": without a time, the last seven days.
  const context = given.hasOwnTime
    ? given
    : at(given, { ...resolveTimeframe('thisWeek', given.now, given.timeZone), label: 'the last seven days' });
  const of = await read(context);
  const { rows, total } = of.opened;
  const closed = rows.filter(({ closedTime }) => closedTime !== null).length;
  const judged = (wanted: Verdict) => rows.filter(({ verdict }) => verdict === wanted).length;
  const worst = [...rows]
    .sort((a, b) => ordered.indexOf(a.criticality) - ordered.indexOf(b.criticality) || b.riskScore - a.riskScore)
    .slice(0, 3);
  const lines = [
    `${sentence(inTime(context.timeframe.label))} at ${context.whose}:`,
    `${counted(of.alerts, 'alert')} (${changeOf(of.alerts, of.alertsBefore)} on ${of.earlier.label})${criticalOf(of)}.`,
    `${counted(total, 'case')} ${total === 1 ? 'was' : 'were'} opened${total > 0 && rows.length === total ? endsOf(total, closed, judged('Malicious'), judged('Suspicious')) : ''}. In all ${counted(of.open, 'case')} ${of.open === 1 ? 'is' : 'are'} open now.`,
    ...(of.rule
      ? [
          `The most common alert was ${quoted(of.rule.name)} (${number(of.rule.count)})${of.device ? `, the busiest device ${plain(of.device.name)} (${number(of.device.count)})` : ''}.`,
        ]
      : []),
    ...(worst.length > 0
      ? [
          `The most serious ${worst.length === 1 ? 'case' : 'cases'}: ${listed(worst.map((row) => `#${row.id} ${plain(row.title, 100)} (${row.criticality}, ${statusLabel(row.status)})`))}.`,
        ]
      : []),
  ];
  return {
    text: lines.join('\n'),
    sources: [
      ...context.clients.map((client) => ({
        text: `${counted(of.alerts, 'alert')}${wholeDays(context)}`,
        path: timedPath('alerts', client, context),
      })),
      ...casesIn(context),
      ...worst.map(({ id }) => ({ text: `Case ${id}`, path: casePath(id) })),
    ],
    ...caseRows(context, of),
    choices: ['Compare this month with last month', 'Which device is the biggest risk?', 'Which rules raise the most alerts?'],
  };
};

export const changesSince: Skill = async (given): Promise<Facts> => {
  const { now, timeZone } = given;
  const start = new Date(now - 86_400_000).toISOString();
  const lastDay = { start, end: resolveTimeframe('thisMonth', now, timeZone).end, label: 'the last 24 hours' };
  const context = given.hasOwnTime ? given : at(given, lastDay);
  const of = await read(context);
  const { rows, total } = of.opened;
  const responses = await each(context, (client) =>
    context.services.responses.list(
      context.actor,
      { client, start: context.timeframe.start, end: context.timeframe.end },
      { page: 1, pageSize: 1, text: '', state: [], action: [] },
    ),
  );
  const asked = responses.reduce((sum, list) => sum + list.total, 0);
  const stillOpen = rows.filter(({ closedTime }) => closedTime === null);
  const lines = [
    `${sentence(inTime(context.timeframe.label))}, for ${context.whose}:`,
    `${counted(of.alerts, 'new alert')}${criticalOf(of)}.`,
    `${counted(total, 'new case')}${stillOpen.length > 0 && rows.length === total ? `, ${number(stillOpen.length)} still open` : ''}.`,
    ...stillOpen.slice(0, 4).map((row) => `#${row.id} ${plain(row.title, 100)}: ${row.criticality}, ${statusLabel(row.status)}.`),
    `${counted(asked, 'response')} ${asked === 1 ? 'was' : 'were'} requested.`,
    ...(of.rule ? [`Most of the alerts were ${quoted(of.rule.name)} (${number(of.rule.count)}).`] : []),
  ];
  const { query } = timeOf(context.timeframe, now, timeZone);
  return {
    text: lines.join('\n'),
    sources: [
      ...context.clients.map((client) => ({
        text: `${counted(of.alerts, 'alert')}${wholeDays(context)}`,
        path: timedPath('alerts', client, context),
      })),
      ...casesIn(context),
      ...context.clients
        .slice(0, 1)
        .map((client) => ({ text: counted(asked, 'response'), path: path('/apps/response', { client, ...query }) })),
    ],
    ...caseRows(context, of),
    choices: [
      ...(stillOpen[0] ? [`Summarise case ${stillOpen[0].id}`] : []),
      'List the open cases',
      'Compare this month with last month',
    ],
  };
};
