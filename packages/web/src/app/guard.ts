/**
 * Who may be where (spec §4, §6). Only the groups redirect: a guest goes to /login and the path is remembered; whoever is signed in goes
 * from guests' pages to the remembered path, else to /. A page whose calls are denied stays open and says so in place.
 */
import type { AuthGroup, RoleHolder } from '@parapet/contract/access.ts';
import { groupsOf } from '@parapet/contract/access.ts';
import { paths } from '../lib/paths.ts';
import type { redirects } from '../lib/redirects.ts';

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
