/** Styles of the dashboard's layout, tables and view switches. */
import { styled } from '@mui/material/styles';
import { palette } from '../../../kit/palette.ts';

export const Grid = styled('div')({
  display: 'grid',
  gap: 16,
  gridTemplateColumns: 'minmax(0, 2fr) minmax(0, 1fr)',
  marginBottom: 16,
  '@media (max-width: 1099.95px)': { gridTemplateColumns: 'minmax(0, 1fr)' },
});
export const Halves = styled(Grid)({ gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1fr)' });

export const Column = styled('div')({ display: 'grid', gap: 16, alignContent: 'start', minWidth: 0 });
export const Spaced = styled('div')({ marginBottom: 16 });

export const Table = styled('table')({
  width: '100%',
  borderCollapse: 'collapse',
  fontSize: 13,
  fontVariantNumeric: 'tabular-nums',
  '& th, & td': { padding: '8px 16px 8px 0', textAlign: 'right', whiteSpace: 'nowrap' },
  '& th:first-of-type': {
    paddingLeft: 16,
    textAlign: 'left',
    whiteSpace: 'normal',
    overflowWrap: 'break-word',
    minWidth: 120,
    maxWidth: 420,
  },
  '& .words': { textAlign: 'left', whiteSpace: 'normal', overflowWrap: 'anywhere', minWidth: 112 },
  '& thead th': { fontSize: 12, fontWeight: 600, color: palette.text.secondary },
  '& tbody tr': { borderTop: `1px solid ${palette.divider}` },
  '& tbody th': { fontWeight: 400 },
  '& a': { color: 'inherit', textUnderlineOffset: 3 },
  '& small': { display: 'block', fontSize: 12, color: palette.text.secondary },
  '@media (max-width: 599.95px)': {
    '& .less': { display: 'none' },
    '& th, & td': { paddingRight: 8 },
    '& th:first-of-type': { minWidth: 88, overflowWrap: 'anywhere' },
  },
});

/** Scroll container of wide tables, so that the page never scrolls sideways. */
export const Scroll = styled('div')({
  overflowX: 'auto',
  '&:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -2 },
});

export const Choices = styled('nav')({
  display: 'inline-flex',
  gap: 4,
  '& a': { padding: '2px 8px', borderRadius: 6, fontSize: 13, color: palette.text.secondary, textDecoration: 'none' },
  '& a:hover': { backgroundColor: palette.action.hover },
  '& a[aria-current]': { backgroundColor: palette.action.selected, color: palette.text.primary, fontWeight: 600 },
});

export const Foot = styled('p')({
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'flex-end',
  gap: 8,
  margin: 0,
  minHeight: 40,
  padding: '4px 16px',
  fontSize: 13,
  color: palette.text.secondary,
  '& a': { color: palette.primary.main },
});
