/** Small tables of billing: a client's lines, and the lines of a PSA. */
import { styled } from '@mui/material/styles';
import { palette } from '../../../kit/palette.ts';

/** Scrolls where the table is wider than the page; `regionOf` makes it reachable by keys. */
export const TableBox = styled('div')({ overflowX: 'auto', margin: '0 -8px' });
/** Attributes of a box that scrolls. */
export const regionOf = (label: string) => ({ role: 'region', 'aria-label': label, tabIndex: 0 }) as const;
export const SmallTable = styled('table')({
  width: '100%',
  borderCollapse: 'collapse',
  fontSize: 13,
  fontVariantNumeric: 'tabular-nums',
  '& th, & td': { padding: '6px', textAlign: 'left', verticalAlign: 'top', borderTop: `1px solid ${palette.divider}` },
  '& thead th': { borderTop: 0, fontSize: 12, fontWeight: 600, color: palette.text.secondary },
  '& tbody th': { fontWeight: 400, minWidth: 96 },
  '& .figure': { textAlign: 'right', whiteSpace: 'nowrap' },
  '& .total': { fontWeight: 600 },
  '& .reason': { fontSize: 12, color: palette.text.secondary, overflowWrap: 'anywhere' },
});
/** Below a table. */
export const Reason = styled('p')({ margin: '8px 0 0', fontSize: 12, color: palette.text.secondary, overflowWrap: 'anywhere' });
export const Actions = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '8px 12px',
  marginTop: 12,
  '& .hint': { fontSize: 12, color: palette.text.secondary },
});
export const Stack = styled('div')({ display: 'grid', gap: 24, minWidth: 0, '& > *': { minWidth: 0 } });
