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
