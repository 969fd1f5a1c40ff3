/** Artifacts of a case by kind with their reputation, linked to their events and alerts. */
import Box from '@mui/material/Box';
import { styled } from '@mui/material/styles';
import { type Artifact, type ArtifactKind, artifactKinds, type CaseDetail } from '@parapet/contract/caseDetail.ts';
import { minuteMs } from '@parapet/contract/rules/duration.ts';
import { Hidden } from '../../../kit/Announced.tsx';
import { Count } from '../../../kit/Count.tsx';
import { CheckCircleOutlineRounded } from '../../../kit/icons/CheckCircleOutlineRounded.tsx';
import { DangerousOutlined } from '../../../kit/icons/DangerousOutlined.tsx';
import { HelpOutlineRounded } from '../../../kit/icons/HelpOutlineRounded.tsx';
import { WarningAmberRounded } from '../../../kit/icons/WarningAmberRounded.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { counted } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import type { TabProps } from './tab.ts';

export const kindTitle: Record<ArtifactKind, string> = {
  destinationIp: 'Destination addresses',
  sourceIp: 'Source addresses',
  domain: 'Domains',
  hash: 'Hashes and DLLs',
  file: 'Files',
  process: 'Processes',
  user: 'Users',
  device: 'Devices',
};
const icons = {
  Malicious: DangerousOutlined,
  Suspicious: WarningAmberRounded,
  Benign: CheckCircleOutlineRounded,
  Unknown: HelpOutlineRounded,
} as const;

const Table = styled('table')({
  width: '100%',
  borderCollapse: 'collapse',
  // Every kind has its own table; fixed widths align their columns.
  tableLayout: 'fixed',
  fontSize: 13,
  '& th:nth-of-type(2)': { width: 128 },
  '& th:nth-of-type(3)': { width: 64 },
  '& th:nth-of-type(4)': { width: 104 },
  '& th:nth-of-type(5)': { width: 120 },
  '& th': { fontSize: 12, fontWeight: 600, color: palette.text.secondary, textAlign: 'left', padding: '0 12px 4px 0' },
  '& td': { padding: '5px 12px 5px 0', borderTop: `1px solid ${palette.divider}`, verticalAlign: 'top' },
  '& .number': { textAlign: 'right', fontVariantNumeric: 'tabular-nums' },
  '& .reputation': { display: 'inline-flex', alignItems: 'center', gap: 6, whiteSpace: 'nowrap' },
  '& .reputation svg': { fontSize: 16 },
  '& .links': { whiteSpace: 'nowrap', textAlign: 'right', paddingRight: 0 },
  '& small': { display: 'block', fontSize: 12, color: palette.text.secondary },
  // On narrow screens, the value takes its own line.
  '@media (max-width: 699.95px)': {
    '& thead': { position: 'absolute', clipPath: 'inset(50%)' },
    '& tr': { display: 'grid', gridTemplateColumns: 'minmax(0, 1fr) auto auto', gap: '0 12px', padding: '6px 0' },
    '& tr + tr': { borderTop: `1px solid ${palette.divider}` },
    '& td': { border: 0, padding: 0 },
    '& td:first-of-type': { gridColumn: '1 / -1' },
    '& .time': { display: 'none' },
    '& .number::after': { content: 'attr(data-noun)' },
  },
});

export const Reputation = ({ artifact }: { artifact: Pick<Artifact, 'reputation' | 'source'> }) => {
  const Icon = icons[artifact.reputation];
  return (
    <>
      <span className="reputation">
        <Icon aria-hidden color={artifact.reputation === 'Malicious' ? 'error' : 'action'} />
        {artifact.reputation}
      </span>
      {artifact.source && (
        <small>
          <VisibleText text={artifact.source} />
        </small>
      )}
    </>
  );
};

/** Links to events around the time of the case, and to alerts of the client. */
function linksOf({ kind, value, firstTime, lastTime }: Artifact, { caseGeneralInfo: info }: CaseDetail) {
  const client = info.clientOrganizationID;
  const time = {
    from: new Date(Date.parse(firstTime) - 60 * minuteMs).toISOString(),
    until: new Date(Date.parse(lastTime) + 60 * minuteMs).toISOString(),
  };
  const of = kind === 'device' ? { device: value } : kind === 'user' ? { user: value } : { text: value };
  return {
    events: paths.events({ client, ...of, ...time }),
    alerts: kind === 'device' || kind === 'user' ? paths.alerts(client, { ...of, timeframe: 'lastOneYear' }) : undefined,
  };
}

export function ArtifactsTab({ detail, timeZone }: TabProps) {
  const { caseArtifacts: all, maliciousArtifacts } = detail.autonomousResponseData;
  if (all.length === 0)
    return (
      <EmptyState
        title="No artifacts"
        text="The events of this case contain no address, domain, hash, file, process, user or device."
      />
    );
  return (
    <Box sx={{ display: 'grid', gap: 3, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      <Box sx={{ fontSize: 13 }}>
        {maliciousArtifacts === 0
          ? 'No known malicious addresses, hashes or processes.'
          : `${counted(maliciousArtifacts, 'known malicious address, hash or process', 'known malicious addresses, hashes or processes')}.`}
      </Box>
      {artifactKinds.map((kind) => {
        const some = all.filter((artifact) => artifact.kind === kind);
        return (
          some.length > 0 && (
            <Section key={kind} title={kindTitle[kind]} note={String(some.length)}>
              <Table>
                <thead>
                  <tr>
                    <th scope="col">Value</th>
                    <th scope="col">Reputation</th>
                    <th scope="col" className="number">
                      Events
                    </th>
                    <th scope="col" className="time">
                      Last seen
                    </th>
                    <th scope="col">
                      <Hidden>Links</Hidden>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {some.map((artifact) => {
                    const links = linksOf(artifact, detail);
                    return (
                      <tr key={artifact.value}>
                        <td>
                          <Mono text={artifact.value} copyLabel={`Copy ${artifact.value.slice(0, 60)}`} />
                          {artifact.network !== null && (
                            <small>
                              <VisibleText text={artifact.network} />
                            </small>
                          )}
                          {artifact.decodedFrom !== null && (
                            <small>
                              Decoded from <VisibleText text={artifact.decodedFrom} />
                            </small>
                          )}
                        </td>
                        <td>
                          <Reputation artifact={artifact} />
                        </td>
                        <td className="number" data-noun={artifact.count === 1 ? ' event' : ' events'}>
                          <Count value={artifact.count} />
                        </td>
                        <td className="time">
                          <RelativeTime at={artifact.lastTime} timeZone={timeZone} />
                        </td>
                        <td className="links no-print">
                          <AppLink href={links.events}>Events</AppLink>
                          {links.alerts && (
                            <>
                              {' · '}
                              <AppLink href={links.alerts}>Alerts</AppLink>
                            </>
                          )}
                        </td>
                      </tr>
                    );
                  })}
                </tbody>
              </Table>
            </Section>
          )
        );
      })}
    </Box>
  );
}
