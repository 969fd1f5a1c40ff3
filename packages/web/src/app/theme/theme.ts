/**
 * The design: neutral surfaces with hairlines instead of shadows, radius 8, an 8 px grid, type 24/20/16/14/12, tabular figures. Colours are
 * CSS variables under `data-scheme` on the root element, set by `theme.styles.ts`, before the first paint by `public/scheme.js`.
 */
import { createTheme } from '@mui/material/styles';
import { palette } from '../../kit/palette.ts';
import { plainStyles } from '../../kit/plain.styles.ts';
import { type Palette, paletteOf } from '../../lib/palettes.ts';
import { hoveredAccent } from './accent.ts';

export const schemeAttribute = 'data-scheme';

export const sansFamily = '"Inter Variable", Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
export const monoFamily = '"JetBrains Mono", ui-monospace, SFMono-Regular, Menlo, Consolas, monospace';

export const toolbarHeight = 56;
export const drawerWidth = 279;
export const foldedWidth = 64;

/** Opacity of the text colour over hovered and selected elements. */
export const hoverShare = { light: 0.04, dark: 0.06 } as const;
export const selectedShare = { light: 0.07, dark: 0.1 } as const;
const veil = (color: string, share: number) =>
  `${color}${Math.round(share * 255)
    .toString(16)
    .padStart(2, '0')}`;

const colorsOf = (colors: Palette) => ({
  palette: {
    mode: colors.mode,
    primary: { main: colors.accent, dark: hoveredAccent(colors), contrastText: colors.onAccent },
    secondary: { main: colors.quietText, contrastText: colors.surface },
    error: { main: colors.error, contrastText: colors.onSignal },
    warning: { main: colors.warning, contrastText: colors.onSignal },
    success: { main: colors.success, contrastText: colors.onSignal },
    info: { main: colors.info, contrastText: colors.onSignal },
    background: { default: colors.ground, paper: colors.surface },
    text: { primary: colors.text, secondary: colors.quietText },
    divider: colors.hairline,
    action: {
      hover: veil(colors.text, hoverShare[colors.mode]),
      selected: veil(colors.text, selectedShare[colors.mode]),
    },
  },
  // MUI lightens dark papers by elevation; here they keep their colour and have a hairline.
  overlays: Array(25).fill('none') as never,
});

const type = (fontSize: number, lineHeight: number, fontWeight = 400) => ({
  fontSize,
  lineHeight: `${lineHeight}px`,
  fontWeight,
  letterSpacing: 0,
});

/** One light and one dark theme, selected by an attribute of the root element. */
export function createPortalTheme(light: Palette = paletteOf('light', ''), dark: Palette = paletteOf('dark', '')) {
  return createTheme({
    cssVariables: { colorSchemeSelector: schemeAttribute },
    colorSchemes: { light: colorsOf(light), dark: colorsOf(dark) },
    spacing: 8,
    shape: { borderRadius: 8 },
    breakpoints: { values: { xs: 0, sm: 600, md: 960, lg: 1280, xl: 1400 } },
    typography: {
      fontFamily: sansFamily,
      fontSize: 14,
      h1: { ...type(24, 32, 650), letterSpacing: '-0.01em' },
      h2: type(20, 28, 650),
      h3: type(16, 24, 600),
      h4: type(14, 20, 600),
      h5: type(14, 20, 600),
      h6: type(12, 16, 600),
      body1: type(14, 20),
      body2: type(14, 20),
      subtitle1: type(16, 24),
      subtitle2: type(14, 20, 600),
      caption: type(12, 16),
      overline: { ...type(12, 16, 600), textTransform: 'none' },
      button: { ...type(14, 20, 600), textTransform: 'none' },
    },
    components: {
      MuiButtonBase: { defaultProps: { disableRipple: true } },
      MuiButton: {
        defaultProps: { disableElevation: true },
        styleOverrides: {
          root: { minHeight: 36, borderRadius: 8, padding: '6px 14px' },
          sizeSmall: { minHeight: 30, padding: '3px 10px' },
          outlined: { '&:not(.Mui-disabled)': { borderColor: 'var(--control-border)' } },
        },
      },
      MuiPaper: { defaultProps: { elevation: 0 } },
      MuiAppBar: { defaultProps: { elevation: 0, color: 'transparent' } },
      MuiOutlinedInput: {
        styleOverrides: {
          root: {
            backgroundColor: palette.background.paper,
            '&:not(.Mui-focused):not(.Mui-error):not(:hover) .MuiOutlinedInput-notchedOutline': {
              borderColor: 'var(--control-border)',
            },
          },
        },
      },
      MuiTooltip: {
        defaultProps: { enterDelay: 300 },
        styleOverrides: { tooltip: { fontSize: 12, lineHeight: '16px', fontWeight: 500, padding: '6px 8px', maxWidth: 360 } },
      },
      MuiMenu: { styleOverrides: { paper: floating } },
      MuiPopover: { styleOverrides: { paper: floating } },
      MuiAutocomplete: { styleOverrides: { paper: floating } },
      MuiDialog: { styleOverrides: { paper: floating } },
      MuiMenuItem: { styleOverrides: { root: { fontSize: 14, minHeight: 36 } } },
      MuiChip: { styleOverrides: { root: { borderRadius: 6, fontSize: 12 } } },
      MuiLink: { defaultProps: { underline: 'hover' } },
    },
  });
}

