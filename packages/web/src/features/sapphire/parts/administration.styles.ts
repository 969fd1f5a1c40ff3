/** Styles of the administration’s tabs. */
import { styled } from '@mui/material/styles';
import { palette } from '../../../kit/palette.ts';

export const Column = styled('div')({
  display: 'grid',
  gap: 16,
  maxWidth: 880,
  '& > *': { minWidth: 0 },
  '& ol > li': { backgroundColor: palette.background.paper },
  '& .question': { margin: 0, fontWeight: 600, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
  '& .text': { margin: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
  '& .fields': { display: 'grid', gap: 6 },
  '& .fields > *': { minWidth: 0 },
  '& .facts': {
    display: 'flex',
    flexWrap: 'wrap',
    gap: '2px 12px',
    margin: 0,
    fontSize: 12,
    lineHeight: '16px',
    color: palette.text.secondary,
    overflowWrap: 'anywhere',
  },
  '& summary': { fontSize: 13, cursor: 'pointer', color: palette.text.secondary },
});
