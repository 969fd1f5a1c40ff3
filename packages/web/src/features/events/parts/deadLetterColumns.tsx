/** Columns and card of dead letters. */
import type { DeadLetter } from '@parapet/contract/events.ts';
import { CardTitle } from '../../../kit/CardTitle.tsx';
import { clientColumn, textCell } from '../../../kit/cells.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { reasonLabel } from '../../../lib/intake.ts';

/** Characters per row; the preview has the whole input. */
const shown = 300;
const clip = { display: 'block', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } as const;

export function deadLetterColumns({ timeZone, hasClients }: { timeZone: string; hasClients: boolean }): Column<DeadLetter>[] {
  return [
    {
      id: 'received',
      header: 'Arrived',
      width: 188,
      isFixed: true,
      cell: (row) => <AbsoluteTime at={row.receivedAt} timeZone={timeZone} />,
    },
    { id: 'reason', header: 'Reason', width: 170, isFixed: true, cell: (row) => textCell(reasonLabel(row.reason)) },
    {
      id: 'raw',
      header: 'Input',
      flex: 1,
      width: 220,
      minWidth: 340,
      cell: (row) => (
        <MonoText style={clip}>
          <VisibleText text={row.raw.slice(0, shown)} />
        </MonoText>
      ),
    },
    ...clientColumn(hasClients, { width: 160, hidePriority: 1 }),
  ];
}

export function AsideCard({ row, timeZone, onPreview }: { row: DeadLetter; timeZone: string; onPreview: () => void }) {
  return (
    <div style={{ display: 'grid', gap: 4, minWidth: 0 }}>
      <CardTitle onPreview={onPreview}>
        <VisibleText text={reasonLabel(row.reason)} />
      </CardTitle>
      <MonoText style={clip}>
        <VisibleText text={row.raw.slice(0, shown)} />
      </MonoText>
      <span style={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', gap: '2px 12px', fontSize: 12 }}>
        <VisibleText text={row.clientOrganizationName} />
        <AbsoluteTime at={row.receivedAt} timeZone={timeZone} />
      </span>
    </div>
  );
}
