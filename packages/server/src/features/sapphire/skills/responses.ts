/** How far responses are, and how long cases take. */

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
  unisolate: 'let back',
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

/** Without a time all of them: what waits may have been asked for long ago. */
const rangeOf = (asking: SkillContext) =>
  asking.isTimeSaid ? asking.timeframe : { ...resolveTimeframe('allTime', asking.now, asking.timeZone), label: 'so far' };

export const responseState: Skill = async (asking): Promise<Facts> => {
  const { device, user, caseId } = asking.slots;
  const range = rangeOf(asking);
  const text = device ?? user ?? '';
  const lists = await each(asking, (client) =>
    asking.services.responses.list(
      asking.actor,
      { client, start: range.start, end: range.end },
      { page: 1, pageSize: 200, text, state: [], action: [], ...(caseId !== undefined && { caseID: caseId }) },
    ),
  );
  const rows = lists.flatMap(({ results }) => results);
  const total = lists.reduce((sum, list) => sum + list.total, 0);
  const counts = new Map<string, number>();
  for (const { states } of lists) for (const { state, count } of states) counts.set(state, (counts.get(state) ?? 0) + count);
  const about = [caseId === undefined ? '' : `for case ${caseId}`, text === '' ? '' : `on ${plain(text)}`, `of ${asking.whose}`]
    .filter(Boolean)
    .join(' ');
  const waiting = rows.filter(({ approvalsNeeded, state }) => state === 'requested' && approvalsNeeded > 0);
  const mine = waiting.filter(({ mayApprove }) => mayApprove);
  const info = device === undefined ? undefined : await stateOfDevice(asking, device);
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
          `#${row.id}: ${actionLabels[row.action]} ${plain(row.target)}, ${stateLabels[row.state]}, ${when(row.changedTime, asking.timeZone)}.`,
      ),
  ];
  const { query } = timeOf(range, asking.now, asking.timeZone);
  return {
    text: lines.join('\n'),
    sources: [
      ...asking.clients.map((client) => ({
        text: counted(total, 'response'),
        path: path('/apps/response', { client, ...query, case: caseId, text }),
      })),
      ...(caseId === undefined ? [] : [{ text: `Case ${caseId}`, path: casePath(caseId) }]),
    ],
    ...rowsOf(
      ['Response', 'Action', 'Target', 'State', 'Asked by', 'Changed', 'Case', 'Client'],
      rows.map((row) => ({
        cells: [
          row.id,
          actionLabels[row.action],
          row.target,
          stateLabels[row.state],
          row.requestedBy,
          when(row.changedTime, asking.timeZone),
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

/** What was seen of the device itself, whoever asked for it. */
async function stateOfDevice(asking: SkillContext, name: string): Promise<string | undefined> {
  const found = await each(asking, (client) => asking.services.devices.get(asking.actor, client, name).catch(() => undefined));
  const device = found.find((one) => one !== undefined);
  return device && `${plain(device.name)} is ${device.isIsolated ? '' : 'not '}isolated now.`;
}

export const times: Skill = async (asking): Promise<Facts> => {
  const { start, end } = asking.timeframe;
  const lists = await each(asking, (client) => asking.services.cases.times(asking.actor, client, start, end));
  const rows = lists.flatMap(({ results }) => results);
  const cases = rows.reduce((sum, row) => sum + row.cases, 0);
  const breached = rows.reduce((sum, row) => sum + row.breached, 0);
  const told = (minutes: number | null) => (minutes === null ? 'no figure yet' : durationText(minutes));
  const [one] = rows;
  const timeWords = inTime(asking.timeframe.label);
  const lines =
    cases === 0
      ? [`No cases of ${asking.whose} were opened ${timeWords}, so there are no times.`]
      : rows.length === 1 && one
        ? [
            `Of ${counted(cases, 'case')} of ${asking.whose} opened ${timeWords}, the mean times are:`,
            `Acknowledge: ${told(one.meanMinutesToAcknowledge)}. Contain: ${told(one.meanMinutesToContain)}. Resolve: ${told(one.meanMinutesToResolve)}.`,
            ...(one.withinTarget === null
              ? []
              : [`${number(Math.round(one.withinTarget * 100))} % of the closed ones met all targets.`]),
          ]
        : [
            `${counted(cases, 'case')} of ${counted(rows.length, 'client')} opened ${timeWords}; mean times to acknowledge, contain and resolve:`,
            ...rows
              .slice(0, 6)
              .map(
                (row) =>
                  `${plain(row.clientOrganizationName)}: ${told(row.meanMinutesToAcknowledge)}, ${told(row.meanMinutesToContain)}, ${told(row.meanMinutesToResolve)}.`,
              ),
          ];
  if (asking.slots.severities) lines.push('These are of all criticalities together; the portal keeps no times by criticality.');
  if (breached > 0) lines.push(`${counted(breached, 'open case')} ${breached === 1 ? 'is' : 'are'} over a target now.`);
  const [client = 0] = asking.clients;
  return {
    text: lines.join('\n'),
    sources: [
      ...asking.clients.map((of) => ({ text: counted(cases, 'case'), path: timedPath('cases', of, asking) })),
      ...(breached > 0
        ? [
            {
              text: `${counted(breached, 'case')} over a target`,
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
        'Over a target now',
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
