/** Explanation of one alert: its rule, what matched, and where it belongs. */
import { problem } from '@parapet/contract/problem.ts';
import { type Facts, listed, number, plain, quoted, rowsOf, type Skill, when } from './facts.ts';

export const explainAlert: Skill = async (context): Promise<Facts> => {
  const { alertId } = context.slots;
  if (alertId === undefined)
    return {
      text: 'Which alert? Enter its number, for example “Explain alert 12”.',
      sources: [],
      choices: ['List the newest alerts'],
    };
  const alert = await context.services.alerts.detail(context.actor, alertId);
  if (!context.clients.includes(0) && !context.clients.includes(alert.clientOrganizationID))
    throw problem.notFound('alert', alertId);
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
      { text: `Alert ${alert.id}`, path: `/apps/alert/${alert.id}` },
      ...(alert.caseID === null ? [] : [{ text: `Case ${alert.caseID}`, path: `/apps/case/${alert.caseID}` }]),
      ...(alert.deviceName
        ? [
            {
              text: `Device ${plain(alert.deviceName)}`,
              path: `/apps/device/${alert.clientOrganizationID}/${encodeURIComponent(alert.deviceName)}`,
            },
          ]
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
