/** The fullscreen and light or dark buttons. */
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import useMediaQuery from '@mui/material/useMediaQuery';
import { useSyncExternalStore } from 'react';
import { DarkModeOutlined } from '../../kit/icons/DarkModeOutlined.tsx';
import { FullscreenExitRounded } from '../../kit/icons/FullscreenExitRounded.tsx';
import { FullscreenRounded } from '../../kit/icons/FullscreenRounded.tsx';
import { LightModeOutlined } from '../../kit/icons/LightModeOutlined.tsx';
import { changeSettings, useSettings } from '../../lib/settingsStore.ts';
import { toast } from '../../lib/toast.ts';

const onFullscreen = (listener: () => void) => {
  document.addEventListener('fullscreenchange', listener);
  return () => document.removeEventListener('fullscreenchange', listener);
};

export function useFullscreen() {
  const isFull = useSyncExternalStore(onFullscreen, () => document.fullscreenElement !== null);
  const toggle = () => {
    const done = isFull ? document.exitFullscreen() : document.documentElement.requestFullscreen();
    done.catch(() => toast.warning('The browser did not allow fullscreen.'));
  };
  return { isFull, toggle, isPossible: document.fullscreenEnabled };
}

export function useMode() {
  const { mode } = useSettings();
  const isSystemDark = useMediaQuery('(prefers-color-scheme: dark)', { noSsr: true });
  const isDark = mode === 'system' ? isSystemDark : mode === 'dark';
  return { isDark, toggle: () => changeSettings({ mode: isDark ? 'light' : 'dark' }) };
}

export function FullscreenButton() {
  const { isFull, toggle, isPossible } = useFullscreen();
  const label = isFull ? 'Leave fullscreen' : 'Fullscreen';
  if (!isPossible) return null;
  return (
    <Tooltip title={label}>
      <IconButton onClick={toggle} aria-label={label}>
        {isFull ? <FullscreenExitRounded /> : <FullscreenRounded />}
      </IconButton>
    </Tooltip>
  );
}

export function ModeButton() {
  const { isDark, toggle } = useMode();
  const label = isDark ? 'Light colours' : 'Dark colours';
  return (
    <Tooltip title={label}>
      <IconButton onClick={toggle} aria-label={label}>
        {isDark ? <LightModeOutlined fontSize="small" /> : <DarkModeOutlined fontSize="small" />}
      </IconButton>
    </Tooltip>
  );
}
