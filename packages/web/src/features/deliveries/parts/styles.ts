/** Styles that the parts of deliveries share. */
import { styled } from '@mui/material/styles';
import { palette } from '../../../kit/palette.ts';

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
