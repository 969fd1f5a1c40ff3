/** Columns and card of the access log. */
import type { AccessRow } from '@parapet/contract/client-access-log.ts';
import {
  accessChannelTexts,
  accessKindTexts,
  reasonText,
  sensitiveViewTexts,
} from '@parapet/contract/rules/client-access-log.ts';
import { CardTitle } from '../../../kit/CardTitle.tsx';
import { clientColumn } from '../../../kit/cells.tsx';
import { exact } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { AbsoluteTime, RelativeTime } from '../../../kit/RelativeTime.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';

export const dataOf = ({ view, kinds }: AccessRow): string =>
  view === null ? kinds.map((kind) => accessKindTexts[kind]).join(', ') : sensitiveViewTexts[view];
export const waysOf = ({ channels }: AccessRow): string => channels.map((channel) => accessChannelTexts[channel]).join(', ');
export const scopeText = ({ isOpened }: AccessRow): string => (isOpened ? 'Opened' : 'List of all clients');

export const Reason = ({ row }: { row: AccessRow }) => (
  <span
    style={{
      minWidth: 0,
      overflow: 'hidden',
      textOverflow: 'ellipsis',
      ...(row.reason === null && { color: palette.text.secondary }),
    }}
  >
    <VisibleText text={reasonText(row.reason, row.reasonText)} />
  </span>
);

export const Person = ({ row }: { row: AccessRow }) => (
  <span style={{ minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis' }}>
    <VisibleText text={row.personName || 'Unknown'} />
    {row.personOrganizationName && (
      <span style={{ color: palette.text.secondary }}>
        , <VisibleText text={row.personOrganizationName} />
      </span>
    )}
  </span>
);

export function accessColumns({ timeZone, hasClients }: { timeZone: string; hasClients: boolean }): Column<AccessRow>[] {
  return [
    { id: 'at', header: 'From', width: 196, isFixed: true, cell: (row) => <AbsoluteTime at={row.firstAt} timeZone={timeZone} /> },
    { id: 'who', header: 'Person', flex: 2, width: 190, cell: (row) => <Person row={row} /> },
    { id: 'why', header: 'Reason', flex: 1, width: 150, cell: (row) => <Reason row={row} /> },
    { id: 'what', header: 'Data', flex: 2, width: 180, hidePriority: 1, cell: (row) => dataOf(row) },
    { id: 'how', header: 'Access', width: 150, hidePriority: 2, cell: scopeText },
    ...clientColumn(hasClients, { hidePriority: 3 }),
    { id: 'count', header: 'Requests', width: 96, align: 'right', hidePriority: 4, cell: (row) => exact(row.requests) },
  ];
}

export function AccessCard({ row, timeZone, onPreview }: { row: AccessRow; timeZone: string; onPreview: () => void }) {
  return (
    <div style={{ display: 'grid', gap: 4, minWidth: 0 }}>
      <CardTitle onPreview={onPreview}>
        <VisibleText text={row.personName || 'Unknown'} />
      </CardTitle>
      <span style={{ overflowWrap: 'anywhere' }}>{dataOf(row)}</span>
      <span style={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', gap: '2px 12px' }}>
        <Reason row={row} />
        <RelativeTime at={row.firstAt} timeZone={timeZone} />
      </span>
    </div>
  );
}
