/** Columns and card of the list of exceptions and suppressions. */
import Link from '@mui/material/Link';
import type { HidingRow } from '@parapet/contract/exceptions.ts';
import { Count } from '../../../kit/Count.tsx';
import { textCell } from '../../../kit/cells.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';

export const kindText = ({ kind }: Pick<HidingRow, 'kind'>): string => (kind === 'exception' ? 'Exception' : 'Suppression');
export const stateText = ({ isActive }: Pick<HidingRow, 'isActive'>): string => (isActive ? 'Active' : 'Ended');

/** Rule, device and user that are hidden. */
export const hidingAbout = ({ rule, ruleID, deviceName, userName }: HidingRow): string =>
  [rule ?? ruleID ?? 'All rules', deviceName, userName].filter(Boolean).join(' · ');

export function hidingColumns({ timeZone }: { timeZone: string }): Column<HidingRow>[] {
  return [
    { id: 'kind', header: 'Kind', width: 120, isFixed: true, cell: kindText },
    {
      id: 'about',
      header: 'Hidden',
      flex: 2,
      width: 240,
      isFixed: true,
      cell: (row) => textCell(hidingAbout(row)),
    },
    // Also of one client: an exception above it holds for it.
    { id: 'client', header: 'Client', flex: 1, width: 140, cell: (row) => textCell(row.organisation) },
    { id: 'state', header: 'State', width: 90, hidePriority: 5, cell: stateText },
    { id: 'reason', header: 'Reason', flex: 2, width: 190, hidePriority: 1, cell: (row) => textCell(row.reason) },
    { id: 'owner', header: 'Owner', width: 130, hidePriority: 2, cell: (row) => textCell(row.owner) },
    { id: 'end', header: 'Ends', width: 120, cell: (row) => <RelativeTime at={row.endTime} timeZone={timeZone} /> },
    {
      id: 'hidden',
      header: 'Hidden, 30 days',
      width: 130,
      align: 'right',
      hidePriority: 3,
      cell: (row) => <Count value={row.hidden} />,
    },
    {
      id: 'last',
      header: 'Last hidden',
      width: 120,
      hidePriority: 4,
      cell: (row) => (row.lastTime === null ? 'Nothing' : <RelativeTime at={row.lastTime} timeZone={timeZone} />),
    },
  ];
}

export function HidingCard({ row, timeZone, onPreview }: { row: HidingRow; timeZone: string; onPreview: () => void }) {
  return (
    <div style={{ display: 'grid', gap: 4, minWidth: 0, overflowWrap: 'anywhere' }}>
      <Link component="button" type="button" onClick={onPreview} sx={{ textAlign: 'left', fontWeight: 600 }}>
        <VisibleText text={hidingAbout(row)} />
      </Link>
      <VisibleText text={row.reason} />
      <span style={{ display: 'flex', justifyContent: 'space-between', gap: 12 }}>
        <span>
          {kindText(row)}, {stateText(row).toLowerCase()}
        </span>
        <RelativeTime at={row.endTime} timeZone={timeZone} />
      </span>
    </div>
  );
}
