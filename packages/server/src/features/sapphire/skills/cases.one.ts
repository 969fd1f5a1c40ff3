/** Summary of one case from its detail: the generated narrative and the decisions. */
import { problem } from '@parapet/contract/problem.ts';
import { investigationStatusName, statusLabel } from '@parapet/contract/rules/cases.ts';
import { counted, type Facts, listed, plain, quoted, rowsOf, type Skill, when } from './facts.ts';
import { alertPath, casePath, path } from './links.ts';

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
  const { decisioning } = detail;
  const summary = detail.autonomousResponseData.caseSummary;
  const over = info.clocks.filter(({ state }) => state === 'breached').map(({ name }) => name);
  const lines = [
    `Case ${info.id}, ${quoted(info.title)}, of ${plain(detail.clientOrganizationDetails.clientOrganization.name)}: ${statusLabel(info.status)}, ${info.criticality}, investigation ${quoted(investigationStatusName(info.investigationStatus))}.`,
    `Opened ${when(info.createdTime, context.timeZone)}${info.closedTime ? `, closed ${when(info.closedTime, context.timeZone)}` : ''}; ${info.analyst ? `${plain(info.analyst)} is assigned` : 'no analyst is assigned'}. It has ${counted(info.alertCount, 'alert')}.`,
    ...(info.tactics.length > 0 ? [`ATT&CK tactics in order: ${info.tactics.join(', ')}.`] : []),
    ...(decisioning
      ? [
          `The verdict is ${decisioning.verdict}${decisioning.confidenceScore === null ? '' : `, ${decisioning.confidenceScore}% confidence`}.`,
        ]
      : ['No verdict yet.']),
    ...(summary ? [`Summary: ${plain(summary, 1_200)}`] : []),
    ...(detail.responses.length > 0
      ? [
          `Responses: ${listed(detail.responses.slice(0, 5).map(({ action, target, state }) => `${action} ${plain(target)} (${state})`))}.`,
        ]
      : ['No devices or accounts were isolated or blocked for it.']),
    ...(over.length > 0 ? [`Over its target: the time to ${listed(over)}.`] : []),
  ];
  return {
    text: lines.join('\n'),
    sources: [
      { text: `Case ${info.id}`, path: casePath(info.id) },
      ...(detail.responses.length > 0
        ? [
            {
              text: counted(detail.responses.length, 'response'),
              path: path('/apps/response', { client: info.clientOrganizationID, case: info.id }),
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
        path: alertPath(alert.id),
      })),
      `case-${info.id}`,
    ),
    choices: [`What is the response state of case ${info.id}?`, 'How many open cases do we have?'],
  };
};
