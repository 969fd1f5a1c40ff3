/** Progress of responses, and handling times of cases. */

import type { ResponseRow } from '@parapet/contract/responseRequests.ts';
import { durationText } from '@parapet/contract/rules/duration.ts';
import { resolveTimeframe } from '@parapet/contract/rules/timeframe.ts';
import {
  counted,
  each,
  type Facts,
  inTime,
  listed,
  number,
  plain,
  rowsOf,
  type Skill,
  type SkillContext,
  when,
} from './facts.ts';
import { casePath, path, timedPath, timeOf } from './links.ts';

const stateLabels: Record<ResponseRow['state'], string> = {
  requested: 'waiting for approval',
  approved: 'approved',
  sent: 'sent to the agent',
  acknowledged: 'acknowledged',
  verified: 'done and verified',
  failed: 'failed',
  expired: 'expired',
  released: 'released',
};
const actionLabels: Record<ResponseRow['action'], string> = {
  isolate: 'isolate',
  unisolate: 'release',
  blockUser: 'block',
  unblockUser: 'unblock',
  block: 'block',
  unblock: 'unblock',
  disable: 'disable',
  reenable: 'reenable',
  killProcess: 'end the process',
  collectFile: 'collect the file',
};
const order = ['requested', 'approved', 'sent', 'acknowledged', 'verified', 'failed', 'expired', 'released'] as const;

/** All responses without a time: a waiting one may be old. */
const rangeOf = (context: SkillContext) =>
  context.hasOwnTime ? context.timeframe : { ...resolveTimeframe('allTime', context.now, context.timeZone), label: 'so far' };

export const responseState: Skill = async (context): Promise<Facts> => {
  const { device, user, caseId } = context.slots;
  const range = rangeOf(context);
  const text = device ?? user ?? '';
  const lists = await each(context, (client) =>
    context.services.responses.list(
      context.actor,
      { client, start: range.start, end: range.end },
      { page: 1, pageSize: 200, text, state: [], action: [], ...(caseId !== undefined && { caseID: caseId }) },
    ),
  );
  const rows = lists.flatMap(({ results }) => results);
  const total = lists.reduce((sum, list) => sum + list.total, 0);
  const counts = new Map<string, number>();
  for (const { states } of lists) for (const { state, count } of states) counts.set(state, (counts.get(state) ?? 0) + count);
  const about = [caseId === undefined ? '' : `for case ${caseId}`, text === '' ? '' : `on ${plain(text)}`, `of ${context.whose}`]
    .filter(Boolean)
    .join(' ');
  const waiting = rows.filter(({ approvalsNeeded, state }) => state === 'requested' && approvalsNeeded > 0);
  const mine = waiting.filter(({ mayApprove }) => mayApprove);
  const info = device === undefined ? undefined : await stateOfDevice(context, device);
  const lines = [
    ...(info ? [info] : []),
    total === 0
      ? `There are no responses ${about} ${range.label === 'so far' ? 'so far' : inTime(range.label)}.`
      : `There ${total === 1 ? 'is' : 'are'} ${counted(total, 'response')} ${about} ${range.label === 'so far' ? 'so far' : inTime(range.label)}: ${total === 1 && rows[0] ? stateLabels[rows[0].state] : listed(order.filter((state) => counts.get(state)).map((state) => `${number(counts.get(state) ?? 0)} ${stateLabels[state]}`))}.`,
    ...(waiting.length > 0
      ? [
          `${counted(waiting.length, 'request')} ${waiting.length === 1 ? 'waits' : 'wait'} for approval${mine.length > 0 ? `; you may approve ${number(mine.length)}` : ''}.`,
        ]
      : []),
    ...rows
      .slice(0, 5)
      .map(
        (row) =>
          `#${row.id}: ${actionLabels[row.action]} ${plain(row.target)}, ${stateLabels[row.state]}, ${when(row.changedTime, context.timeZone)}.`,
      ),
  ];
  const { query } = timeOf(range, context.now, context.timeZone);
  return {
    text: lines.join('\n'),
    sources: [
      ...context.clients.map((client) => ({
        text: counted(total, 'response'),
        path: path('/apps/response', { client, ...query, case: caseId, text }),
      })),
      ...(caseId === undefined ? [] : [{ text: `Case ${caseId}`, path: casePath(caseId) }]),
    ],
    ...rowsOf(
      ['Response', 'Action', 'Target', 'State', 'Requested by', 'Changed', 'Case', 'Client'],
      rows.map((row) => ({
        cells: [
          row.id,
          actionLabels[row.action],
          row.target,
          stateLabels[row.state],
          row.requestedBy,
          when(row.changedTime, context.timeZone),
          row.caseID,
          row.clientOrganizationName,
        ],
        path: `/apps/response/${row.id}`,
      })),
      'responses',
    ),
    choices: ['Which devices are isolated?', 'List the open cases'],
  };
};

