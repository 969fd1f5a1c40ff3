/** /logout: ends the session, then leads to / (spec §4), also when the server is unreachable. */
import { useEffect } from 'react';
import { useGo } from '../lib/address.ts';
import { paths } from '../lib/paths.ts';
import { session } from '../lib/session.ts';
import { LoadingScreen } from './LoadingScreen.tsx';

export function Logout() {
  const go = useGo();
  useEffect(() => {
    session.logout();
    go(paths.home(), { replace: true });
  }, [go]);
  return <LoadingScreen isWhole />;
}
