/** The columns of the case list, and the card that stands for a row where there is no room for columns. */
import { styled } from '@mui/material/styles';
import type { CaseRow } from '@parapet/contract/caseList.ts';
import { investigationStatusName, resolutionLabel } from '@parapet/contract/rules/cases.ts';
import { judgementOf } from '@parapet/contract/rules/judgement.ts';
import { Count } from '../../../kit/Count.tsx';
import { clientColumn, SecondaryText, TwoLines, textCell } from '../../../kit/cells.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { counted } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { SeverityLabel } from '../../../kit/Severity.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { paths } from '../../../lib/paths.ts';
import { TitleLink } from '../../../lib/TitleLink.tsx';
import { clientAnswerLabel } from '../caseTexts.ts';
import { ClockMark, StatusChip, VerdictMark } from './CaseMarks.tsx';

const names = (all: readonly string[]) =>
  all.length > 2 ? `${all.slice(0, 2).join(', ')} and ${all.length - 2} more` : all.join(', ');

/** Score as a share of the client’s malicious threshold. */
export const percentText = (percentage: number) => `${percentage.toFixed(percentage % 1 === 0 ? 0 : 2)}%`;

export const thresholdText = (percentage: number) => `${percentText(percentage)} of the client’s malicious threshold`;

interface Context {
  timeZone: string;
  /** Rows may belong to different clients. */
  hasClients: boolean;
}

const about = (row: CaseRow, hasClients: boolean) =>
  [hasClients && row.clientOrganizationName, names(row.deviceNames), names(row.userNames)].filter(Boolean).join(' · ');

export function caseColumns({ timeZone, hasClients }: Context): Column<CaseRow>[] {
  const time = (at: string) => (
    <SecondaryText>
      <RelativeTime at={at} timeZone={timeZone} />
    </SecondaryText>
  );
  return [
    {
      id: 'severity',
      header: 'Criticality',
      width: 110,
      sort: 'criticality',
      isFixed: true,
      cell: (row) => <SeverityLabel severity={row.criticality} />,
    },
    { id: 'number', header: 'Number', width: 76, hidePriority: 5, cell: (row) => <MonoText>{row.incidentID}</MonoText> },
    {
      id: 'title',
      header: 'Case',
      width: 190,
      minWidth: 400,
      flex: 1,
      isFixed: true,
      cell: (row) => (
        <TwoLines title={visibleText(`${row.title}\n${about(row, hasClients)}`)}>
          <TitleLink href={paths.case(row.id)} tabIndex={-1}>
            <VisibleText text={row.title} />
          </TitleLink>
          <span>
            <VisibleText text={about(row, hasClients)} />
          </span>
        </TwoLines>
      ),
    },
    { id: 'status', header: 'Status', width: 130, sort: 'status', cell: (row) => <StatusChip status={row.status} /> },
    {
      id: 'clock',
      header: 'SLA timer',
      width: 156,
      hidePriority: 1,
      cell: (row) =>
        row.clock ? <ClockMark clock={row.clock} timeZone={timeZone} isShort /> : <SecondaryText>Closed</SecondaryText>,
    },
    {
      id: 'analyst',
      header: 'Analyst',
      width: 100,
      hidePriority: 2,
      cell: (row) => textCell(row.analyst) ?? <SecondaryText>Unassigned</SecondaryText>,
    },
    {
      id: 'verdict',
      header: 'Verdict',
      width: 156,
      sort: 'verdict',
      hidePriority: 4,
      cell: (row) => <VerdictMark judgement={judgementOf(row)} note={thresholdText(row.casePercentage)} isShort />,
    },
    {
      id: 'percentage',
      header: 'Threshold',
      width: 96,
      align: 'right',
      isHidden: true,
      sort: 'casePercentage',
      cell: (row) => <span className="tabular">{percentText(row.casePercentage)}</span>,
    },
    {
      id: 'alerts',
      header: 'Alerts',
      width: 82,
      align: 'right',
      hidePriority: 3,
      sort: 'alertCount',
      cell: (row) => (
        <span title={`${counted(row.alertCount, 'alert')}, ${row.newAlerts} not seen`}>
          <Count value={row.alertCount} />
          {row.newAlerts > 0 && <SecondaryText> ({row.newAlerts > 99 ? '99+' : row.newAlerts} new)</SecondaryText>}
        </span>
      ),
    },
    { id: 'opened', header: 'Opened', width: 104, sort: 'createdTime', cell: (row) => time(row.createdTime) },
    {
      id: 'lastAlert',
      header: 'Last alert',
      width: 96,
      sort: 'lastAlertTime',
      isHidden: true,
      cell: (row) => time(row.lastAlertTime),
    },
    {
      id: 'closed',
      header: 'Closed',
      width: 96,
      isHidden: true,
      cell: (row) => (row.closedTime ? time(row.closedTime) : null),
    },
    {
      id: 'resolution',
      header: 'Resolution',
      width: 110,
      isHidden: true,
      cell: (row) => row.resolution && textCell(resolutionLabel(row.resolution)),
    },
    {
      id: 'clientAnswer',
      header: 'Client answer',
      width: 170,
      isHidden: true,
      cell: (row) => row.clientAnswer && textCell(clientAnswerLabel[row.clientAnswer.answer]),
    },
    {
      id: 'investigation',
      header: 'Investigation',
      width: 130,
      isHidden: true,
      cell: (row) => textCell(investigationStatusName(row.investigationStatus)),
    },
    ...clientColumn(hasClients, { width: 140, sort: 'client', isHidden: true }),
    { id: 'devices', header: 'Devices', width: 140, isHidden: true, cell: (row) => textCell(row.deviceNames.join(', ')) },
    { id: 'users', header: 'Users', width: 140, isHidden: true, cell: (row) => textCell(row.userNames.join(', ')) },
    { id: 'tactics', header: 'Tactics', width: 160, isHidden: true, cell: (row) => textCell(row.tactics.join(', ')) },
    { id: 'excluded', header: 'Suppressed', width: 96, isHidden: true, cell: (row) => (row.isExcluded ? 'Suppressed' : null) },
  ];
}

const Card = styled('div')({
  display: 'flex',
  flexDirection: 'column',
  gap: 4,
  minWidth: 0,
  '& .line': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '2px 10px',
    fontSize: 12,
    color: palette.text.secondary,
  },
  '& .line > *': { minWidth: 0, overflowWrap: 'anywhere' },
  '& .end': { marginLeft: 'auto' },
  // The whole card is the link's target.
  '& a::after': { content: '""', position: 'absolute', inset: 0 },
  '& a': { overflowWrap: 'anywhere' },
});

export function CaseCard({ row, timeZone, hasClients }: Context & { row: CaseRow }) {
  return (
    <Card>
      <div className="line">
        <SeverityLabel severity={row.criticality} />
        <span>#{row.incidentID}</span>
        <span className="end">
          <StatusChip status={row.status} />
        </span>
      </div>
      <TitleLink href={paths.case(row.id)}>
        <VisibleText text={row.title} />
      </TitleLink>
      {about(row, hasClients) !== '' && (
        <div className="line">
          <VisibleText text={about(row, hasClients)} />
        </div>
      )}
      <div className="line">
        {row.clock ? <ClockMark clock={row.clock} timeZone={timeZone} isShort /> : <span>Closed</span>}
        <VisibleText text={row.analyst ?? 'Unassigned'} />
        <VerdictMark judgement={judgementOf(row)} />
        <span>{counted(row.alertCount, 'alert')}</span>
        <span className="end">
          <RelativeTime at={row.createdTime} timeZone={timeZone} />
        </span>
      </div>
    </Card>
  );
}