/** Elevated surfaces: a hairline and the only shadow. */
const floating = {
  border: `1px solid ${palette.divider}`,
  boxShadow: '0 8px 24px rgb(10 14 22 / 0.16)',
  backgroundImage: 'none',
};

const still = {
  animationDuration: '0.01ms !important',
  animationIterationCount: '1 !important',
  // Not 0.01 ms: every property of every element would change a frame later, and what becomes visible could not take the focus.
  transitionDuration: '0s !important',
  scrollBehavior: 'auto !important',
};

/** Global styles: body, focus, scrollbars, motion, print. Colours come from the selected theme (`theme.styles.ts`). */
export const globalStyles = {
  ':root': { '--font-mono': monoFamily, '--toolbar-height': `${toolbarHeight}px`, '--bottom-height': '0px' },
  '*, *::before, *::after': { boxSizing: 'border-box' },
  html: {
    WebkitTextSizeAdjust: '100%',
    scrollPaddingTop: 'calc(var(--toolbar-height) + 16px)',
    scrollPaddingBottom: 'calc(var(--bottom-height) + 16px)',
  },
  body: {
    margin: 0,
    fontFamily: sansFamily,
    fontSize: 14,
    lineHeight: '20px',
    fontFeatureSettings: '"cv11", "ss03"',
    WebkitFontSmoothing: 'antialiased',
    MozOsxFontSmoothing: 'grayscale',
    color: palette.text.primary,
    backgroundColor: palette.background.default,
    overflowWrap: 'break-word',
  },
  'a:not([class])': { color: palette.primary.main },
  // Above the single class of ButtonBase, which removes the outline.
  ':root :focus-visible, :root .Mui-focusVisible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: 2 },
  // Their frames show the focus.
  ':root :where(input:not([type=color]), textarea):focus-visible': { outline: 'none' },
  ':root input:where([type=radio], [type=checkbox]):focus-visible': {
    outline: `2px solid ${palette.primary.main}`,
  },
  '::selection': { backgroundColor: `color-mix(in srgb, ${palette.primary.main} 28%, transparent)` },
  ...plainStyles,
  'table, time, .tabular': { fontVariantNumeric: 'tabular-nums' },
  '[data-scrollbars=custom] *, [data-scrollbars=custom]': {
    scrollbarWidth: 'thin',
    scrollbarColor: 'var(--control-border) transparent',
  },
  '[data-animations=off]': { '& *, & *::before, & *::after': still },
  '@media (prefers-reduced-motion: reduce)': { '*, *::before, *::after': still },
  '@media print': {
    'html, body': { backgroundColor: '#fff', printColorAdjust: 'exact', WebkitPrintColorAdjust: 'exact' },
    '.no-print, button:not(.prints), [role=presentation].MuiModal-root': { display: 'none !important' },
    'a[href]': { color: 'inherit' },
    'section, figure, tr, li': { breakInside: 'avoid' },
    'h1, h2, h3': { breakAfter: 'avoid' },
    '@page': { margin: '16mm' },
  },
} as const;
