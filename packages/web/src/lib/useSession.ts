/** The session in a component. */
import type { SessionUser } from '@parapet/contract/auth.ts';
import { type SessionState, session } from './session.ts';
import { useStore } from './store.ts';

export const useSession = (): SessionState => useStore({ subscribe: session.subscribe, get: session.state });

/** The signed-in user; undefined for a guest. */
export function useUser(): SessionUser | undefined {
  const state = useSession();
  return state.status === 'signedIn' ? state.user : undefined;
}
