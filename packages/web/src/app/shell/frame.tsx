/** The shell's boxes. The page scrolls with the window; the drawer and the toolbar stay. */
import { styled } from '@mui/material/styles';
import { toolbarHeight } from '../theme/theme.ts';

export const Frame = styled('div')({ display: 'flex', minHeight: '100dvh' });
export const Column = styled('div')({ display: 'flex', flexDirection: 'column', flex: 1, minWidth: 0 });

/** At most 1400 wide (spec §1). */
export const Page = styled('main')({
  display: 'flex',
  flexDirection: 'column',
  flex: 1,
  width: '100%',
  maxWidth: 1400,
  margin: '0 auto',
  padding: '24px 24px 32px',
  outline: 'none',
  scrollMarginTop: toolbarHeight,
  '&:focus-visible': { outline: 'none' },
  '@media (max-width: 599.95px)': { padding: '16px 16px 24px' },
});

export const Bar = styled('header')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    position: 'sticky',
    top: 0,
    zIndex: 20,
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    height: toolbarHeight,
    flex: 'none',
    padding: '0 16px 0 24px',
    backgroundColor: palette.background.paper,
    borderBottom: `1px solid ${palette.divider}`,
    '@media (max-width: 599.95px)': { padding: '0 8px' },
  };
});

export const SkipLink = styled('a')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    position: 'fixed',
    top: 8,
    left: 8,
    zIndex: 2000,
    padding: '8px 14px',
    borderRadius: 8,
    fontWeight: 600,
    textDecoration: 'none',
    color: palette.primary.contrastText,
    backgroundColor: palette.primary.main,
    '&:not(:focus)': { clipPath: 'inset(50%)', width: 1, height: 1, overflow: 'hidden', padding: 0 },
  };
});
