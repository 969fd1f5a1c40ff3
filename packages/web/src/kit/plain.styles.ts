/**
 * Classes of what stands hundreds of times on a page: cells of lists and icons. A styled component in each of them takes three times as long to
 * render as a plain element.
 */
import { palette } from './palette.ts';

export const monoFamily = 'var(--font-mono, "JetBrains Mono", ui-monospace, SFMono-Regular, Menlo, monospace)';

const withExact = '[data-exact]::after';

export const plainStyles = {
  '.icon': {
    flexShrink: 0,
    display: 'inline-block',
    width: '1em',
    height: '1em',
    fontSize: '1.5rem',
    fill: 'currentColor',
    userSelect: 'none',
    '&.small': { fontSize: '1.25rem' },
  },
  '.cell-ellipsis': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '.cell-secondary': { color: palette.text.secondary, whiteSpace: 'nowrap' },
  '.cell-lines': {
    display: 'flex',
    flexDirection: 'column',
    justifyContent: 'center',
    minWidth: 0,
    lineHeight: '17px',
    '& > *': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
    '& > span': { fontSize: 12, lineHeight: '16px', color: palette.text.secondary },
    '& > b': { fontWeight: 'inherit' },
    '.density-compact &': { flexDirection: 'row', alignItems: 'baseline', justifyContent: 'flex-start', gap: 8 },
    // The title in full where the column is wide enough, the details in what is left.
    '.density-compact & > a': { flex: '0 0 auto', maxWidth: '100%' },
    '.density-compact & > b': { flex: '0 0 auto', maxWidth: '100%' },
    '.density-compact & > span': { flex: '1 1 0' },
  },
  '.cell-severity': { display: 'inline-flex', alignItems: 'center', gap: 6, whiteSpace: 'nowrap', minWidth: 0 },
  '.title-link': {
    color: palette.text.primary,
    fontWeight: 500,
    textDecoration: 'none',
    '&[data-seen]': { fontWeight: 400 },
    '&:hover': { textDecoration: 'underline' },
  },
  '.mono': {
    fontFamily: monoFamily,
    fontSize: '0.92em',
    fontVariantLigatures: 'none',
    overflowWrap: 'anywhere',
    whiteSpace: 'pre-wrap',
  },
  '.digits': {
    fontVariantNumeric: 'tabular-nums',
    whiteSpace: 'nowrap',
    'a:focus-visible &, button:focus-visible &, [tabindex]:focus-visible &': { position: 'relative' },
    [`a:focus-visible &${withExact}, button:focus-visible &${withExact}, [tabindex]:focus-visible &${withExact}`]: {
      content: 'attr(data-exact)',
      position: 'absolute',
      zIndex: 10,
      top: '100%',
      right: 0,
      padding: '1px 6px',
      fontSize: 12,
      lineHeight: '18px',
      fontWeight: 500,
      letterSpacing: 0,
      color: palette.background.paper,
      backgroundColor: palette.text.primary,
      borderRadius: 4,
    },
  },
} as const;
