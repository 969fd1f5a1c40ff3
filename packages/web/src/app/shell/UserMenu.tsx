/** Who is signed in, and the way out (spec §2.2). On narrow screens also what the toolbar has no room for. */
import DarkModeOutlined from '@mui/icons-material/DarkModeOutlined';
import LightModeOutlined from '@mui/icons-material/LightModeOutlined';
import LogoutRounded from '@mui/icons-material/LogoutRounded';
import Avatar from '@mui/material/Avatar';
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
import { useGo } from '../../lib/address.ts';
import { initialsOf } from '../../lib/names.ts';
import { paths } from '../../lib/paths.ts';
import { useMode } from './lookButtons.tsx';

const Who = styled('li')(({ theme }) => ({
  listStyle: 'none',
  padding: '8px 16px 10px',
  maxWidth: 280,
  '& strong, & span': { display: 'block', overflowWrap: 'anywhere' },
  '& strong': { fontWeight: 600 },
  '& span': { fontSize: 12, color: (theme.vars ?? theme).palette.text.secondary },
}));

export function UserMenu({ user }: { user: SessionUser }) {
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
        <Avatar
          src={user.profileURL || undefined}
          sx={{ width: 32, height: 32, fontSize: 13, fontWeight: 600, bgcolor: 'primary.main', color: 'primary.contrastText' }}
        >
          <span aria-hidden>{initialsOf(user.displayName)}</span>
        </Avatar>
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
          <span>{[user.role[0], user.partnerOrg?.partnerName].filter(Boolean).join(' · ')}</span>
        </Who>
        <Divider component="li" role="presentation" />
        {isNarrow && (
          <MenuItem onClick={toggle}>
            <ListItemIcon>{isDark ? <LightModeOutlined fontSize="small" /> : <DarkModeOutlined fontSize="small" />}</ListItemIcon>
            {isDark ? 'Light colours' : 'Dark colours'}
          </MenuItem>
        )}
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
