/** Pane of a list's filters: beside the list on wide screens, else a drawer. */
import Drawer from '@mui/material/Drawer';
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import { type ReactNode, useState } from 'react';
import { AfterPaint } from './AfterPaint.tsx';
import { CloseRounded } from './icons/CloseRounded.tsx';

export const FacetLists = styled('div')({ display: 'flex', flexDirection: 'column', gap: 18 });
/** As tall as the list beside it, with its own scrollbar: filters never make the page longer than the list does. */
const Beside = styled('aside')({
  position: 'relative',
  flex: '0 0 200px',
  alignSelf: 'stretch',
  minHeight: 'max(480px, calc(100dvh - 330px))',
  'html[data-density=compact] &': { flexBasis: 176 },
});
const Scroll = styled('div')({
  position: 'absolute',
  inset: '0 -12px 0 -8px',
  padding: '4px 12px 8px 8px',
  overflowY: 'auto',
  scrollbarWidth: 'thin',
});
const Head = styled('div')({
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  padding: '8px 8px 8px 16px',
  fontSize: 16,
  fontWeight: 600,
});

/** Open by default beside the list, closed as a drawer; each state is stored separately. */
export function useFacetPane(): [isOpen: boolean, setOpen: (isOpen: boolean) => void, isBeside: boolean] {
  const isBeside = useMediaQuery('(min-width: 1200px)', { noSsr: true });
  const [opened, setOpened] = useState({ beside: true, drawer: false });
  const place = isBeside ? 'beside' : 'drawer';
  return [opened[place], (isOpen) => setOpened({ ...opened, [place]: isOpen }), isBeside];
}

interface Props {
  /** Default: Filters. */
  label?: string;
  isOpen: boolean;
  isBeside: boolean;
  onClose: () => void;
  children: ReactNode;
}

export function FacetPane({ label = 'Filters', isOpen, isBeside, onClose, children }: Props) {
  if (isBeside)
    return isOpen ? (
      <Beside aria-label={label}>
        <Scroll>
          <AfterPaint>{children}</AfterPaint>
        </Scroll>
      </Beside>
    ) : null;
  return (
    <Drawer
      open={isOpen}
      onClose={onClose}
      slotProps={{ paper: { role: 'dialog', 'aria-modal': true, 'aria-label': label, sx: { width: 'min(300px, 100vw)' } } }}
    >
      <Head>
        {label}
        <IconButton size="small" aria-label={`Close ${label.toLowerCase()}`} onClick={onClose}>
          <CloseRounded fontSize="small" />
        </IconButton>
      </Head>
      <div style={{ padding: '4px 16px 24px', overflowY: 'auto' }}>{children}</div>
    </Drawer>
  );
}
