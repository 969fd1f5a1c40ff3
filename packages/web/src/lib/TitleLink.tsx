/** The title of a row, which leads to what it names. */
import { styled } from '@mui/material/styles';
import { palette } from '../kit/palette.ts';
import { AppLink } from './AppLink.tsx';

/** `isSeen`: lighter, as in a mailbox. */
export const TitleLink = styled(AppLink, { shouldForwardProp: (name) => name !== 'isSeen' })<{ isSeen?: boolean }>(
  ({ isSeen }) => ({
    color: palette.text.primary,
    fontWeight: isSeen ? 400 : 500,
    textDecoration: 'none',
    '&:hover': { textDecoration: 'underline' },
  }),
);
