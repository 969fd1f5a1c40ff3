/** Styles of the coverage and controls tables. */
import { styled } from '@mui/material/styles';
import { palette } from '../../../kit/palette.ts';

export const Rows = styled('div')({
  overflowX: 'auto',
  '&:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -2 },
  '& table': { width: '100%', borderCollapse: 'collapse', fontSize: 13, fontVariantNumeric: 'tabular-nums' },
  '& th, & td': { padding: '7px 16px 7px 0', textAlign: 'right', verticalAlign: 'top', whiteSpace: 'nowrap' },
  '& th:first-of-type': { paddingLeft: 16, textAlign: 'left', whiteSpace: 'normal', minWidth: 160 },
  '& .words': { textAlign: 'left', whiteSpace: 'normal', minWidth: 140 },
  '& .words > span': { marginRight: 12 },
  '& thead th': { fontSize: 12, fontWeight: 600, color: palette.text.secondary },
  '& tbody tr': { borderTop: `1px solid ${palette.divider}` },
  '& tbody th': { fontWeight: 400 },
  '& a': { color: 'inherit', textUnderlineOffset: 3 },
});

/** As `Rows`, scrolled below its head, so that what follows stays within reach. */
export const ScrolledRows = styled(Rows)({
  maxHeight: 420,
  overflowY: 'auto',
  '& thead th': { position: 'sticky', top: 0, backgroundColor: palette.background.paper },
});

export const Note = styled('p')({
  margin: 0,
  padding: '0 16px 12px',
  fontSize: 13,
  color: palette.text.secondary,
  '& a': { color: palette.primary.main },
});
