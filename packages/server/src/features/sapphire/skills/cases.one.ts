/** One case, told from its detail: what the portal itself wrote, and what was decided. */
import { problem } from '@parapet/contract/problem.ts';
import { investigationStatusName, statusLabel } from '@parapet/contract/rules/cases.ts';
import { counted, type Facts, listed, plain, quoted, rowsOf, type Skill, when } from './facts.ts';
import { alertPath, casePath, path } from './links.ts';

export const summariseCase: Skill = async (asking): Promise<Facts> => {
  const { caseId } = asking.slots;
  if (caseId === undefined)
    return {
      text: 'Which case? Say its number, such as “Summarise case 12”.',
      sources: [],
      choices: ['List the open cases', 'How many open cases do we have?'],
    };
  const detail = await asking.services.cases.detail(
    asking.actor,
    caseId,
    asking.clients.length === 1 ? (asking.clients[0] ?? 0) : 0,
  );
  const info = detail.caseGeneralInfo;
  if (!asking.clients.includes(0) && !asking.clients.includes(info.clientOrganizationID)) throw problem.notFound('case', caseId);
  const { decisioning } = detail;
  const summary = detail.autonomousResponseData.caseSummary;
  const over = info.clocks.filter(({ state }) => state === 'breached').map(({ name }) => name);
  const lines = [
    `Case ${info.id}, ${quoted(info.title)}, of ${plain(detail.clientOrganizationDetails.clientOrganization.name)}: ${statusLabel(info.status)}, ${info.criticality}, investigation ${quoted(investigationStatusName(info.investigationStatus))}.`,
    `Opened ${when(info.createdTime, asking.timeZone)}${info.closedTime ? `, closed ${when(info.closedTime, asking.timeZone)}` : ''}; ${info.analyst ? `${plain(info.analyst)} works on it` : 'nobody works on it yet'}. It has ${counted(info.alertCount, 'alert')}.`,
    ...(info.tactics.length > 0 ? [`ATT&CK tactics in their order: ${info.tactics.join(', ')}.`] : []),
    ...(decisioning
      ? [`The verdict is ${decisioning.verdict}, ${decisioning.confidenceScore} % sure.`]
      : ['It was not judged yet.']),
    ...(summary ? [`Summary: ${plain(summary, 1_200)}`] : []),
    ...(detail.responses.length > 0
      ? [
          `Responses: ${listed(detail.responses.slice(0, 5).map(({ action, target, state }) => `${action} ${plain(target)} (${state})`))}.`,
        ]
      : ['Nothing was isolated or blocked for it.']),
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
          when(alert.createdTime, asking.timeZone),
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
