/** Columns and card of events. */
import Link from '@mui/material/Link';
import type { EventRow } from '@parapet/contract/events.ts';
import { clientColumn, textCell } from '../../../kit/cells.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { textsOf } from '../eventSearch.ts';

interface Look {
  timeZone: string;
  hasClients: boolean;
  isByArrival: boolean;
  /** Fields of documents shown besides. */
  fields: readonly string[];
}

export function eventColumns({ timeZone, hasClients, isByArrival, fields }: Look): Column<EventRow>[] {
  return [
    {
      id: 'at',
      header: isByArrival ? 'Happened' : 'Time',
      width: 188,
      isFixed: true,
      sort: 'at',
      cell: (row) => <AbsoluteTime at={row.at} timeZone={timeZone} />,
    },
    { id: 'text', header: 'Event', flex: 3, width: 220, minWidth: 340, isFixed: true, cell: (row) => textCell(row.text) },
    ...fields.map((field) => ({
      id: `field ${field}`,
      header: field,
      width: 140,
      cell: (row: EventRow) => textCell(textsOf(row, field).join(', ') || null),
    })),
    { id: 'device', header: 'Device', width: 140, hidePriority: 1, cell: (row) => textCell(row.deviceName) },
    { id: 'user', header: 'User', width: 130, hidePriority: 2, cell: (row) => textCell(row.userName) },
    ...clientColumn(hasClients, { width: 150, hidePriority: 3 }),
    { id: 'shape', header: 'Shape', width: 90, isHidden: true, cell: (row) => row.shape },
    {
      id: 'received',
      header: 'Arrived',
      width: 200,
      hidePriority: 4,
      isHidden: !isByArrival,
      cell: (row) => <AbsoluteTime at={row.receivedAt} timeZone={timeZone} />,
    },
  ];
}

export function EventCard({ row, timeZone, onPreview }: { row: EventRow; timeZone: string; onPreview: () => void }) {
  return (
    <div style={{ display: 'grid', gap: 4, minWidth: 0 }}>
      <Link component="button" type="button" onClick={onPreview} sx={{ textAlign: 'left', overflowWrap: 'anywhere' }}>
        <VisibleText text={row.text} />
      </Link>
      <span style={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', gap: '2px 12px', fontSize: 12 }}>
        <VisibleText text={[row.deviceName, row.userName].filter(Boolean).join(' · ')} />
        <AbsoluteTime at={row.at} timeZone={timeZone} />
      </span>
    </div>
  );
}
