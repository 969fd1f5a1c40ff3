/** Styles of the panel: a pop-up at the lower right with 0.3 s transitions (spec §2.6). */ import {
  keyframes,
  styled,
} from '@mui/material/styles';

const rise = keyframes({ from: { opacity: 0, transform: 'translateY(12px) scale(0.98)' } });

/** Stacked below dialogs, drawers and toasts. */
export const PopUp = styled('div')({
  position: 'fixed',
  zIndex: 1100,
  right: 16,
  // Above the button where that floats.
  bottom: 'calc(var(--bottom-height) + var(--sapphire-button) + 16px)',
  display: 'flex',
  flexDirection: 'column',
  width: 'min(432px, calc(100vw - 16px))',
  // Chats use the full height; other content its own.
  maxHeight: 'min(660px, calc(100dvh - var(--bottom-height) - var(--toolbar-height) - var(--sapphire-button) - 32px))',
  '&[data-whole=true]': { height: '100%' },
  color: palette.text.primary,
  backgroundColor: palette.background.paper,
  border: `1px solid ${palette.divider}`,
  borderRadius: 12,
  boxShadow: '0 8px 32px rgb(10 14 22 / 0.22)',
  transformOrigin: 'bottom right',
  overflow: 'hidden',
  outline: 'none',
  animation: `${rise} 0.3s ease-out`,
  '&[data-open=false]': {
    opacity: 0,
    transform: 'translateY(12px) scale(0.98)',
    visibility: 'hidden',
    transition: 'opacity 0.3s, transform 0.3s, visibility 0.3s',
  },
  '@media (max-width: 599.95px)': { right: 8, bottom: 'calc(var(--bottom-height) + var(--sapphire-button) + 8px)' },
  '@media (max-height: 480px)': { maxHeight: 'calc(100dvh - var(--sapphire-button) - 24px)' },
});

export const Head = styled('header')({
  display: 'flex',
  alignItems: 'flex-start',
  gap: 2,
  padding: '10px 8px 8px 16px',
  borderBottom: `1px solid ${palette.divider}`,
  '& > div': { flex: 1, minWidth: 0, padding: '2px 0' },
  '& h2': { margin: 0, fontSize: 16, lineHeight: '24px', fontWeight: 650 },
  '@media (max-width: 420px)': { '& h2': { fontSize: 15 } },
  '& p': {
    margin: 0,
    fontSize: 12,
    lineHeight: '16px',
    color: palette.text.secondary,
    overflowWrap: 'anywhere',
  },
});

/** Scrolling area between header and input. */
export const Body = styled('div')({
  flex: 1,
  minHeight: 0,
  overflowY: 'auto',
  overscrollBehavior: 'contain',
  padding: 16,
  '&:focus-visible': { outlineOffset: -2 },
});

export const History = styled('ol')({
  listStyle: 'none',
  margin: 0,
  padding: 0,
  display: 'grid',
  gap: 16,
  '& > li': { minWidth: 0, overflowWrap: 'anywhere' },
  '& .text': { margin: 0, whiteSpace: 'pre-wrap' },
  '& > li[data-of=user]': { display: 'grid', justifyItems: 'end', gap: 4 },
  '& > li[data-of=user] > .text': {
    maxWidth: '88%',
    padding: '8px 12px',
    borderRadius: '12px 12px 2px 12px',
    color: palette.text.primary,
    backgroundColor: `color-mix(in srgb, ${palette.primary.main} 12%, ${palette.background.paper})`,
  },
  '& .lead': { fontWeight: 600, lineHeight: '22px' },
  '& .quiet': { margin: 0, fontSize: 12, lineHeight: '16px', color: palette.text.secondary },
  '& > li[data-of=answer]': { display: 'grid', gap: 8 },
  '& > li[data-of=answer] > *': { minWidth: 0 },
});

export const Suggestions = styled('ul')({
  listStyle: 'none',
  margin: 0,
  padding: 0,
  display: 'grid',
  gap: 8,
  '& button': {
    width: '100%',
    minHeight: 40,
    padding: '8px 12px',
    font: 'inherit',
    textAlign: 'start',
    color: palette.text.primary,
    backgroundColor: 'transparent',
    border: '1px solid var(--control-border)',
    borderRadius: 8,
    cursor: 'pointer',
    '&:hover:not(:disabled)': { backgroundColor: palette.action.hover },
    '&:disabled': { color: palette.text.secondary, borderColor: palette.divider, cursor: 'default' },
  },
  // Single row above the input once there is a history.
  '&[data-as=line]': {
    display: 'flex',
    padding: '8px 16px',
    overflowX: 'auto',
    scrollbarWidth: 'none',
    borderTop: `1px solid ${palette.divider}`,
  },
  '&[data-as=line] button': {
    width: 'auto',
    minHeight: 30,
    padding: '4px 10px',
    fontSize: 12,
    lineHeight: '16px',
    whiteSpace: 'nowrap',
  },
});

export const AskForm = styled('form')({
  display: 'flex',
  alignItems: 'flex-end',
  gap: 4,
  margin: '0 12px 12px',
  padding: '4px 4px 4px 12px',
  border: '1px solid var(--control-border)',
  borderRadius: 10,
  '&:focus-within': { borderColor: palette.primary.main, boxShadow: `inset 0 0 0 1px ${palette.primary.main}` },
  '& textarea': {
    flex: 1,
    minWidth: 0,
    maxHeight: 120,
    padding: '8px 0',
    font: 'inherit',
    color: 'inherit',
    backgroundColor: 'transparent',
    border: 0,
    outline: 'none',
    resize: 'none',
    fieldSizing: 'content',
  },
  '& textarea::placeholder': { color: palette.text.secondary, opacity: 1 },
});

/** Row of small controls below an answer. */
export const Small = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '4px 8px',
  fontSize: 12,
  lineHeight: '16px',
  color: palette.text.secondary,
});

/** Labelled multi-line text field of forms without validation. */
export const Box = styled('label')({
  display: 'grid',
  gap: 4,
  fontSize: 12,
  fontWeight: 600,
  color: palette.text.secondary,
  '& textarea, & select': {
    width: '100%',
    padding: '8px 10px',
    font: 'inherit',
    fontSize: 14,
    fontWeight: 400,
    color: palette.text.primary,
    backgroundColor: palette.background.paper,
    border: '1px solid var(--control-border)',
    borderRadius: 8,
    resize: 'vertical',
  },
  '& textarea:focus-visible, & select:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -1 },
});

import { palette } from '../../../kit/palette.ts';
