/** Styles of the sign-in pages: brand at the left, form at the right; stacked on narrow screens. */
import { styled } from '@mui/material/styles';
import { palette } from '../../../kit/palette.ts';

const oneColumn = '@media (max-width: 959.95px)';

export const Screen = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 5fr) minmax(0, 7fr)',
  minHeight: '100dvh',
  [oneColumn]: { gridTemplateColumns: 'minmax(0, 1fr)', gridTemplateRows: 'auto 1fr' },
});

export const Aside = styled('header')({
  position: 'sticky',
  top: 0,
  display: 'flex',
  flexDirection: 'column',
  justifyContent: 'space-between',
  gap: 24,
  height: '100dvh',
  padding: '40px 48px 0',
  overflow: 'hidden',
  backgroundColor: palette.background.paper,
  borderRight: `1px solid ${palette.divider}`,
  '& h2': { margin: '0 0 12px', maxWidth: 420, fontSize: 24, lineHeight: '32px', fontWeight: 650, letterSpacing: '-0.015em' },
  '& p': { margin: 0, maxWidth: 420, fontSize: 16, lineHeight: '24px', color: palette.text.secondary },
  [oneColumn]: {
    position: 'static',
    height: 'auto',
    padding: '24px 24px 20px',
    gap: 16,
    borderRight: 0,
    borderBottom: `1px solid ${palette.divider}`,
    '& h2': { display: 'none' },
    '& p': { fontSize: 14, lineHeight: '20px' },
    '& > svg': { display: 'none' },
  },
});

/** Decorative bars along the lower edge, neutral to every brand. */
export const Art = styled('svg')({
  display: 'block',
  flex: 'none',
  width: 'calc(100% + 96px)',
  height: 96,
  margin: '0 -48px',
  fill: `color-mix(in srgb, ${palette.primary.main} 14%, transparent)`,
});

export const Main = styled('main')({
  display: 'flex',
  flexDirection: 'column',
  alignItems: 'center',
  justifyContent: 'safe center',
  gap: 40,
  minHeight: '100dvh',
  padding: '48px 24px',
  [oneColumn]: { minHeight: 0, justifyContent: 'flex-start', padding: '32px 24px' },
});

const column = {
  display: 'flex',
  flexDirection: 'column',
  gap: 16,
  width: '100%',
  maxWidth: 400,
  '& h1': { margin: '0 0 8px', fontSize: 24, lineHeight: '32px', fontWeight: 650, letterSpacing: '-0.01em' },
  '& p': { margin: 0, color: palette.text.secondary },
  '& h1 + p': { marginTop: -8 },
  '& .link': {
    padding: 0,
    border: 0,
    font: 'inherit',
    color: palette.primary.main,
    textDecoration: 'underline',
    background: 'none',
    cursor: 'pointer',
  },
  '& .fault': { color: palette.error.main },
  '& .actions': { display: 'flex', flexWrap: 'wrap', gap: 8, '& > :last-child': { flex: 1 } },
  '& .other': { display: 'grid', gap: 4 },
  '& .MuiFormHelperText-root': { marginLeft: 0, marginRight: 0 },
} as const;

export const Form = styled('form')(column);
/** Column of a page without a form. */
export const Plain = styled('section')(column);

export const Notice = styled('div')({
  padding: '10px 12px',
  border: `1px solid ${palette.divider}`,
  borderLeft: `3px solid ${palette.warning.main}`,
  borderRadius: 8,
  backgroundColor: palette.background.paper,
});
