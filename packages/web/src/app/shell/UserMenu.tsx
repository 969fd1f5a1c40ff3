/** The user menu with the logout (spec §2.2). On narrow screens it also has what the toolbar has no room for. */
import Divider from '@mui/material/Divider';
import IconButton from '@mui/material/IconButton';
import ListItemIcon from '@mui/material/ListItemIcon';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { styled } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import type { SessionUser } from '@parapet/contract/auth.ts';
import { useState } from 'react';
import { Hidden } from '../../kit/Announced.tsx';
import { DarkModeOutlined } from '../../kit/icons/DarkModeOutlined.tsx';
import { LightModeOutlined } from '../../kit/icons/LightModeOutlined.tsx';
import { LogoutRounded } from '../../kit/icons/LogoutRounded.tsx';
import { PersonOutlineRounded } from '../../kit/icons/PersonOutlineRounded.tsx';
import { SearchRounded } from '../../kit/icons/SearchRounded.tsx';
import { VisibilityOutlined } from '../../kit/icons/VisibilityOutlined.tsx';
import { palette } from '../../kit/palette.ts';
import { useGo } from '../../lib/address.ts';
import { PersonAvatar } from '../../lib/PersonAvatar.tsx';
import { paths } from '../../lib/paths.ts';
import { useMode } from './appearanceButtons.tsx';
import { searchText } from './searchText.ts';

const Who = styled('li')({
  listStyle: 'none',
  padding: '8px 16px 10px',
  maxWidth: 280,
  '& strong, & span': { display: 'block', overflowWrap: 'anywhere' },
  '& strong': { fontWeight: 600 },
  '& span': { fontSize: 12, color: palette.text.secondary },
});

interface Props {
  user: SessionUser;
  onSearch: () => void;
  /** Opens the reason for access; undefined for users without clients. */
  onReason: (() => void) | undefined;
}

export function UserMenu({ user, onSearch, onReason }: Props) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const go = useGo();
  const isNarrow = useMediaQuery('(max-width: 599.95px)');
  const { isDark, toggle } = useMode();
  return (
    <>
      <IconButton
        onClick={(event) => setAnchor(event.currentTarget)}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        sx={{ p: 0.5 }}
      >
        <PersonAvatar displayName={user.displayName} profileURL={user.profileURL} />
        <Hidden>User menu of {user.displayName}</Hidden>
      </IconButton>
      <Menu
        anchorEl={anchor}
        open={anchor !== null}
        onClose={() => setAnchor(null)}
        slotProps={{ list: { 'aria-label': 'User menu' } }}
      >
        <Who role="presentation">
          <strong>{user.displayName}</strong>
          <span>{user.emailAddress}</span>
          <span>{[user.role[0], user.clientOrganizationName].filter(Boolean).join(' · ')}</span>
        </Who>
        <Divider component="li" role="presentation" />
        {isNarrow && (
          <MenuItem
            onClick={() => {
              setAnchor(null);
              onSearch();
            }}
          >
            <ListItemIcon>
              <SearchRounded fontSize="small" />
            </ListItemIcon>
            {searchText}
          </MenuItem>
        )}
        {isNarrow && onReason && (
          <MenuItem
            onClick={() => {
              setAnchor(null);
              onReason();
            }}
          >
            <ListItemIcon>
              <VisibilityOutlined fontSize="small" />
            </ListItemIcon>
            Access reason
          </MenuItem>
        )}
        {isNarrow && (
          <MenuItem onClick={toggle}>
            <ListItemIcon>{isDark ? <LightModeOutlined fontSize="small" /> : <DarkModeOutlined fontSize="small" />}</ListItemIcon>
            {isDark ? 'Light colours' : 'Dark colours'}
          </MenuItem>
        )}
        <MenuItem
          onClick={() => {
            setAnchor(null);
            go(paths.profile(user.id));
          }}
        >
          <ListItemIcon>
            <PersonOutlineRounded fontSize="small" />
          </ListItemIcon>
          My Profile
        </MenuItem>
        <MenuItem onClick={() => go(paths.logout())}>
          <ListItemIcon>
            <LogoutRounded fontSize="small" />
          </ListItemIcon>
          Logout
        </MenuItem>
      </Menu>
    </>
  );
}
