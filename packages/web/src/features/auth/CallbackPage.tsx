/** Return address of single sign-on (spec §4), with a one-time code in place of a token, or an error. */
import { useEffect, useRef } from 'react';
import { useGo } from '../../lib/address.ts';
import { call } from '../../lib/call.ts';
import { endpointDescriptors } from '../../lib/endpointDescriptors.ts';
import { paths } from '../../lib/paths.ts';
import { redirects } from '../../lib/redirects.ts';
import { enter } from '../../lib/signInCompletion.ts';
import { takeSignOn } from '../../lib/signOn.ts';
import { useTitle } from '../../lib/title.ts';
import { toast } from '../../lib/toast.ts';
import { Working } from './parts/Working.tsx';

export function CallbackPage() {
  useTitle('Login');
  const go = useGo();
  const hasBegun = useRef(false);
  useEffect(() => {
    // A code can be used once.
    if (hasBegun.current) return;
    hasBegun.current = true;
    const finish = async () => {
      const { hasFailed, token, path } = takeSignOn();
      if (hasFailed) {
        toast.error('Microsoft authentication failed', 'user');
        return paths.login();
      }
      if (token === undefined) return paths.login();
      if (path !== undefined) redirects.remember(path);
      try {
        const { user } = await call(endpointDescriptors.accessToken, { body: { accessToken: token } });
        if (await enter(user)) return undefined;
        return redirects.take() ?? paths.dashboard();
      } catch {
        toast.error('Authentication failed', 'user');
        return paths.login();
      }
    };
    finish().then((address) => address !== undefined && go(address, { replace: true }));
  }, [go]);
  return <Working />;
}
