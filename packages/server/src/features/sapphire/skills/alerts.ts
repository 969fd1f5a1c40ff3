/** Skills about alerts. */
import type { AlertRow, alertsApi } from '@parapet/contract/alerts.ts';
import { problem } from '@parapet/contract/problem.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import type { z } from 'zod';
import {
  each,
  type Facts,
  has,
  inTime,
  listed,
  number,
  plain,
  quoted,
  rowsOf,
  type Skill,
  type SkillContext,
  sentence,
  when,
} from './facts.ts';
import { alertPath, casePath, devicePath, timedPath, wholeDays } from './links.ts';

type Query = z.output<typeof alertsApi.list.query>;

export const alertFiltersOf = ({ slots, ruleKeys }: SkillContext): Omit<Query, 'page' | 'pageSize' | 'sort' | 'order'> => ({
  severity: [...(slots.severities ?? [])],
  rule: [...ruleKeys],
  device: slots.device,
  user: slots.user,
  category: [],
  technique: slots.technique === undefined ? [] : [slots.technique],
  status: [],
  fate: [],
  text: '',
});

export const alertsPath = (context: SkillContext, client: number, more: Record<string, string | undefined> = {}): string => {
  const { severity, rule, technique, device, user } = alertFiltersOf(context);
  return timedPath('alerts', client, context, { severity, rule, technique, device, user, ...more });
};

export async function readAlerts(context: SkillContext, pageSize: number, range = context.timeframe) {
  const query: Query = { ...alertFiltersOf(context), page: 1, pageSize, sort: 'createdTime', order: 'desc' };
  const lists = await each(context, (client) =>
    context.services.alerts.list(context.actor, client, range.start, range.end, query),
  );
  return {
    rows: lists.flatMap(({ results }) => results).sort((a, b) => Date.parse(b.createdTime) - Date.parse(a.createdTime)),
    total: lists.reduce((sum, { total }) => sum + total, 0),
    isAtLeast: lists.some(({ totalIsAtLeast }) => totalIsAtLeast),
  };
}

