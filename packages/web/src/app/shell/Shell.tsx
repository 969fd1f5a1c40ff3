/**
 * The frame around every page but the sign-in (spec §2.2): navigation, toolbar, footer, the page in between, laid out as the user likes.
 * Everything that a user's session holds lives below it and goes with it: another user never meets the first one's data.
 */

import { isHost } from '@parapet/contract/access.ts';
import type { SessionUser } from '@parapet/contract/auth.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet, useMatches } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { FailedState } from '../../kit/States.tsx';
import { CompleteAddress } from '../../lib/address.ts';
import { useBrand } from '../../lib/brand.ts';
import { createQueryClient } from '../../lib/query.ts';
import { ScopeContext } from '../../lib/scope.ts';
import { roleHolderOf } from '../../lib/session.ts';
import { useSettings } from '../../lib/settingsStore.ts';
import { toast } from '../../lib/toast.ts';
import { useUser } from '../../lib/useSession.ts';
import { LoadingScreen } from '../LoadingScreen.tsx';
import { MaintenanceScreen } from '../MaintenanceScreen.tsx';
import { prepareToasts } from '../ToastHost.tsx';
import { Drawer } from './Drawer.tsx';
import { Footer } from './Footer.tsx';
import { Column, Edge, Frame, Page, SkipLink } from './frame.tsx';
import { NavigationBar } from './NavigationBar.tsx';
import { Notices } from './Notices.tsx';
import { SapphireCorner } from './SapphireCorner.tsx';
import { Shortcuts } from './Shortcuts.tsx';
import { GuestToolbar, Toolbar } from './Toolbar.tsx';
import { useOverlaid } from './useOverlaid.ts';
import { usePageStart } from './usePageStart.ts';
import { useShellScope } from './useShellScope.ts';

const loadSearch = () => import('./PageSearch.tsx');
const PageSearch = lazy(() => loadSearch().then((module) => ({ default: module.PageSearch })));
/** When the first page has had its time. */
const prepareAfterMs = 3000;

export function Shell() {
  const user = useUser();
  const { maintenance } = useBrand();
  const isOpenPage = useMatches({ select: (matches) => matches.at(-1)?.fullPath.startsWith('/pages/') ?? false });
  const isSignedIn = Boolean(user?.role[0]);
  // decision 28: only a Host goes on.
  if (maintenance && (isSignedIn || isOpenPage) && !(user && isHost(roleHolderOf(user)))) {
    return <MaintenanceScreen isSignedIn={isSignedIn} />;
  }
  if (user && isSignedIn) return <SignedIn key={user.id} user={user} />;
  // Signed out a moment ago: the guard is on its way.
  return isOpenPage ? <Guest /> : <LoadingScreen isWhole />;
}

interface LayoutProps {
  drawer?: ReactNode;
  toolbar: ReactNode;
  navigation?: ReactNode;
  children: ReactNode;
}

/** Boxed, fullwidth or container; the toolbar above or below; the footer fixed or static. */
function Layout({ drawer, toolbar, navigation, children }: LayoutProps) {
  const { layoutMode, toolbar: side, footer } = useSettings();
  const hasTop = side === 'above' || navigation;
  const hasBottom = side === 'below' || footer === 'fixed';
  return (
    <Frame data-mode={layoutMode}>
      <SkipLink href="#page">Skip to the page</SkipLink>
      {drawer}
      <Column>
        {hasTop && (
          <Edge at="top">
            {side === 'above' && toolbar}
            {navigation}
          </Edge>
        )}
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
  usePageStart();
  return (
    <>
      <Layout toolbar={<GuestToolbar />}>
        <Outlet />
      </Layout>
      <SapphireCorner />
      <Notices />
    </>
  );
}

function SignedIn({ user }: { user: SessionUser }) {
  const [queries] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queries}>
      <Inside user={user} />
    </QueryClientProvider>
  );
}

function Inside({ user }: { user: SessionUser }) {
  const shell = useShellScope(user);
  const settings = useSettings();
  const isOverlaid = useOverlaid();
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const [isSearching, setSearching] = useState(false);
  usePageStart();
  const search = useCallback(async () => {
    try {
      // A part that cannot be loaded must not take the shell with it.
      await loadSearch();
      setDrawerOpen(false);
      setSearching(true);
    } catch {
      toast.error('The search could not be loaded. Check your connection and try again.');
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
      // Beneath another dialog it would only be in the way.
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
            <Drawer
              user={user}
              isOverlaid={isOverlaid || !settings.navbar || isAbove}
              isOpen={isDrawerOpen}
              onClose={() => setDrawerOpen(false)}
              onSearch={search}
            />
          }
          toolbar={
            <Toolbar
              shell={shell}
              hasMenu={isOverlaid || !settings.navbar}
              onMenu={() => setDrawerOpen(true)}
              onSearch={search}
            />
          }
          navigation={settings.navbar && isAbove && !isOverlaid && <NavigationBar user={user} onSearch={search} />}
        >
          {shell.unknownClient === undefined ? (
            <Outlet />
          ) : (
            <FailedState
              what={`Client ${shell.unknownClient}`}
              error={new Error('There is no such client, or you may not see it. Choose another one above.')}
            />
          )}
        </Layout>
        <SapphireCorner shown={shell.scope} />
        <Notices />
        <Shortcuts />
        {isSearching && (
          <Suspense>
            <PageSearch onClose={() => setSearching(false)} />
          </Suspense>
        )}
      </CompleteAddress>
    </ScopeContext>
  );
}
