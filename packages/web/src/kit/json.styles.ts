/** Styles of the JSON tree. */
import { styled } from '@mui/material/styles';
import { palette } from './palette.ts';
import { monoFamily } from './plain.styles.ts';

export const Sheet = styled('div')({
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  overflow: 'hidden',
  backgroundColor: palette.background.paper,
});

export const Bar = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 8,
  padding: '4px 8px',
  borderBottom: `1px solid ${palette.divider}`,
  fontSize: 12,
  color: palette.text.secondary,
  '& .size': { fontVariantNumeric: 'tabular-nums' },
  '& .MuiButton-root': { minWidth: 0, fontSize: 12, textTransform: 'none' },
});

export const Find = styled('input')({
  width: 210,
  maxWidth: '100%',
  height: 28,
  padding: '0 8px',
  font: 'inherit',
  fontSize: 13,
  color: palette.text.primary,
  background: 'transparent',
  border: '1px solid transparent',
  borderRadius: 6,
  '&::placeholder': { color: palette.text.secondary, opacity: 1 },
  '&:hover': { borderColor: palette.divider },
  '&:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -1 },
  '&::-webkit-search-cancel-button': { display: 'none' },
});

export const Found = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  fontVariantNumeric: 'tabular-nums',
  '& button': { padding: 4 },
});

export const Tree = styled('div')({
  overflow: 'auto',
  padding: '6px 0',
  fontFamily: monoFamily,
  fontSize: 12.5,
  lineHeight: '20px',
  fontVariantLigatures: 'none',
});

export const Row = styled('div')({
  position: 'relative',
  display: 'flex',
  alignItems: 'flex-start',
  paddingRight: 34,
  minHeight: 22,
  cursor: 'default',
  '&[aria-expanded]': { cursor: 'pointer' },
  '&:hover': { backgroundColor: palette.action.hover },
  '&:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -2 },
  '&.is-current': { backgroundColor: palette.action.selected },
  '& .mark': {
    flex: '0 0 18px',
    display: 'inline-flex',
    alignItems: 'center',
    justifyContent: 'center',
    height: 20,
    color: palette.text.secondary,
  },
  '& .key': { flex: 'none', maxWidth: '45%', marginRight: 12, color: palette.text.secondary, overflowWrap: 'anywhere' },
  '& .value': { minWidth: 0, color: palette.text.primary, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
  '& .number, & .boolean': { fontWeight: 600 },
  '& .null, & .hint': { color: palette.text.secondary, fontStyle: 'italic' },
  '& .copy': { position: 'absolute', right: 4, top: -1 },
});

export const More = styled('button')({
  border: 0,
  padding: '0 4px',
  background: 'none',
  font: 'inherit',
  color: palette.primary.main,
  cursor: 'pointer',
  textDecoration: 'underline',
});
