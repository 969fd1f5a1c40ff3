/**
 * /churnzeroauth: entry from the customer-success tool. Signed-in users are forwarded automatically; guests sign in first, and every
 * sign-in passes through the tool anyway.
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
      // spec §8: notice for a missing token; an expired one already has its notice.
      if (state.status === 'guest' && state.notice === undefined) session.signInWithToken(undefined);
      redirects.remember(next);
      go(paths.login(), { replace: true });
      return;
    }
    onward(next).then((url) => (url ? location.replace(url) : go(next, { replace: true })));
  }, [go, next]);
  return <Working />;
}
