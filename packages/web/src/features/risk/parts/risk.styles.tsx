/** Shared styles of the risk page’s panels. */
import { styled } from '@mui/material/styles';
import { palette } from '../../../kit/palette.ts';

export const Inside = styled('div')({ padding: '0 16px 16px', display: 'flex', flexDirection: 'column', gap: 12, minWidth: 0 });
export const Scroll = styled('div')({ overflowX: 'auto', minWidth: 0 });
export const Rows = styled('table')({
  width: '100%',
  borderCollapse: 'collapse',
  fontSize: 14,
  fontVariantNumeric: 'tabular-nums',
  '& th': { fontSize: 12, fontWeight: 600, textAlign: 'left', color: palette.text.secondary },
  '& tbody th': { fontSize: 14, fontWeight: 400, color: palette.text.primary, overflowWrap: 'anywhere' },
  '& th, & td': { padding: '6px 8px', borderBottom: `1px solid ${palette.divider}` },
  '& tr > :first-of-type': { paddingLeft: 0 },
  '& tr > :last-of-type': { paddingRight: 0 },
  '& .number': { textAlign: 'right', whiteSpace: 'nowrap' },
  '& th.title': { minWidth: 160 },
  '& a': { color: palette.primary.main },
});
export const Quiet = styled('p')({ margin: 0, fontSize: 13, color: palette.text.secondary });
