/**
 * The navigation drawer: 279 px, folded to 64 px of icons that open over the page after 150 ms of hovering; below 960 px it overlays the
 * page (spec §2.2).
 */
import Button from '@mui/material/Button';
import MuiDrawer from '@mui/material/Drawer';
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import type { SessionUser } from '@parapet/contract/auth.ts';
import { useEffect, useRef, useState } from 'react';
import { ChevronLeftRounded } from '../../kit/icons/ChevronLeftRounded.tsx';
import { ChevronRightRounded } from '../../kit/icons/ChevronRightRounded.tsx';
import { CloseRounded } from '../../kit/icons/CloseRounded.tsx';
import { palette } from '../../kit/palette.ts';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { BrandLogo } from '../../lib/BrandLogo.tsx';
import { changeSettings, useSettings } from '../../lib/settingsStore.ts';
import { drawerWidth, foldedWidth, toolbarHeight } from '../theme/theme.ts';
import { Navigation } from './Navigation.tsx';
import { ShortcutBar } from './ShortcutBar.tsx';
import { useOverlaid } from './useOverlaid.ts';

const hoverDelayMs = 150;

const Place = styled('div')({ flex: 'none', position: 'relative', zIndex: 30 });
const Panel = styled('aside')({
  position: 'sticky',
  top: 0,
  display: 'flex',
  flexDirection: 'column',
  height: '100dvh',
  overflow: 'hidden',
  backgroundColor: palette.background.paper,
  borderRight: `1px solid ${palette.divider}`,
  transition: 'width 140ms ease-out',
});
const Head = styled('div')({
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  flex: 'none',
  height: toolbarHeight,
  padding: '0 12px 0 18px',
  borderBottom: `1px solid ${palette.divider}`,
});
const Person = styled('div')({
  flex: 'none',
  padding: '14px 18px 10px',
  minWidth: 0,
  '& strong, & span': { display: 'block', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& strong': { fontSize: 14, lineHeight: '20px', fontWeight: 600 },
  '& span': { fontSize: 12, lineHeight: '16px', color: palette.text.secondary },
});

interface Props {
  user: SessionUser;
  /** Overlays the page and is opened by the toolbar’s button. */
  isOverlaid: boolean;
  isOpen: boolean;
  onClose: () => void;
  onSearch: () => void;
}

export function Drawer({ user, isOverlaid, isOpen, onClose, onSearch }: Props) {
  const { navbar, navbarFolded: isFolded } = useSettings();
  const isSmall = useOverlaid();
  const [isHovered, setHovered] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const toggle = () => changeSettings({ navbarFolded: !isFolded });

  const inside = (isNarrow: boolean) => (
    <>
      <Head>
        <BrandLogo isFolded={isNarrow} />
        {!isOverlaid && !isNarrow && (
          <IconButton size="small" onClick={toggle} aria-label={isFolded ? 'Keep the navigation open' : 'Fold the navigation'}>
            {isFolded ? <ChevronRightRounded fontSize="small" /> : <ChevronLeftRounded fontSize="small" />}
          </IconButton>
        )}
        {isOverlaid && (
          <IconButton size="small" onClick={onClose} aria-label="Close the navigation">
            <CloseRounded fontSize="small" />
          </IconButton>
        )}
      </Head>
      {!isNarrow && (
        <>
          <Person>
            <strong title={user.displayName}>
              <VisibleText text={user.displayName} />
            </strong>
            <span title={user.emailAddress}>{user.emailAddress}</span>
          </Person>
          <ShortcutBar onSearch={onSearch} onGo={onClose} />
        </>
      )}
      <Navigation isNarrow={isNarrow} onGo={onClose} />
      {!isOverlaid && isNarrow && (
        <IconButton onClick={toggle} aria-label="Keep the navigation open" sx={{ m: '12px', mt: 'auto', borderRadius: 2 }}>
          <ChevronRightRounded fontSize="small" />
        </IconButton>
      )}
      {isOverlaid && !isSmall && !navbar && (
        <Button
          onClick={() => {
            changeSettings({ navbar: true });
            onClose();
          }}
          sx={{ m: '12px' }}
        >
          Always show the navigation
        </Button>
      )}
    </>
  );

  if (isOverlaid) {
    return (
      <MuiDrawer
        open={isOpen}
        onClose={onClose}
        slotProps={{
          paper: { sx: { width: drawerWidth, maxWidth: '86vw' }, 'aria-label': 'Navigation', role: 'dialog', 'aria-modal': true },
        }}
      >
        {inside(false)}
      </MuiDrawer>
    );
  }
  const isNarrow = isFolded && !isHovered;
  return (
    <Place className="no-print" style={{ width: isFolded ? foldedWidth : drawerWidth }}>
      <Panel
        aria-label="Navigation and user"
        style={{ width: isNarrow ? foldedWidth : drawerWidth }}
        onMouseEnter={() => {
          timer.current = setTimeout(() => setHovered(true), hoverDelayMs);
        }}
        onMouseLeave={() => {
          clearTimeout(timer.current);
          setHovered(false);
        }}
      >
        {inside(isNarrow)}
      </Panel>
    </Place>
  );
}
