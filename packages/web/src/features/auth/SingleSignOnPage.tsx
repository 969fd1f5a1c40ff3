/** /sso-auth: redirects to the identity provider where one is configured, else to the sign-in. Both continue at the remembered path. */
import { useEffect } from 'react';
import { useGo } from '../../lib/address.ts';
import { useBrand } from '../../lib/brand.ts';
import { paths } from '../../lib/paths.ts';
import { redirects } from '../../lib/redirects.ts';
import { signOnAddress } from '../../lib/signOn.ts';
import { useTitle } from '../../lib/title.ts';
import { Working } from './parts/Working.tsx';

export function SingleSignOnPage() {
  useTitle('Login');
  const { singleSignOn } = useBrand();
  const go = useGo();
  useEffect(() => {
    if (singleSignOn) location.replace(signOnAddress(redirects.peek()));
    else go(paths.login(), { replace: true });
  }, [singleSignOn, go]);
  return <Working />;
}
