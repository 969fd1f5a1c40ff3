/** The columns of the alert list, and the card that stands for a row where there is no room for columns. */
import { styled } from '@mui/material/styles';
import type { AlertRow } from '@parapet/contract/alerts.ts';
import { Count } from '../../../kit/Count.tsx';
import { clientColumn, Ellipsis, SecondaryText, TwoLines, textCell } from '../../../kit/cells.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { SeverityLabel } from '../../../kit/Severity.tsx';
import { StateMark } from '../../../kit/StateMark.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { shortUser } from '../../../lib/listSubtitle.ts';
import { paths } from '../../../lib/paths.ts';
import { TitleLink } from '../../../lib/TitleLink.tsx';

interface Context {
  timeZone: string;
  /** Rows may belong to different clients. */
  hasClients: boolean;
}

/** With many clients on the screen, whose device it is; alerts of no device still have a client. */
function OfClient({ alert }: { alert: AlertRow }) {
  return (
    <TwoLines title={visibleText([alert.deviceName, alert.clientOrganizationName].filter(Boolean).join('\n'))}>
      {alert.deviceName && (
        <b>
          <VisibleText text={alert.deviceName} />
        </b>
      )}
      <span>
        <VisibleText text={alert.clientOrganizationName} />
      </span>
    </TwoLines>
  );
}

export function alertColumns({ timeZone, hasClients }: Context): Column<AlertRow>[] {
  return [
    {
      id: 'severity',
      header: 'Severity',
      width: 118,
      sort: 'criticality',
      isFixed: true,
      cell: (row) => <SeverityLabel severity={row.severity} />,
    },
    {
      id: 'time',
      header: 'Time',
      width: 92,
      sort: 'createdTime',
      cell: (row) => (
        <SecondaryText>
          <RelativeTime at={row.createdTime} timeZone={timeZone} />
        </SecondaryText>
      ),
    },
    {
      id: 'summary',
      header: 'Alert',
      width: 190,
      minWidth: 440,
      flex: 1,
      sort: 'rule',
      isFixed: true,
      cell: (row) => (
        <TwoLines title={visibleText(`${row.rule}\n${row.alertSummary}`)}>
          <TitleLink href={paths.alert(row.id)} tabIndex={-1} isSeen={row.status !== 'new'}>
            <VisibleText text={row.rule} />
          </TitleLink>
          {row.alertSummary !== row.rule && (
            <span>
              <VisibleText text={row.alertSummary} />
            </span>
          )}
        </TwoLines>
      ),
    },
    ...clientColumn(hasClients, { width: 140, isHidden: true }),
    { id: 'category', header: 'Category', width: 140, isHidden: true, cell: (row) => textCell(row.category) },
    {
      id: 'device',
      header: hasClients ? 'Device and client' : 'Device',
      width: hasClients ? 140 : 122,
      flex: 0.25,
      hidePriority: 1,
      sort: 'deviceName',
      cell: (row) => (
        <>
          {hasClients ? <OfClient alert={row} /> : textCell(row.deviceName)}
          {row.deviceIsolated && <StateMark state="isolated" />}
          {row.deviceBlocked && <StateMark state="blocked" />}
        </>
      ),
    },
    {
      id: 'user',
      header: 'User',
      width: 104,
      flex: 0.2,
      hidePriority: 2,
      sort: 'userName',
      cell: (row) => (
        <>
          {row.userName && (
            <Ellipsis title={visibleText(row.userName)}>
              <VisibleText text={shortUser(row.userName)} />
            </Ellipsis>
          )}
          {row.userDisabled && <StateMark state="disabled" />}
        </>
      ),
    },
    {
      id: 'technique',
      header: 'Technique',
      width: 94,
      hidePriority: 4,
      cell: (row) => row.mitreTechnique && <MonoText>{row.mitreTechnique}</MonoText>,
    },
    {
      id: 'count',
      header: 'Count',
      width: 62,
      hidePriority: 3,
      align: 'right',
      sort: 'count',
      cell: (row) => <Count value={row.count} />,
    },
    {
      id: 'lastSeen',
      header: 'Last seen',
      width: 96,
      isHidden: true,
      cell: (row) => (
        <SecondaryText>
          <RelativeTime at={row.lastSeenTime} timeZone={timeZone} />
        </SecondaryText>
      ),
    },
    {
      id: 'status',
      header: 'Status',
      width: 80,
      isHidden: true,
      cell: (row) => (row.status === 'new' ? 'New' : <SecondaryText>Seen</SecondaryText>),
    },
    { id: 'number', header: 'Number', width: 96, align: 'right', isHidden: true, cell: (row) => <MonoText>{row.id}</MonoText> },
  ];
}

const Card = styled('div')({
  display: 'flex',
  flexDirection: 'column',
  gap: 3,
  minWidth: 0,
  '& .line': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '0 10px',
    fontSize: 12,
    color: palette.text.secondary,
  },
  '& .summary': {
    display: '-webkit-box',
    overflow: 'hidden',
    WebkitBoxOrient: 'vertical',
    WebkitLineClamp: 2,
    fontSize: 12,
    lineHeight: '16px',
    overflowWrap: 'anywhere',
    color: palette.text.secondary,
  },
  '& .line > *': { minWidth: 0, overflowWrap: 'anywhere' },
  '& .end': { marginLeft: 'auto' },
  // The whole card is the link's target.
  '& a::after': { content: '""', position: 'absolute', inset: 0 },
  '& a': { overflowWrap: 'anywhere' },
});

export function AlertCard({ alert, timeZone, hasClients }: Context & { alert: AlertRow }) {
  return (
    <Card>
      <div className="line">
        <SeverityLabel severity={alert.severity} />
        <span className="end">
          <RelativeTime at={alert.createdTime} timeZone={timeZone} />
        </span>
      </div>
      <TitleLink href={paths.alert(alert.id)} isSeen={alert.status !== 'new'}>
        <VisibleText text={alert.rule} />
      </TitleLink>
      {alert.alertSummary !== alert.rule && (
        <div className="summary">
          <VisibleText text={alert.alertSummary} />
        </div>
      )}
      <div className="line">
        {alert.deviceName && <VisibleText text={alert.deviceName} />}
        {alert.userName && <VisibleText text={alert.userName} />}
        {hasClients && <VisibleText text={alert.clientOrganizationName} />}
        {alert.count > 1 && (
          <span className="end">
            × <Count value={alert.count} />
          </span>
        )}
      </div>
    </Card>
  );
}
