/** The columns of suppressions, and the same as a card for narrow screens. */
import Link from '@mui/material/Link';
import { styled } from '@mui/material/styles';
import type { SuppressionRow } from '@parapet/contract/suppressions.ts';
import { Count } from '../../../kit/Count.tsx';
import { clientColumn, textCell } from '../../../kit/cells.tsx';
import { CheckRounded } from '../../../kit/icons/CheckRounded.tsx';
import { NotificationsOffOutlined } from '../../../kit/icons/NotificationsOffOutlined.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { aboutOf } from '../suppressions.ts';

interface Look {
  timeZone: string;
  hasClients: boolean;
}

const Line = styled('span')({ display: 'inline-flex', alignItems: 'center', gap: 6, '& svg': { fontSize: 16 } });
export function State({ isActive }: { isActive: boolean }) {
  const Icon = isActive ? NotificationsOffOutlined : CheckRounded;
  return (
    <Line>
      <Icon aria-hidden color="action" />
      {isActive ? 'Active' : 'Ended'}
    </Line>
  );
}

export function suppressionColumns({ timeZone, hasClients }: Look): Column<SuppressionRow>[] {
  return [
    { id: 'state', header: 'State', width: 100, isFixed: true, cell: (row) => <State isActive={row.isActive} /> },
    { id: 'about', header: 'Suppressed', flex: 2, width: 220, isFixed: true, cell: (row) => textCell(aboutOf(row)) },
    ...clientColumn(hasClients, { width: 140 }),
    { id: 'reason', header: 'Reason', flex: 2, width: 190, hidePriority: 1, cell: (row) => textCell(row.reason) },
    { id: 'owner', header: 'Owner', width: 130, hidePriority: 2, cell: (row) => textCell(row.owner) },
    { id: 'end', header: 'Ends', width: 120, cell: (row) => <RelativeTime at={row.endTime} timeZone={timeZone} /> },
    {
      id: 'created',
      header: 'Created',
      width: 120,
      hidePriority: 4,
      cell: (row) => <RelativeTime at={row.createdTime} timeZone={timeZone} />,
    },
    {
      id: 'hidden',
      header: 'Hidden alerts',
      width: 120,
      align: 'right',
      hidePriority: 3,
      cell: (row) => <Count value={row.hidden} />,
    },
  ];
}

export function SuppressionCard({ row, timeZone, onPreview }: { row: SuppressionRow; timeZone: string; onPreview: () => void }) {
  return (
    <div style={{ display: 'grid', gap: 4, minWidth: 0, overflowWrap: 'anywhere' }}>
      <Link component="button" type="button" onClick={onPreview} sx={{ textAlign: 'left', fontWeight: 600 }}>
        <VisibleText text={aboutOf(row)} />
      </Link>
      <VisibleText text={row.reason} />
      <span style={{ display: 'flex', justifyContent: 'space-between', gap: 12 }}>
        <State isActive={row.isActive} />
        <RelativeTime at={row.endTime} timeZone={timeZone} />
      </span>
    </div>
  );
}
