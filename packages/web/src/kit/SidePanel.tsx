/**
 * A look into a row without leaving the list. Where there is room it stands beside the list and stays in sight while that scrolls; else it
 * lies over it as a drawer. Escape closes it, and the keys of the list keep working beside it.
 */
import Drawer from '@mui/material/Drawer';
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import { type ReactNode, useContext } from 'react';
import { CloseRounded } from './icons/CloseRounded.tsx';
import { palette } from './palette.ts';
import { useShortcuts } from './useShortcut.ts';
import { SplitContext } from './useSplit.ts';

const Beside = styled('aside')({
  flex: '0 0 424px',
  width: 424,
  alignSelf: 'flex-start',
  position: 'sticky',
  top: 'calc(var(--toolbar-height, 56px) + 16px)',
  maxHeight: 'calc(100dvh - var(--toolbar-height, 56px) - var(--bottom-height, 0px) - 32px)',
  display: 'flex',
  flexDirection: 'column',
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  backgroundColor: palette.background.paper,
  overflow: 'hidden',
  '&[data-split=true]': { flex: '1 1 58%', width: 'auto', minWidth: 0 },
});
const Head = styled('div')({
  display: 'flex',
  alignItems: 'center',
  gap: 4,
  minHeight: 44,
  padding: '4px 8px 4px 16px',
  borderBottom: `1px solid ${palette.divider}`,
  '& > .title': { flex: 1, minWidth: 0, fontSize: 13, fontWeight: 600 },
});
const Body = styled('div')({ padding: 16, overflowY: 'auto', minHeight: 0 });

interface Props {
  isOpen: boolean;
  /** Names the panel; also its heading. */
  title: string;
  onClose: () => void;
  actions?: ReactNode;
  children: ReactNode;
}

export function SidePanel({ isOpen, title, onClose, actions, children }: Props) {
  const isBeside = useMediaQuery('(min-width: 1280px)', { noSsr: true });
  const isSplit = useContext(SplitContext);
  useShortcuts({ Escape: onClose }, isOpen && isBeside);
  const content = (
    <>
      <Head>
        <span className="title">{title}</span>
        {actions}
        <IconButton size="small" aria-label="Close the panel" onClick={onClose}>
          <CloseRounded fontSize="small" />
        </IconButton>
      </Head>
      <Body tabIndex={0} role="group" aria-label={`${title}, details`}>
        {children}
      </Body>
    </>
  );
  if (isBeside)
    return isOpen ? (
      <Beside aria-label={title} data-split={isSplit}>
        {content}
      </Beside>
    ) : null;
  return (
    <Drawer
      anchor="right"
      open={isOpen}
      onClose={onClose}
      slotProps={{ paper: { 'aria-label': title, role: 'dialog', 'aria-modal': true, sx: { width: 'min(440px, 100vw)' } } }}
    >
      {content}
    </Drawer>
  );
}
