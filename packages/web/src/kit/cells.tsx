/** Cells and columns shared by several lists. */
import { styled } from '@mui/material/styles';
import { palette } from './palette.ts';
import type { Column } from './table.ts';
import { VisibleText } from './VisibleText.tsx';
import { visibleText } from './visible.ts';

export const Ellipsis = styled('span')({ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' });
export const SecondaryText = styled('span')({ color: palette.text.secondary, whiteSpace: 'nowrap' });
/** A title over its details; on one line in compact rows. */
export const TwoLines = styled('span')({
  display: 'flex',
  flexDirection: 'column',
  justifyContent: 'center',
  minWidth: 0,
  lineHeight: '17px',
  '& > *': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& > span': { fontSize: 12, lineHeight: '16px', color: palette.text.secondary },
  '& > b': { fontWeight: 'inherit' },
  '.density-compact &': { flexDirection: 'row', alignItems: 'baseline', justifyContent: 'flex-start', gap: 8 },
  // The title in full where the column is wide enough, the details in what is left.
  '.density-compact & > a': { flex: '0 0 auto', maxWidth: '100%' },
  '.density-compact & > b': { flex: '0 0 auto', maxWidth: '100%' },
  '.density-compact & > span': { flex: '1 1 0' },
});

export const textCell = (value: string | null) =>
  value ? (
    <Ellipsis title={visibleText(value)}>
      <VisibleText text={value} />
    </Ellipsis>
  ) : null;

/** Column of the client's name, where rows belong to several clients. */
export const clientColumn = <Row extends { clientOrganizationName: string }>(
  hasClients: boolean,
  more: Partial<Column<Row>> = {},
): Column<Row>[] =>
  hasClients
    ? [{ id: 'client', header: 'Client', flex: 1, width: 130, cell: (row) => textCell(row.clientOrganizationName), ...more }]
    : [];
