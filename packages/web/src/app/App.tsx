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

  // The router asks its guards when it starts; when somebody comes or goes after that, they look again at the page that is open.
  const known = useRef<string>(undefined);
  useEffect(() => {
    if (state.status !== 'guest' && state.status !== 'signedIn') return;
    if (known.current !== undefined && known.current !== state.status) router.invalidate();
    known.current = state.status;
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
