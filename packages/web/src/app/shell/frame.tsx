/** The boxes of the shell (spec §2.2). The page scrolls with the window; drawer and fixed bars stay. */
import { styled } from '@mui/material/styles';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { palette } from '../../kit/palette.ts';
import { toolbarHeight } from '../theme/theme.ts';

/** The maximum width of the container (spec §1). */
export const containerWidth = 1400;

export const Frame = styled('div')({
  display: 'flex',
  minHeight: '100dvh',
  '&[data-mode=boxed]': {
    maxWidth: containerWidth,
    margin: '0 auto',
    '@media (min-width: 1401px)': { borderInline: `1px solid ${palette.divider}` },
  },
  '@media print': { display: 'block' },
});
export const Column = styled('div')({ display: 'flex', flexDirection: 'column', flex: 1, minWidth: 0 });

export const Page = styled('main')({
  display: 'flex',
  flexDirection: 'column',
  flex: 1,
  width: '100%',
  maxWidth: containerWidth,
  margin: '0 auto',
  padding: '24px 24px 32px',
  outline: 'none',
  scrollMarginTop: 'var(--toolbar-height)',
  '&:focus-visible': { outline: 'none' },
  '&[data-mode=fullwidth]': { maxWidth: 'none' },
  'html[data-density=compact] &': { paddingTop: 8, paddingBottom: 8 },
  '@media (max-width: 599.95px)': { padding: '16px 16px 24px' },
  '@media print': { display: 'block', maxWidth: 'none', padding: 0 },
});

export const Bar = styled('header')({
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  height: toolbarHeight,
  padding: '0 16px 0 24px',
  borderBottom: `1px solid ${palette.divider}`,
  '@media (max-width: 599.95px)': { padding: '0 8px' },
});

const Fixed = styled('div')({
  position: 'sticky',
  zIndex: 20,
  flex: 'none',
  backgroundColor: palette.background.paper,
  '&[data-at=top]': { top: 0 },
  '&[data-at=bottom]': { bottom: 0, borderTop: `1px solid ${palette.divider}`, '& > header': { borderBottom: 0 } },
});

/** A bar fixed at an edge of the window. Its height is a CSS variable for other sticky elements. */
export function Edge({ at, children }: { at: 'top' | 'bottom'; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const name = at === 'top' ? '--toolbar-height' : '--bottom-height';
    const { style } = document.documentElement;
    const measure = () => style.setProperty(name, `${box.current?.offsetHeight ?? 0}px`);
    // The observer reports the first size between layout and paint; measuring here would cause another layout.
    const observer = new ResizeObserver(measure);
    if (box.current) observer.observe(box.current);
    return () => {
      observer.disconnect();
      style.setProperty(name, '0px');
    };
  }, [at]);
  return (
    <Fixed ref={box} data-at={at} className="no-print">
      {children}
    </Fixed>
  );
}

export const SkipLink = styled('a')({
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
  '@media print': { display: 'none' },
});
