/**
 * Access by user group (spec §4, §6). Guests are redirected to /login and their path is remembered; signed-in users are redirected from
 * guests’ pages to the remembered path, else to /. A page whose calls are denied stays open and shows the error in place.
 */
import type { AuthGroup, RoleHolder } from '@parapet/contract/access.ts';
import { groupsOf } from '@parapet/contract/access.ts';
import { paths } from '../lib/paths.ts';
import type { redirects } from '../lib/redirects.ts';

/** The redirect target; undefined without a redirect. `group` undefined: open to guests and users. */
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