/** "critical alerts of the rule “SSH Brute Force” on the device ALD-DC-01". */
export function alertsNamed({ slots }: SkillContext, count: number): string {
  const severity = listed(slots.severities ?? [], 'or');
  return [
    `${severity ? `${severity} ` : ''}${count === 1 ? 'alert' : 'alerts'}`,
    slots.rule ? `of the rule ${quoted(slots.rule)}` : '',
    slots.technique ? `of the technique ${slots.technique}` : '',
    slots.device ? `on the device ${plain(slots.device)}` : '',
    slots.user ? `of the user ${plain(slots.user)}` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

const sourcesOf = (context: SkillContext, total: number) =>
  context.clients.map((client) => ({
    text: `${number(total)} ${alertsNamed(context, total)}${wholeDays(context)}`,
    path: alertsPath(context, client),
  }));

const isNarrowed = ({ slots }: SkillContext) =>
  [slots.rule, slots.technique, slots.device, slots.user, slots.severities].some((slot) => slot !== undefined);

export const overTime = async (context: SkillContext, range = context.timeframe) =>
  each(context, (client) =>
    context.services.dashboard.alertsOverTime(context.actor, client, range.start, range.end, zoneOf(context)),
  );
/** Services accept zone names only. */
const zoneOf = ({ timeZone }: SkillContext) => (/^[+-]/.test(timeZone) ? 'UTC' : timeZone);

export const countAlerts: Skill = async (context): Promise<Facts> => {
  const { total, isAtLeast } = await readAlerts(context, 1);
  const severitiesNow = total > 0 && !isNarrowed(context) ? await overTime(context) : [];
  const bySeverity = severities
    .map((severity) => ({ severity, count: severitiesNow.reduce((sum, answer) => sum + answer.total[severity], 0) }))
    .filter(({ count }) => count > 0);
  const lines = [
    `${context.whose} ${has(context)} ${total === 0 ? 'no' : `${isAtLeast ? 'at least ' : ''}${number(total)}`} ${alertsNamed(context, total)} ${inTime(context.timeframe.label)}.`,
    ...(bySeverity.length > 1
      ? [`By severity: ${bySeverity.map(({ severity, count }) => `${number(count)} ${severity}`).join(', ')}.`]
      : []),
  ];
  return {
    text: sentence(lines.join('\n')),
    sources: sourcesOf(context, total),
    choices: ['Why?', 'Only critical', 'And last month?', 'List them'],
  };
};

const alertColumns = ['Alert', 'Time', 'Severity', 'Summary', 'Rule', 'Device', 'User', 'Client'];
const alertRow = (row: AlertRow, { timeZone }: SkillContext) => ({
  cells: [
    row.id,
    when(row.createdTime, timeZone),
    row.severity,
    row.alertSummary,
    row.rule,
    row.deviceName,
    row.userName,
    row.clientOrganizationName,
  ],
  path: alertPath(row.id),
});

export const listAlerts: Skill = async (context): Promise<Facts> => {
  const { total, rows, isAtLeast } = await readAlerts(context, context.slots.limit ?? 200);
  const shown = rows.slice(0, context.slots.limit ?? 200);
  const lines =
    total === 0
      ? [`${context.whose} ${has(context)} no ${alertsNamed(context, 0)} ${inTime(context.timeframe.label)}.`]
      : [
          `${isAtLeast ? 'At least ' : ''}${number(total)} ${alertsNamed(context, total)} of ${context.whose} ${inTime(context.timeframe.label)}, newest first${shown.length < total ? ` (${number(shown.length)} listed)` : ''}:`,
          ...shown
            .slice(0, 5)
            .map(
              (row) =>
                `#${row.id} ${plain(row.rule)} (${row.severity})${row.deviceName ? ` on ${plain(row.deviceName)}` : ''}, ${when(row.createdTime, context.timeZone)}.`,
            ),
          ...(shown.length > 5 ? ['The others are in the table.'] : []),
        ];
  return {
    text: sentence(lines.join('\n')),
    sources: [
      ...sourcesOf(context, total),
      ...shown.slice(0, 5).map((row) => ({ text: `Alert ${row.id}`, path: alertPath(row.id) })),
    ],
    ...rowsOf(
      alertColumns,
      shown.map((row) => alertRow(row, context)),
      'alerts',
    ),
    choices: shown[0]
      ? [`Explain alert ${shown[0].id}`, 'How many are there?', 'Only critical']
      : ['How many alerts did we have this month?'],
  };
};

export const explainAlert: Skill = async (context): Promise<Facts> => {
  const { alertId } = context.slots;
  if (alertId === undefined) return askForNumber('alert');
  const alert = await context.services.alerts.detail(context.actor, alertId);
  if (!context.clients.includes(0) && !context.clients.includes(alert.clientOrganizationID)) throw notHere('alert', alertId);
  const why = alert.why.slice(0, 4);
  const lines = [
    `Alert ${alert.id} was raised by the rule ${quoted(alert.rule)} (${alert.severity}) for ${plain(alert.clientOrganizationName)}, ${when(alert.createdTime, context.timeZone)}.`,
    `Summary: ${quoted(alert.alertSummary)}${alert.count > 1 ? `, ${number(alert.count)} times` : ''}.`,
    ...(alert.deviceName || alert.userName
      ? [
          `It concerns ${listed([alert.deviceName && `the device ${plain(alert.deviceName)}`, alert.userName && `the user ${plain(alert.userName)}`].filter((part) => typeof part === 'string' && part !== '') as string[])}.`,
        ]
      : []),
    ...(alert.description ? [`Rule description: ${plain(alert.description, 500)}`] : []),
    ...(why.length > 0
      ? [
          `Match details: ${why.map(({ field, value }) => `${field ? `${plain(field)} was ` : ''}${quoted(value, 120)}`).join('; ')}.`,
        ]
      : []),
    ...(alert.techniques.length > 0 ? [`ATT&CK: ${alert.techniques.map(({ id, name }) => `${id} ${name}`).join(', ')}.`] : []),
    ...(alert.guidance?.whyItMatters ? [`Why it matters: ${plain(alert.guidance.whyItMatters, 500)}`] : []),
    ...(alert.guidance && alert.guidance.checkFirst.length > 0
      ? [`Check first: ${alert.guidance.checkFirst.map((step, index) => `${index + 1}. ${plain(step, 300)}`).join(' ')}`]
      : []),
    ...(alert.falsePositives.length > 0 ? [`Known false positives: ${plain(alert.falsePositives.join('; '), 300)}.`] : []),
    alert.caseID === null ? 'It belongs to no case.' : `It belongs to case ${alert.caseID}.`,
  ];
  return {
    text: lines.join('\n'),
    sources: [
      { text: `Alert ${alert.id}`, path: alertPath(alert.id) },
      ...(alert.caseID === null ? [] : [{ text: `Case ${alert.caseID}`, path: casePath(alert.caseID) }]),
      ...(alert.deviceName
        ? [{ text: `Device ${plain(alert.deviceName)}`, path: devicePath(alert.clientOrganizationID, alert.deviceName) }]
        : []),
    ],
    ...rowsOf(
      ['Field', 'Value', 'Rule condition'],
      alert.why.slice(0, 50).map(({ field, value, pattern }) => ({ cells: [field ?? 'any', value, pattern] })),
      `alert-${alert.id}`,
    ),
    choices: alert.caseID === null ? ['List the newest alerts'] : [`Summarise case ${alert.caseID}`],
  };
};

export const askForNumber = (kind: 'alert' | 'case'): Facts => ({
  text: `Which ${kind}? Enter its number, for example “${kind === 'alert' ? 'Explain alert' : 'Summarise case'} 12”.`,
  sources: [],
  choices: [kind === 'alert' ? 'List the newest alerts' : 'List the open cases'],
});
/** The same error for a missing object, another tenant’s, and one of another client than the selected one. */
export const notHere = (kind: string, id: number) => problem.notFound(kind, id);
