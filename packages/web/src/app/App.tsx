/**
 * The portal. The splash stands until the token check ends (spec §4); a server failure at that point shows Retry. The router starts only
 * afterwards, so that every guard has the session.
 */
import createCache, { type StylisPlugin } from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import GlobalStyles from '@mui/material/GlobalStyles';
import { ThemeProvider } from '@mui/material/styles';
import { RouterProvider } from '@tanstack/react-router';
import { Suspense, useEffect, useRef } from 'react';
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

// Components reference CSS variables; `theme.styles.ts` sets their values and the colour scheme.
const theme = createPortalTheme();
/** In place of Emotion’s prefixes for browsers long gone, which take a tenth of the styles’ time: Safari’s only. */
const prefixes: StylisPlugin = (element) => {
  if (element.type === 'decl' && element.props === 'user-select') element.return = `-webkit-${element.value}${element.value}`;
};
const styles = createCache({ key: 'css', nonce, stylisPlugins: [prefixes] });
connectStyles();
connectSettings();
/** `theme.styles.ts` owns the colours and the scheme attribute; MUI’s types lack the props that disable its own. */
const ownedElsewhere: object = { colorSchemeNode: null, disableStyleSheetGeneration: true };

export function App() {
  useFavicon();
  return (
    <CacheProvider value={styles}>
      <ThemeProvider theme={theme} defaultMode="light" storageManager={null} {...ownedElsewhere} noSsr>
        <GlobalStyles styles={globalStyles} />
        <Suspense fallback={<LoadingScreen isWhole />}>
          <Started />
        </Suspense>
        <StepUpHost />
        <ToastHost />
      </ThemeProvider>
    </CacheProvider>
  );
}

function Started() {
  const state = useSession();
  const brand = useBrandState();

  // The router runs its guards at start; a later sign-in or sign-out runs them again for the open page.
  const known = useRef<string>(undefined);
  useEffect(() => {
    if (state.status !== 'guest' && state.status !== 'signedIn') return;
    const wasSignedIn = known.current === 'signedIn';
    if (known.current !== undefined && known.current !== state.status) {
      // A logout leads to / in every tab (spec §4); other ends of a session lead back to the open page after the sign-in.
      if (wasSignedIn && state.status === 'guest' && state.notice === undefined) router.history.replace(paths.home());
      else router.invalidate();
    }
    known.current = state.status;
  }, [state]);

  // The sign-in page shows the reason of a session’s end; pages open to guests show it as a toast.
  useEffect(() => {
    let announced: unknown;
    const announce = (pathname: string) => {
      const now = session.state();
      if (now === announced) return;
      announced = now;
      const text = now.status === 'guest' ? noticeText(now.notice) : undefined;
      if (text !== undefined && pathname !== paths.login()) toast.warning(text, 'user');
    };
    const { resolvedLocation } = router.state;
    if (resolvedLocation) announce(resolvedLocation.pathname);
    return router.subscribe('onResolved', ({ toLocation }) => announce(toLocation.pathname));
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
