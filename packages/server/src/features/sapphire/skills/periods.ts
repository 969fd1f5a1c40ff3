/** What happened in a time: compared with another, since a day, or as a week in words. */
import { statusLabel } from '@parapet/contract/rules/cases.ts';
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

/** The same question of another time. */
const at = (asking: SkillContext, timeframe: Timeframe): SkillContext => ({ ...asking, timeframe, isTimeSaid: true });

export const comparePeriods: Skill = async (asking): Promise<Facts> => {
  const { timeframe } = asking;
  const other = asking.slots.before ?? before(timeframe, asking.now, asking.timeZone);
  const isOfCases = asking.slots.metric === 'cases';
  const count = async (of: Timeframe) =>
    (isOfCases ? await readCases(at(asking, of), 1) : await readAlerts(at(asking, of), 1)).total;
  const [now, then] = [await count(timeframe), await count(other)];
  const noun = isOfCases ? casesNamed(asking, 2) : alertsNamed(asking, 2);
  const drillDownOf = (of: Timeframe) => (client: number) =>
    isOfCases ? casesPath(at(asking, of), client) : alertsPath(at(asking, of), client);
  const [client = 0] = asking.clients;
  return {
    text: sentence(
      `${asking.whose}: ${number(now)} ${noun} ${inTime(timeframe.label)}, ${number(then)} ${inTime(other.label)}: ${changeOf(now, then)}${now === then ? '' : ` (${now > then ? '+' : '−'}${number(Math.abs(now - then))})`}.`,
    ),
    sources: asking.clients.flatMap((of) => [
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

/** What both tell: alerts, cases, what stands out. */
async function read(asking: SkillContext) {
  const { actor, services, timeframe } = asking;
  const earlier = before(timeframe, asking.now, asking.timeZone);
  const alerts = await readAlerts(asking, 1);
  const alertsBefore = await readAlerts(asking, 1, earlier);
  const critical = await readAlerts({ ...asking, slots: { ...asking.slots, severities: ['critical'] } }, 1);
  const opened = await readCases(
    { ...asking, slots: { ...asking.slots, states: undefined, severities: undefined }, isTimeSaid: true },
    200,
  );
  const open = await readCases({ ...asking, slots: { ...asking.slots, states: ['open'] }, isTimeSaid: false }, 1);
  const overviews = await each(asking, (client) => services.dashboard.overview(actor, client, timeframe.start, timeframe.end));
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

/** Nothing is said of the critical ones among none. */
const criticalOf = ({ alerts, critical }: { alerts: number; critical: number }): string =>
  alerts === 0
    ? ''
    : alerts === 1
      ? critical === 1
        ? ', a critical one'
        : ', not a critical one'
      : `, ${critical === 0 ? 'none' : number(critical)} of them critical`;

/** How the cases opened in a time ended by now. */
function endsOf(total: number, closed: number, malicious: number): string {
  if (total === 1) return `; it is ${closed === 1 ? 'closed' : 'open'}${malicious === 1 ? ' and was judged malicious' : ''}`;
  return `; ${closed === 0 ? 'none' : number(closed)} of them ${closed === 1 ? 'is' : 'are'} closed by now, ${malicious === 0 ? 'none' : number(malicious)} ${malicious === 1 ? 'was' : 'were'} judged malicious`;
}

const casesIn = (asking: SkillContext) =>
  asking.clients.map((client) => ({
    text: `Cases opened then${wholeDays(asking)}`,
    path: path(`/apps/cases/${client}`, timeOf(asking.timeframe, asking.now, asking.timeZone).query),
  }));

const caseRows = (asking: SkillContext, { opened }: Awaited<ReturnType<typeof read>>) =>
  rowsOf(
    ['Case', 'What happened', 'Status', 'Criticality', 'Client', 'Opened'],
    opened.rows.map((row) => ({
      cells: [
        row.id,
        row.title,
        statusLabel(row.status),
        row.criticality,
        row.clientOrganizationName,
        when(row.createdTime, asking.timeZone),
      ],
      path: casePath(row.id),
    })),
    'cases-of-the-time',
  );

const ordered = ['critical', 'high', 'medium', 'low', 'informational'];

export const periodSummary: Skill = async (given): Promise<Facts> => {
  // "How was our week": without a time it is the last seven days.
  const asking = given.isTimeSaid
    ? given
    : at(given, { ...resolveTimeframe('thisWeek', given.now, given.timeZone), label: 'the last seven days' });
  const of = await read(asking);
  const { rows, total } = of.opened;
  const closed = rows.filter(({ closedTime }) => closedTime !== null).length;
  const malicious = rows.filter(({ verdict }) => verdict === 'Malicious').length;
  const worst = [...rows]
    .sort((a, b) => ordered.indexOf(a.criticality) - ordered.indexOf(b.criticality) || b.riskScore - a.riskScore)
    .slice(0, 3);
  const lines = [
    `${sentence(inTime(asking.timeframe.label))} at ${asking.whose}:`,
    `${counted(of.alerts, 'alert')} (${changeOf(of.alerts, of.alertsBefore)} on ${of.earlier.label})${criticalOf(of)}.`,
    `${counted(total, 'case')} ${total === 1 ? 'was' : 'were'} opened${total > 0 && rows.length === total ? endsOf(total, closed, malicious) : ''}. In all ${counted(of.open, 'case')} ${of.open === 1 ? 'is' : 'are'} open now.`,
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
      ...asking.clients.map((client) => ({
        text: `${counted(of.alerts, 'alert')}${wholeDays(asking)}`,
        path: timedPath('alerts', client, asking),
      })),
      ...casesIn(asking),
      ...worst.map(({ id }) => ({ text: `Case ${id}`, path: casePath(id) })),
    ],
    ...caseRows(asking, of),
    choices: ['Compare this month with last month', 'Which device is the biggest risk?', 'Which rules raise the most alerts?'],
  };
};

export const changesSince: Skill = async (given): Promise<Facts> => {
  const { now, timeZone } = given;
  const start = new Date(now - 86_400_000).toISOString();
  const lastDay = { start, end: resolveTimeframe('thisMonth', now, timeZone).end, label: 'the last 24 hours' };
  const asking = given.isTimeSaid ? given : at(given, lastDay);
  const of = await read(asking);
  const { rows, total } = of.opened;
  const responses = await each(asking, (client) =>
    asking.services.responses.list(
      asking.actor,
      { client, start: asking.timeframe.start, end: asking.timeframe.end },
      { page: 1, pageSize: 1, text: '', state: [], action: [] },
    ),
  );
  const asked = responses.reduce((sum, list) => sum + list.total, 0);
  const stillOpen = rows.filter(({ closedTime }) => closedTime === null);
  const lines = [
    `${sentence(inTime(asking.timeframe.label))}, for ${asking.whose}:`,
    `${counted(of.alerts, 'new alert')}${criticalOf(of)}.`,
    `${counted(total, 'new case')}${stillOpen.length > 0 && rows.length === total ? `, ${number(stillOpen.length)} still open` : ''}.`,
    ...stillOpen.slice(0, 4).map((row) => `#${row.id} ${plain(row.title, 100)}: ${row.criticality}, ${statusLabel(row.status)}.`),
    `${counted(asked, 'response')} ${asked === 1 ? 'was' : 'were'} asked for.`,
    ...(of.rule ? [`Most of the alerts were ${quoted(of.rule.name)} (${number(of.rule.count)}).`] : []),
  ];
  const { query } = timeOf(asking.timeframe, now, timeZone);
  return {
    text: lines.join('\n'),
    sources: [
      ...asking.clients.map((client) => ({
        text: `${counted(of.alerts, 'alert')}${wholeDays(asking)}`,
        path: timedPath('alerts', client, asking),
      })),
      ...casesIn(asking),
      ...asking.clients
        .slice(0, 1)
        .map((client) => ({ text: counted(asked, 'response'), path: path('/apps/response', { client, ...query }) })),
    ],
    ...caseRows(asking, of),
    choices: [
      ...(stillOpen[0] ? [`Summarise case ${stillOpen[0].id}`] : []),
      'List the open cases',
      'Compare this month with last month',
    ],
  };
};