/** State observed on the device itself, regardless of requests. */
async function stateOfDevice(context: SkillContext, name: string): Promise<string | undefined> {
  const found = await each(context, (client) => context.services.devices.get(context.actor, client, name).catch(() => undefined));
  const device = found.find((one) => one !== undefined);
  return device && `${plain(device.name)} is ${device.isIsolated ? '' : 'not '}isolated now.`;
}

export const times: Skill = async (context): Promise<Facts> => {
  const { start, end } = context.timeframe;
  const lists = await each(context, (client) => context.services.cases.times(context.actor, client, start, end));
  const rows = lists.flatMap(({ results }) => results);
  const cases = rows.reduce((sum, row) => sum + row.cases, 0);
  const breached = rows.reduce((sum, row) => sum + row.breached, 0);
  const formatMinutes = (minutes: number | null) => (minutes === null ? 'no data yet' : durationText(minutes));
  const [one] = rows;
  const timeWords = inTime(context.timeframe.label);
  const lines =
    cases === 0
      ? [`No cases of ${context.whose} were opened ${timeWords}, so there are no times.`]
      : rows.length === 1 && one
        ? [
            `Of ${counted(cases, 'case')} of ${context.whose} opened ${timeWords}, the mean times are:`,
            `Acknowledge: ${formatMinutes(one.meanMinutesToAcknowledge)}. Contain: ${formatMinutes(one.meanMinutesToContain)}. Resolve: ${formatMinutes(one.meanMinutesToResolve)}.`,
            ...(one.withinTarget === null
              ? []
              : [`${number(Math.round(one.withinTarget * 100))}% of the closed ones met all targets.`]),
          ]
        : [
            `${counted(cases, 'case')} of ${counted(rows.length, 'client')} opened ${timeWords}; mean times to acknowledge, contain and resolve:`,
            ...rows
              .slice(0, 6)
              .map(
                (row) =>
                  `${plain(row.clientOrganizationName)}: ${formatMinutes(row.meanMinutesToAcknowledge)}, ${formatMinutes(row.meanMinutesToContain)}, ${formatMinutes(row.meanMinutesToResolve)}.`,
              ),
          ];
  if (context.slots.severities)
    lines.push('These times cover all criticalities; the portal does not record them by criticality.');
  if (breached > 0) lines.push(`${counted(breached, 'open case')} ${breached === 1 ? 'is' : 'are'} over target now.`);
  const [client = 0] = context.clients;
  return {
    text: lines.join('\n'),
    sources: [
      ...context.clients.map((of) => ({ text: counted(cases, 'case'), path: timedPath('cases', of, context) })),
      ...(breached > 0
        ? [
            {
              text: `${counted(breached, 'case')} over target`,
              path: path(`/apps/cases/${client}`, { timeframe: 'allTime', breached: 'true' }),
            },
          ]
        : []),
    ],
    ...rowsOf(
      [
        'Client',
        'Cases',
        'Minutes to acknowledge',
        'Minutes to contain',
        'Minutes to resolve',
        'Within target',
        'Over target now',
      ],
      rows.map((row) => ({
        cells: [
          row.clientOrganizationName,
          row.cases,
          row.meanMinutesToAcknowledge,
          row.meanMinutesToContain,
          row.meanMinutesToResolve,
          row.withinTarget,
          row.breached,
        ],
      })),
      'times',
    ),
    choices: ['And last month?', 'List the open cases'],
  };
};
