/** Route guards: check the user’s group, complete the address, or redirect. */
import type { AuthGroup } from '@parapet/contract/access.ts';
import { type ParsedLocation, redirect } from '@tanstack/react-router';
import { choiceFor } from '../../lib/choice.ts';
import { completeAddress } from '../../lib/pageRules.ts';
import { redirects } from '../../lib/redirects.ts';
import { roleHolderOf, session } from '../../lib/session.ts';
import { viewerTimeZone } from '../../lib/settingsStore.ts';
import { guard } from '../guard.ts';

interface Context {
  location: ParsedLocation;
  preload: boolean;
}

/** The group of spec §6 that a route needs. */
export const needs =
  (group: AuthGroup) =>
  ({ location, preload }: Context) => {
    // A pointer over a link navigates nowhere yet.
    if (preload) return;
    const state = session.state();
    const who = state.status === 'signedIn' ? roleHolderOf(state.user) : undefined;
    const elsewhere = guard(group, who, location.href, redirects);
    if (elsewhere !== undefined) throw redirect({ href: elsewhere, replace: true });
    if (!who) return;
    // A bare address gets client and timeframe without a history entry.
    const complete = completeAddress(location.href, choiceFor(who, viewerTimeZone()));
    if (complete !== location.href) throw redirect({ href: complete, replace: true });
  };

export const leadTo = (path: string) => () => {
  throw redirect({ href: path, replace: true });
};
