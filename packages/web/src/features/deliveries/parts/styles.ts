/** Styles that the parts of deliveries share. */
import { styled } from '@mui/material/styles';
import { palette } from '../../../kit/palette.ts';

export const Bar = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '8px 12px',
  marginBottom: 16,
  '& .hint': { fontSize: 12, color: palette.text.secondary },
});
export const Head = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '2px 12px',
  '& > strong': { overflowWrap: 'anywhere' },
  '& > .about': { fontSize: 13, color: palette.text.secondary, overflowWrap: 'anywhere' },
});
/** Inputs of one matter with a legend. */
export const Group = styled('fieldset')({
  margin: 0,
  minWidth: 0,
  padding: '4px 12px',
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  '& legend': { fontSize: 12, color: palette.text.secondary },
  '& > div:not(.levels)': { display: 'grid', gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 200px), 1fr))' },
  '& > .levels': { display: 'grid', gap: 4, '& > button': { justifySelf: 'start' } },
});
