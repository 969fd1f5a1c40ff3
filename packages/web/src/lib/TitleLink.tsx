/** The title of a row, which leads to what it names. */
import { styled } from '@mui/material/styles';
import { AppLink } from './AppLink.tsx';

export const TitleLink = styled(AppLink)(({ theme }) => ({
  color: (theme.vars ?? theme).palette.text.primary,
  fontWeight: 500,
  textDecoration: 'none',
  '&:hover': { textDecoration: 'underline' },
}));
