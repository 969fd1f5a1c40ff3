/**
 * Who may be where (spec §4, §6). Only the groups redirect: a guest goes to /login and the path is remembered; whoever is signed in goes
 * from guests' pages to the remembered path, else to /. A page whose calls are denied stays open and says so in place.
 */
import type { AuthGroup, RoleHolder } from '@parapet/contract/access.ts';
import { groupsOf } from '@parapet/contract/access.ts';
import { paths, safePath } from '../lib/paths.ts';

/** For this tab only, so that a reload of the sign-in page keeps it. */
const redirectKey = 'redirect_url';

interface Memory {
  getItem: (key: string) => string | null;
  setItem: (key: string, value: string) => void;
  removeItem: (key: string) => void;
}

export function createRedirectMemory(memory: () => Memory) {
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch {
      return undefined;
    }
  };
  return {
    remember(path: string) {
      if (safePath(path)) attempt(() => memory().setItem(redirectKey, path));
    },
    /** Once: the next sign-in starts at the dashboard again. */
    take(): string | undefined {
      const path = attempt(() => memory().getItem(redirectKey)) ?? undefined;
      attempt(() => memory().removeItem(redirectKey));
      return safePath(path);
    },
  };
}

export const redirects = createRedirectMemory(() => sessionStorage);

/** Where to go instead; undefined to stay. `group` undefined: open to everybody. */
export function guard(
  group: AuthGroup | undefined,
  who: RoleHolder | undefined,
  address: string,
  memory: Pick<typeof redirects, 'remember' | 'take'>,
): string | undefined {
  if (!group || groupsOf(who).includes(group)) return undefined;
  if (group === 'onlyGuest') return memory.take() ?? paths.home();
  if (groupsOf(who).includes('onlyGuest')) {
    memory.remember(address);
    return paths.login();
  }
  return memory.take() ?? paths.home();
}
