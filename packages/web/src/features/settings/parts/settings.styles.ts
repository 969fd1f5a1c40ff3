import { styled } from '@mui/material/styles';
import { palette } from '../../../kit/palette.ts';

/** Vertical stack of a card’s settings. */
export const Stack = styled('div')({ display: 'grid', gap: 20, minWidth: 0, '& > *': { minWidth: 0 } });
export const Buttons = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 8 });

/** Cards in two columns where there is room; `wide` takes both. */
export const Columns = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 440px), 1fr))',
  gap: 16,
  alignItems: 'start',
  '& > *': { minWidth: 0 },
  '& > .wide': { gridColumn: '1 / -1' },
});

export const Scroll = styled('div')({ overflowX: 'auto' });
export const Table = styled('table')({
  width: '100%',
  borderCollapse: 'collapse',
  fontSize: 13,
  lineHeight: '20px',
  '& th, & td': { padding: '8px 12px 8px 0', textAlign: 'start', verticalAlign: 'top', whiteSpace: 'nowrap' },
  '& thead th': { fontSize: 12, fontWeight: 500, color: palette.text.secondary },
  '& tbody tr': { borderTop: `1px solid ${palette.divider}` },
  '& tbody th': { fontWeight: 600 },
  '& small': { display: 'block', fontSize: 12, fontWeight: 400, color: palette.text.secondary },
  '& td:last-child': { padding: '4px 0', textAlign: 'end' },
});
