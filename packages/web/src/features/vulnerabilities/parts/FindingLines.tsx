/** Short list of findings, linked to their details. */
import type { Finding } from '@parapet/contract/vulnerabilities.ts';
import { Line, Lines } from '../../../lib/Lines.tsx';
import { paths } from '../../../lib/paths.ts';
import { inventedMark } from '../findings.ts';

interface Props {
  findings: readonly Finding[];
  hasClients: boolean;
  /** Shows the device of each finding. */
  hasDevices: boolean;
}

export function FindingLines({ findings, hasClients, hasDevices }: Props) {
  return (
    <Lines>
      {findings.map((finding) => (
        <Line
          key={finding.id}
          href={paths.vulnerability({
            client: finding.clientOrganizationID,
            tab: 'findings',
            device: finding.deviceUuid,
            text: finding.cve,
            peek: finding.id,
          })}
          severity={finding.severity}
          what={finding.title ? `${finding.cve} ${finding.title}` : finding.cve}
          where={[
            `${finding.package} ${finding.installedVersion}`,
            finding.fixedVersion === null ? 'no fix yet' : `fixed in ${finding.fixedVersion}`,
            hasDevices && finding.deviceName,
            hasClients && finding.clientOrganizationName,
          ]}
          end={<span title={finding.reasons.join('\n')}>Priority {finding.priority}</span>}
          under={finding.isKnownExploited && `known exploited${inventedMark(finding)}`}
        />
      ))}
    </Lines>
  );
}
