/** Columns and card of the audit log. */
import type { AuditRow } from '@parapet/contract/audit.ts';
import { CardTitle } from '../../../kit/CardTitle.tsx';
import { clientColumn } from '../../../kit/cells.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { AbsoluteTime, RelativeTime } from '../../../kit/RelativeTime.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';

export const actorOf = (row: AuditRow) => row.actorName || row.actorEmail || 'Unknown';

export function auditColumns({ timeZone, hasClients }: { timeZone: string; hasClients: boolean }): Column<AuditRow>[] {
  return [
    { id: 'at', header: 'Time', width: 196, isFixed: true, cell: (row) => <AbsoluteTime at={row.at} timeZone={timeZone} /> },
    { id: 'who', header: 'Actor', flex: 1, width: 150, cell: (row) => <VisibleText text={actorOf(row)} /> },
    { id: 'what', header: 'Action', width: 240, isFixed: true, cell: (row) => <MonoText>{row.action}</MonoText> },
    { id: 'target', header: 'Target', flex: 2, width: 170, hidePriority: 1, cell: (row) => <VisibleText text={row.target} /> },
    ...clientColumn(hasClients, { hidePriority: 3 }),
    { id: 'where', header: 'Source address', width: 130, hidePriority: 2, cell: (row) => <MonoText>{row.address}</MonoText> },
  ];
}

export function AuditCard({ row, timeZone, onPreview }: { row: AuditRow; timeZone: string; onPreview: () => void }) {
  return (
    <div style={{ display: 'grid', gap: 4, minWidth: 0 }}>
      <CardTitle onPreview={onPreview}>{row.action}</CardTitle>
      <span style={{ overflowWrap: 'anywhere' }}>
        <VisibleText text={row.target} />
      </span>
      <span style={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', gap: '2px 12px' }}>
        <VisibleText text={actorOf(row)} />
        <RelativeTime at={row.at} timeZone={timeZone} />
      </span>
    </div>
  );
}
