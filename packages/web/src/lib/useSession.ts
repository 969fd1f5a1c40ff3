/** The session in a component. */
import type { SessionUser } from '@parapet/contract/auth.ts';
import { useSyncExternalStore } from 'react';
import { type SessionState, session } from './session.ts';

export const useSession = (): SessionState => useSyncExternalStore(session.subscribe, session.state);

/** Who is signed in; undefined for a guest. */
export function useUser(): SessionUser | undefined {
  const state = useSession();
  return state.status === 'signedIn' ? state.user : undefined;
}
