/** The columns of findings, and the same as a card for narrow screens. */
import Link from '@mui/material/Link';
import { styled } from '@mui/material/styles';
import type { Finding } from '@parapet/contract/vulnerabilities.ts';
import { clientColumn, SecondaryText, TwoLines, textCell } from '../../../kit/cells.tsx';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { SeverityLabel } from '../../../kit/Severity.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { paths } from '../../../lib/paths.ts';
import { TitleLink } from '../../../lib/TitleLink.tsx';
import { chanceText, inventedMark, readText, stateLabel } from '../findings.ts';

interface Look {
  timeZone: string;
  hasClients: boolean;
}

const Mark = styled('span')({
  flex: 'none',
  padding: '0 6px',
  borderRadius: 4,
  border: `1px solid ${palette.text.secondary}`,
  fontSize: 11,
  lineHeight: '16px',
  fontWeight: 600,
  color: palette.text.primary,
});

export const Exploited = ({ finding }: { finding: Finding }) => (
  <Mark title={`In the catalogue of known exploited vulnerabilities${finding.isInvented ? ', invented for this demo' : ''}`}>
    exploited{inventedMark(finding)}
  </Mark>
);

/** Installed version and the version with the fix. */
export const versionsText = ({ installedVersion, fixedVersion }: Finding) =>
  `${installedVersion} → ${fixedVersion ?? 'no fix yet'}`;

const deviceOf = (finding: Finding) => paths.device(finding.clientOrganizationID, finding.deviceName, { tab: 'vulnerabilities' });

export function findingColumns({ timeZone, hasClients }: Look): Column<Finding>[] {
  return [
    {
      id: 'priority',
      header: 'Priority',
      width: 84,
      align: 'right',
      isFixed: true,
      cell: (row) => <span title={row.reasons.map(visibleText).join('\n')}>{row.priority}</span>,
    },
    { id: 'severity', header: 'Severity', width: 126, hidePriority: 1, cell: (row) => <SeverityLabel severity={row.severity} /> },
    {
      id: 'cve',
      header: 'Vulnerability',
      flex: 3,
      width: 220,
      isFixed: true,
      cell: (row) => (
        <TwoLines title={visibleText(`${row.cve} ${row.title}`)}>
          <b style={{ display: 'flex', alignItems: 'center', gap: 6 }}>
            <VisibleText text={row.cve} />
            {row.isKnownExploited && <Exploited finding={row} />}
          </b>
          <span>
            <VisibleText text={row.title} />
          </span>
        </TwoLines>
      ),
    },
    {
      id: 'package',
      header: 'Package',
      flex: 2,
      width: 150,
      cell: (row) => (
        <TwoLines title={visibleText(`${row.package} ${versionsText(row)}`)}>
          <b>
            <VisibleText text={row.package} />
          </b>
          <span>
            <VisibleText text={versionsText(row)} />
          </span>
        </TwoLines>
      ),
    },
    {
      id: 'device',
      header: 'Device',
      flex: 1,
      width: 130,
      cell: (row) => (
        <TitleLink
          href={deviceOf(row)}
          tabIndex={-1}
          title={visibleText(row.deviceName)}
          style={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}
        >
          <VisibleText text={row.deviceName} />
        </TitleLink>
      ),
    },
    ...clientColumn(hasClients, { width: 120 }),
    { id: 'cvss', header: 'CVSS', width: 66, align: 'right', hidePriority: 3, cell: (row) => row.cvss?.toFixed(1) ?? '–' },
    {
      id: 'epss',
      header: 'EPSS',
      width: 104,
      align: 'right',
      hidePriority: 2,
      cell: (row) =>
        row.epss === null ? (
          '–'
        ) : (
          <span title={readText(row.epssDay, row.epssReadAt, row.isInvented, timeZone)}>
            {chanceText(row.epss)}
            {inventedMark(row)}
          </span>
        ),
    },
    {
      id: 'seen',
      header: 'First seen',
      width: 112,
      hidePriority: 4,
      cell: (row) => <RelativeTime at={row.firstSeenAt} timeZone={timeZone} />,
    },
    { id: 'state', header: 'State', width: 92, hidePriority: 5, cell: (row) => stateLabel[row.state] },
    { id: 'source', header: 'Found by', width: 110, isHidden: true, cell: (row) => textCell(row.source) },
  ];
}

export function FindingCard({ row, timeZone, hasClients, onPreview }: Look & { row: Finding; onPreview: () => void }) {
  return (
    <div style={{ display: 'grid', gap: 4, minWidth: 0, overflowWrap: 'anywhere' }}>
      <span style={{ display: 'flex', justifyContent: 'space-between', gap: 12 }}>
        <SeverityLabel severity={row.severity} />
        <SecondaryText>Priority {row.priority}</SecondaryText>
      </span>
      <span style={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 6 }}>
        <Link component="button" type="button" onClick={onPreview} sx={{ textAlign: 'left', fontWeight: 600 }}>
          <VisibleText text={row.cve} />
        </Link>
        {row.isKnownExploited && <Exploited finding={row} />}
      </span>
      {row.title && <VisibleText text={row.title} />}
      <span>
        <VisibleText text={`${row.package} ${versionsText(row)}`} />
      </span>
      <span style={{ display: 'flex', justifyContent: 'space-between', gap: 12 }}>
        <TitleLink href={deviceOf(row)}>
          <VisibleText text={row.deviceName} />
        </TitleLink>
        <SecondaryText>
          {row.state === 'open' ? <RelativeTime at={row.firstSeenAt} timeZone={timeZone} /> : stateLabel[row.state]}
        </SecondaryText>
      </span>
      {hasClients && <VisibleText text={row.clientOrganizationName} />}
    </div>
  );
}
