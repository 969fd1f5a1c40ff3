/**
 * The whole portal. The splash stands until the token check ends (spec §4); a server that fails then is told, with Retry. Only after
 * that is there a router, so that every guard knows who asks.
 */
import GlobalStyles from '@mui/material/GlobalStyles';
import { ThemeProvider } from '@mui/material/styles';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { loadBrand, useBrandState } from '../lib/brand.ts';
import { session } from '../lib/session.ts';
import { useSession } from '../lib/useSession.ts';
import { LoadingScreen } from './LoadingScreen.tsx';
import { router } from './router.tsx';
import { StartFailed } from './StartFailed.tsx';
import { ToastHost } from './ToastHost.tsx';
import { createPortalTheme, globalStyles, modeKey } from './theme/theme.ts';

const theme = createPortalTheme();
const styles = globalStyles();

export function App() {
  return (
    <ThemeProvider theme={theme} defaultMode="system" modeStorageKey={modeKey} colorSchemeStorageKey="parapet-scheme" noSsr>
      <GlobalStyles styles={styles} />
      <Started />
      <ToastHost />
    </ThemeProvider>
  );
}

function Started() {
  const state = useSession();
  const brand = useBrandState();

  const before = useRef(state.status);
  useEffect(() => {
    // Somebody came or went: the guards look again at the page that is open. After a check the router starts anew and asks them itself.
    const isSettled = (status: string) => status === 'guest' || status === 'signedIn';
    if (state.status !== before.current && isSettled(before.current) && isSettled(state.status)) router.invalidate();
    before.current = state.status;
  }, [state.status]);

  if (state.status === 'checking' || brand.status === 'loading') return <LoadingScreen isWhole />;
  const error = state.status === 'failed' ? state.error : state.status === 'guest' ? brand.error : undefined;
  if (error) {
    return (
      <StartFailed
        error={error}
        onRetry={() => {
          session.start();
          loadBrand();
        }}
      />
    );
  }
  return <RouterProvider router={router} />;
}
