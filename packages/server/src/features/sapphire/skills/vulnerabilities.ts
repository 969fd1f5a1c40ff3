/** Skills about vulnerabilities. */
import { counted, each, type Facts, number, plain, rowsOf, type Skill, type SkillContext } from './facts.ts';
import { path } from './links.ts';

const page = (context: SkillContext, client: number) =>
  path('/apps/vulnerability', {
    client,
    severity: context.slots.severities,
    text: context.slots.cve ?? context.slots.device,
  });

export const vulnerabilities: Skill = async (context): Promise<Facts> => {
  const { cve, device, severities = [], limit = 10 } = context.slots;
  const query = { text: cve ?? device ?? '', severity: [...severities], state: ['open' as const], page: 1, pageSize: 200 };
  const lists = await each(context, (client) => context.services.vulnerabilities.list(context.actor, client, query));
  const total = lists.reduce((sum, list) => sum + list.total, 0);
  const found = lists.flatMap(({ results }) => results).sort((a, b) => b.priority - a.priority);
  const exploited = found.filter(({ isKnownExploited }) => isKnownExploited).length;
  const kind = severities.length > 0 ? `open ${severities.join(' or ')} finding` : 'open finding';
  const about = cve ? ` for ${cve}` : device ? ` on ${plain(device)}` : '';
  const top = found.slice(0, limit);
  const lines = [
    total === 0
      ? `There is no ${kind}${about} for ${context.whose}.`
      : `There ${total === 1 ? 'is' : 'are'} ${counted(total, kind)}${about} for ${context.whose}${exploited > 0 ? `, ${total === 1 ? 'known to be exploited' : `${number(exploited)} ${total > found.length ? `of the first ${number(found.length)}` : 'of them'} known to be exploited`}` : ''}.`,
    ...(top.length > 0 ? ['Mend first:'] : []),
    ...top
      .slice(0, 5)
      .map(
        (finding, index) =>
          `${index + 1}. ${plain(finding.cve)} on ${plain(finding.deviceName)}: ${plain(finding.package)} ${plain(finding.installedVersion)}${finding.fixedVersion ? `, fixed in ${plain(finding.fixedVersion)}` : ', no fix yet'} (${finding.severity}, priority ${finding.priority}).`,
      ),
  ];
  return {
    text: lines.join('\n'),
    sources: context.clients.map((client) => ({ text: 'Vulnerabilities', path: page(context, client) })),
    ...rowsOf(
      ['CVE', 'Device', 'Package', 'Installed', 'Fixed in', 'Severity', 'Priority', 'Client'],
      found.map((finding) => ({
        cells: [
          finding.cve,
          finding.deviceName,
          finding.package,
          finding.installedVersion,
          finding.fixedVersion,
          finding.severity,
          finding.priority,
          finding.clientOrganizationName,
        ],
      })),
      'vulnerabilities',
    ),
    choices: ['Which device is the biggest risk?', 'What would lower our risk score?'],
  };
};
