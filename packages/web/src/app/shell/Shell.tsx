/**
 * The frame of every page except the sign-in (spec §2.2): navigation, toolbar, page and footer in the user’s layout. All state of a session
 * lives below it or in `sessionQueries` and is dropped with it, so that another user never sees the first one’s data.
 */

import { isHost } from '@parapet/contract/access.ts';
import type { SessionUser } from '@parapet/contract/auth.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet, useMatches } from '@tanstack/react-router';
import { memo, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { FailedState } from '../../kit/States.tsx';
import { CompleteAddress } from '../../lib/address.ts';
import { useBrand } from '../../lib/brand.ts';
import { DemoProgress } from '../../lib/DemoProgress.tsx';
import { lazyDialog } from '../../lib/LazyDialog.tsx';
import { ScopeContext } from '../../lib/scope.ts';
import { roleHolderOf } from '../../lib/session.ts';
import { sessionQueries } from '../../lib/sessionQueries.ts';
import { useSettings } from '../../lib/settingsStore.ts';
import { toast } from '../../lib/toast.ts';
import { useUser } from '../../lib/useSession.ts';
import { LoadingScreen } from '../LoadingScreen.tsx';
import { MaintenanceScreen } from '../MaintenanceScreen.tsx';
import { prepareToasts } from '../ToastHost.tsx';
import { Drawer } from './Drawer.tsx';
import { Footer } from './Footer.tsx';
import { Column, Edge, Frame, Page, SkipLink } from './frame.tsx';
import { ModeStrip } from './ModeStrip.tsx';
import { NavigationBar } from './NavigationBar.tsx';
import { Notices } from './Notices.tsx';
import { SapphireCorner } from './SapphireCorner.tsx';
import { SensitiveStrip } from './SensitiveStrip.tsx';
import { Shortcuts } from './Shortcuts.tsx';
import { GuestToolbar, Toolbar } from './Toolbar.tsx';
import { useOverlaid } from './useOverlaid.ts';
import { usePageStart } from './usePageStart.ts';
import { useShellScope } from './useShellScope.ts';

const loadSearch = () => import('./PageSearch.tsx');
const PageSearch = lazyDialog('the search', () => loadSearch().then((module) => module.PageSearch));
// The parts of the frame are rendered again where they change, not with each address.
const [Side, Top, Corner] = [memo(Drawer), memo(Toolbar), memo(SapphireCorner)];
const strips = (
  <>
    <ModeStrip />
    <SensitiveStrip />
  </>
);
const overlays = (
  <>
    <Notices />
    <Shortcuts />
  </>
);
/** Delay in ms, after the first page has loaded. */
const prepareAfterMs = 3000;

export function Shell() {
  const user = useUser();
  const { maintenance } = useBrand();
  const isOpenPage = useMatches({ select: (matches) => matches.at(-1)?.fullPath.startsWith('/pages/') ?? false });
  const isSignedIn = Boolean(user?.role[0]);
  // Hosts only.
  if (maintenance && (isSignedIn || isOpenPage) && !(user && isHost(roleHolderOf(user)))) {
    return <MaintenanceScreen isSignedIn={isSignedIn} />;
  }
  if (user && isSignedIn) return <SignedIn key={user.id} user={user} />;
  // After a sign-out, until the guard redirects.
  return isOpenPage ? <Guest /> : <LoadingScreen isWhole />;
}

interface LayoutProps {
  drawer?: ReactNode;
  toolbar: ReactNode;
  navigation?: ReactNode;
  /** Below the toolbar. */
  strip?: ReactNode;
  children: ReactNode;
}

/** Boxed, fullwidth or container; the toolbar above or below; the footer fixed or static. */
function Layout({ drawer, toolbar, navigation, strip, children }: LayoutProps) {
  const { layoutMode, toolbar: side, footer } = useSettings();
  const hasTop = side === 'above' || navigation;
  const hasBottom = side === 'below' || footer === 'fixed';
  return (
    <Frame data-mode={layoutMode}>
      <SkipLink href="#page">Skip to content</SkipLink>
      {drawer}
      <Column>
        {hasTop && (
          <Edge at="top">
            {side === 'above' && toolbar}
            {navigation}
          </Edge>
        )}
        <DemoProgress place="shell" />
        {strip}
        <Page id="page" tabIndex={-1} data-mode={layoutMode}>
          {children}
        </Page>
        {footer === 'static' && <Footer />}
        {hasBottom && (
          <Edge at="bottom">
            {footer === 'fixed' && <Footer isFixed />}
            {side === 'below' && toolbar}
          </Edge>
        )}
      </Column>
    </Frame>
  );
}

function Guest() {
  const [dock, setDock] = useState<HTMLElement | null>(null);
  usePageStart();
  return (
    <>
      <Layout toolbar={<GuestToolbar dock={setDock} />}>
        <Outlet />
      </Layout>
      <SapphireCorner dock={dock} />
      <Notices />
    </>
  );
}

function SignedIn({ user }: { user: SessionUser }) {
  // The same one until this frame is replaced, after its session.
  const [queries] = useState(sessionQueries);
  return (
    queries && (
      <QueryClientProvider client={queries}>
        <Inside user={user} />
      </QueryClientProvider>
    )
  );
}

function Inside({ user }: { user: SessionUser }) {
  const shell = useShellScope(user);
  const settings = useSettings();
  const isOverlaid = useOverlaid();
  const [dock, setDock] = useState<HTMLElement | null>(null);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const [isSearching, setSearching] = useState(false);
  usePageStart();
  const openDrawer = useCallback(() => setDrawerOpen(true), []);
  const closeDrawer = useCallback(() => setDrawerOpen(false), []);
  const search = useCallback(async () => {
    try {
      // A failed import must not break the shell.
      await loadSearch();
      setDrawerOpen(false);
      setSearching(true);
    } catch {
      toast.error('Couldn’t load the search. Check your connection and try again.');
    }
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => {
      prepareToasts();
      loadSearch().catch(() => {});
    }, prepareAfterMs);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      // Not below another dialog.
      if (!document.querySelector('[role=dialog][aria-modal=true]')) void search();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [search]);

  const isAbove = settings.layoutStyle === 'vertical';
  return (
    <ScopeContext value={shell.scope}>
      <CompleteAddress value={shell.completeAddress}>
        <Layout
          drawer={
            <Side
              user={user}
              isOverlaid={isOverlaid || !settings.navbar || isAbove}
              isOpen={isDrawerOpen}
              onClose={closeDrawer}
              onSearch={search}
            />
          }
          toolbar={
            <Top shell={shell} hasMenu={isOverlaid || !settings.navbar} onMenu={openDrawer} onSearch={search} dock={setDock} />
          }
          navigation={settings.navbar && isAbove && !isOverlaid && <NavigationBar user={user} onSearch={search} />}
          strip={strips}
        >
          {shell.unknownClient === undefined ? (
            <Outlet />
          ) : (
            <FailedState
              what={`client ${shell.unknownClient}`}
              error={new Error('Client not found, or you don’t have access to it. Select another client above.')}
            />
          )}
        </Layout>
        <Corner dock={dock} shown={shell.scope} />
        {overlays}
        {isSearching && (
          <Suspense>
            <PageSearch onClose={() => setSearching(false)} />
          </Suspense>
        )}
      </CompleteAddress>
    </ScopeContext>
  );
}
