/** The title of a row, which leads to what it names. */
import { styled } from '@mui/material/styles';
import { palette } from '../kit/palette.ts';
import { AppLink } from './AppLink.tsx';

export const TitleLink = styled(AppLink)({
  color: palette.text.primary,
  fontWeight: 500,
  textDecoration: 'none',
  '&:hover': { textDecoration: 'underline' },
});
