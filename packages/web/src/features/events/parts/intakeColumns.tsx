/** Columns and card of the intake. */
import { periodLabel, type Timeframe } from '@parapet/contract/rules/timeframe.ts';
import { clientColumn, textCell } from '../../../kit/cells.tsx';
import { exact } from '../../../kit/numbers.ts';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { outcomeHref } from '../../../lib/intake.ts';
import { type IntakeRow, wordsOf } from '../intakeRows.ts';

/** Link to the events of a row; undefined for outcomes that store none. */
export const drillDownOf = (row: IntakeRow, timeframe: Timeframe): string | undefined =>
  row.outcome === 'stored' || row.outcome === 'dead'
    ? outcomeHref(row.outcome, { client: row.clientOrganizationID, timeframe, date: row.date })
    : undefined;

function Amount({ row, timeframe, isInGrid }: { row: IntakeRow; timeframe: Timeframe; isInGrid?: boolean }) {
  const href = drillDownOf(row, timeframe);
  const text = exact(row.count);
  return href ? (
    <AppLink href={href} {...(isInGrid && { tabIndex: -1 })}>
      {text}
    </AppLink>
  ) : (
    text
  );
}

export function intakeColumns({ hasClients, timeframe }: { hasClients: boolean; timeframe: Timeframe }): Column<IntakeRow>[] {
  return [
    { id: 'date', header: 'Day (UTC)', width: 170, isFixed: true, cell: (row) => periodLabel(row.date) },
    ...clientColumn(hasClients, { width: 160, hidePriority: 1 }),
    { id: 'outcome', header: 'Outcome', flex: 1, width: 200, isFixed: true, cell: (row) => textCell(wordsOf(row)) },
    {
      id: 'count',
      header: 'Events',
      width: 130,
      align: 'right',
      isFixed: true,
      cell: (row) => <Amount row={row} timeframe={timeframe} isInGrid />,
    },
  ];
}

export function IntakeCard({ row, timeframe }: { row: IntakeRow; timeframe: Timeframe }) {
  return (
    <div style={{ display: 'grid', gap: 4, minWidth: 0 }}>
      <span style={{ display: 'flex', justifyContent: 'space-between', gap: 12 }}>
        <VisibleText text={wordsOf(row)} />
        <Amount row={row} timeframe={timeframe} />
      </span>
      <span style={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', gap: '2px 12px', fontSize: 12 }}>
        <VisibleText text={row.clientOrganizationName} />
        {periodLabel(row.date)}
      </span>
    </div>
  );
}
