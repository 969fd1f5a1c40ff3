/**
 * The whole portal. The splash stands until the token check ends (spec §4); a server that fails then is told, with Retry. Only after
 * that is there a router, so that every guard knows who asks.
 */
import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import GlobalStyles from '@mui/material/GlobalStyles';
import { ThemeProvider } from '@mui/material/styles';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { nonce } from '../kit/nonce.ts';
import { loadBrand, useBrandState } from '../lib/brand.ts';
import { paths } from '../lib/paths.ts';
import { noticeText, session } from '../lib/session.ts';
import { connectSettings } from '../lib/settingsStore.ts';
import { useFavicon } from '../lib/title.ts';
import { toast } from '../lib/toast.ts';
import { useSession } from '../lib/useSession.ts';
import { LoadingScreen } from './LoadingScreen.tsx';
import { router } from './router.ts';
import { StartFailed } from './StartFailed.tsx';
import { StepUpHost } from './StepUpHost.tsx';
import { ToastHost } from './ToastHost.tsx';
import { connectStyles } from './theme/theme.styles.ts';
import { createPortalTheme, globalStyles } from './theme/theme.ts';

// Parts only name variables; `look.ts` gives those their values and says whether it is light or dark.
const theme = createPortalTheme();
const styles = createCache({ key: 'css', nonce });
connectStyles();
connectSettings();
/** Colours and the attribute that says light or dark are `look.ts`'s; MUI's types do not list the props by which it leaves them alone. */
const ownedElsewhere: object = { colorSchemeNode: null, disableStyleSheetGeneration: true };

export function App() {
  useFavicon();
  return (
    <CacheProvider value={styles}>
      <ThemeProvider theme={theme} defaultMode="light" storageManager={null} {...ownedElsewhere} noSsr>
        <GlobalStyles styles={globalStyles} />
        <Started />
        <StepUpHost />
        <ToastHost />
      </ThemeProvider>
    </CacheProvider>
  );
}

function Started() {
  const state = useSession();
  const brand = useBrandState();

  // The router asks its guards when it starts; when somebody comes or goes after that, they look again at the page that is open.
  const known = useRef<string>(undefined);
  useEffect(() => {
    if (state.status !== 'guest' && state.status !== 'signedIn') return;
    const wasSignedIn = known.current === 'signedIn';
    if (known.current !== undefined && known.current !== state.status) {
      // A logout leads to / in every tab (spec §4); whoever was signed out otherwise comes back to where they were.
      if (wasSignedIn && state.status === 'guest' && state.notice === undefined) router.history.replace(paths.home());
      else router.invalidate();
    }
    known.current = state.status;
  }, [state]);

  // Why a session ended stands on the sign-in page; on a page that is open to guests it is a message.
  useEffect(() => {
    let told: unknown;
    return router.subscribe('onResolved', ({ toLocation }) => {
      const now = session.state();
      if (now === told) return;
      told = now;
      const text = now.status === 'guest' ? noticeText(now.notice) : undefined;
      if (text !== undefined && toLocation.pathname !== paths.login()) toast.warning(text, 'user');
    });
  }, []);

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
