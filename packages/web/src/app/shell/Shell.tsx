/**
 * The frame around every page but the sign-in (spec §2.2): drawer, toolbar, footer, the page in between. Everything that a user's
 * session holds lives below it and goes with it: another user never meets the first one's data.
 */

import type { SessionUser } from '@parapet/contract/auth.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet, useMatches } from '@tanstack/react-router';
import { useState } from 'react';
import { FailedState } from '../../kit/States.tsx';
import { createQueryClient } from '../../lib/query.ts';
import { ScopeContext } from '../../lib/scope.ts';
import { useUser } from '../../lib/useSession.ts';
import { LoadingScreen } from '../LoadingScreen.tsx';
import { Drawer } from './Drawer.tsx';
import { Footer } from './Footer.tsx';
import { Column, Frame, Page, SkipLink } from './frame.tsx';
import { Shortcuts } from './Shortcuts.tsx';
import { GuestToolbar, Toolbar } from './Toolbar.tsx';
import { useFolded } from './useFolded.ts';
import { usePageStart } from './usePageStart.ts';
import { useShellScope } from './useShellScope.ts';

export function Shell() {
  const user = useUser();
  const isOpenPage = useMatches({ select: (matches) => matches.at(-1)?.fullPath.startsWith('/pages/') ?? false });
  if (user?.role[0]) return <SignedIn key={user.id} user={user} />;
  // Signed out a moment ago: the guard is on its way.
  return isOpenPage ? <Guest /> : <LoadingScreen isWhole />;
}

function Guest() {
  usePageStart();
  return (
    <Frame>
      <SkipLink href="#page">Skip to the page</SkipLink>
      <Column>
        <GuestToolbar />
        <Page id="page" tabIndex={-1}>
          <Outlet />
        </Page>
        <Footer />
      </Column>
    </Frame>
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
  const folded = useFolded();
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  usePageStart();
  return (
    <ScopeContext value={shell.scope}>
      <Frame>
        <SkipLink href="#page">Skip to the page</SkipLink>
        <Drawer
          user={user}
          client={shell.linkClient}
          timeframe={shell.linkTimeframe}
          isFolded={folded.isFolded}
          onFold={folded.toggle}
          isOpen={isDrawerOpen}
          onClose={() => setDrawerOpen(false)}
        />
        <Column>
          <Toolbar shell={shell} onMenu={() => setDrawerOpen(true)} />
          <Page id="page" tabIndex={-1}>
            {shell.unknownClient === undefined ? (
              <Outlet />
            ) : (
              <FailedState
                what={`Client ${shell.unknownClient}`}
                error={new Error('There is no such client, or you may not see it. Choose another one above.')}
              />
            )}
          </Page>
          <Footer />
        </Column>
      </Frame>
      <Shortcuts client={shell.linkClient} timeframe={shell.linkTimeframe} />
    </ScopeContext>
  );
}
