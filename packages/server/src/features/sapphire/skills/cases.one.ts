/** Summary of one case from its detail: state, judgement and story. */
import { problem } from '@parapet/contract/problem.ts';
import { investigationStatusName, statusLabel } from '@parapet/contract/rules/cases.ts';
import { judgementOfDetail, judgementText } from '@parapet/contract/rules/judgement.ts';
import { addressOf } from '../../../domain/query/entities/columns.ts';
import { counted, type Facts, listed, plain, quoted, rowsOf, type Skill, when } from './facts.ts';

const maxStory = 4_000;

export const summariseCase: Skill = async (context): Promise<Facts> => {
  const { caseId } = context.slots;
  if (caseId === undefined)
    return {
      text: 'Which case? Enter its number, for example “Summarise case 12”.',
      sources: [],
      choices: ['List the open cases', 'How many open cases do we have?'],
    };
  const detail = await context.services.cases.detail(
    context.actor,
    caseId,
    context.clients.length === 1 ? (context.clients[0] ?? 0) : 0,
  );
  const info = detail.caseGeneralInfo;
  if (!context.clients.includes(0) && !context.clients.includes(info.clientOrganizationID))
    throw problem.notFound('case', caseId);
  const over = info.clocks.filter(({ state }) => state === 'breached').map(({ name }) => name);
  const lines = [
    `Case ${info.id}, ${quoted(info.title)}, of ${plain(detail.clientOrganizationDetails.clientOrganization.name)}: ${statusLabel(info.status)}, investigation ${quoted(investigationStatusName(info.investigationStatus))}.`,
    `Opened ${when(info.createdTime, context.timeZone)}${info.closedTime ? `, closed ${when(info.closedTime, context.timeZone)}` : ''}; ${info.analyst ? `${plain(info.analyst)} is assigned` : 'no analyst is assigned'}. It has ${counted(info.alertCount, 'alert')}.`,
    ...(info.tactics.length > 0 ? [`ATT&CK tactics in order: ${info.tactics.join(', ')}.`] : []),
    `${judgementText(judgementOfDetail(detail))}.`,
    plain(detail.alertNarrative, maxStory),
    ...(over.length > 0 ? [`Over its target: the time to ${listed(over)}.`] : []),
  ];
  return {
    text: lines.join('\n'),
    sources: [
      { text: `Case ${info.id}`, path: `/apps/case/${info.id}` },
      ...(detail.responses.length > 0
        ? [
            {
              text: counted(detail.responses.length, 'response'),
              path: addressOf('/apps/response', { client: info.clientOrganizationID, case: info.id }),
            },
          ]
        : []),
    ],
    ...rowsOf(
      ['Alert', 'Time', 'Severity', 'What happened', 'Device', 'User'],
      detail.alerts.map((alert) => ({
        cells: [
          alert.id,
          when(alert.createdTime, context.timeZone),
          alert.severity,
          alert.alertSummary,
          alert.deviceName,
          alert.userName,
        ],
        path: `/apps/alert/${alert.id}`,
      })),
      `case-${info.id}`,
    ),
    choices: [`What is the response state of case ${info.id}?`, 'How many open cases do we have?'],
  };
};
