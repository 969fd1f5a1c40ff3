/**
 * /churnzeroauth: the customer-success tool sends people here. Whoever is signed in goes on by themselves; a guest signs in first, and every
 * sign-in leads through the tool anyway (decision 11b).
 */
import { safePath } from '@parapet/contract/rules/safePath.ts';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { type Search, useGo } from '../../lib/address.ts';
import { paths } from '../../lib/paths.ts';
import { redirects } from '../../lib/redirects.ts';
import { session } from '../../lib/session.ts';
import { onward } from '../../lib/signInCompletion.ts';
import { useTitle } from '../../lib/title.ts';
import { Working } from './parts/Working.tsx';

export function CustomerSuccessPage() {
  useTitle('Login');
  const go = useGo();
  const next = safePath(useSearch({ strict: false, select: (search) => (search as Search).next })) ?? paths.dashboard();
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    const state = session.state();
    if (state.status !== 'signedIn') {
      // spec §8: what is told when there is no token to sign in with; an expired one has been told already.
      if (state.status === 'guest' && state.notice === undefined) session.signInWithToken(undefined);
      redirects.remember(next);
      go(paths.login(), { replace: true });
      return;
    }
    onward(next).then((url) => (url ? location.replace(url) : go(next, { replace: true })));
  }, [go, next]);
  return <Working />;
}
