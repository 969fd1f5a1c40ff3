/** Styles of list rows inside a form: fields in a line, buttons at the end; stacked on narrow screens. */
import { styled } from '@mui/material/styles';
import { palette } from './palette.ts';

export const Rows = styled('ol')({ listStyle: 'none', margin: 0, padding: 0, display: 'grid', gap: 12 });
export const Row = styled('li')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'flex-start',
  gap: 8,
  padding: 12,
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  '& > .fields': { flex: '1 1 260px', minWidth: 0 },
  '& > .buttons': { display: 'flex', gap: 2, marginLeft: 'auto' },
});
/** Actions above rows, with a hint. */
export const RowsBar = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '8px 12px',
  marginBottom: 16,
  '& .hint': { fontSize: 12, color: palette.text.secondary },
});
/** Name of a row with facts about it (`about`). */
export const RowHead = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '2px 12px',
  '& > strong': { overflowWrap: 'anywhere' },
  '& > .about': { fontSize: 13, color: palette.text.secondary, overflowWrap: 'anywhere' },
});
export const Nothing = styled('p')({ margin: 0, color: palette.text.secondary });
