/**
 * What the portal shows right now: whose data (client) and which time (timeframe). The address wins, then the cookie, then the default;
 * whoever has no client selector always gets their own organisation (decision 23a). The shell provides it, pages read it.
 */
import type { Permission, RoleHolder } from '@parapet/contract/access.ts';
import type { SessionUser } from '@parapet/contract/auth.ts';
import type { ClientOrganization } from '@parapet/contract/organisations.ts';
import { defaultTimeframe, isTimeframe, type Range, type Timeframe } from '@parapet/contract/rules/timeframe.ts';
import { createContext, useContext } from 'react';

export interface Scope {
  user: SessionUser;
  who: RoleHolder;
  may: (permission: Permission) => boolean;
  /** 0: all in the user's scope. */
  client: number;
  /** "All", or the client's name. */
  clientName: string;
  /** What can be chosen, partners before their clients, without All; only the own organisation for those without a selector. */
  clients: readonly ClientOrganization[];
  hasSelector: boolean;
  /** Where the address names a device instead of a client (decision 20). */
  deviceName: string | undefined;
  timeframe: Timeframe;
  /** A day (2026-11-12) or month (2026-11) of the timeframe, where the address narrows it to that one: `on=`. */
  period: string | undefined;
  /** The timeframe, or the part of it in `period`, as instants; stays the same for five minutes. */
  range: Range;
  /** The viewer's IANA zone. */
  timeZone: string;
}

export const ScopeContext = createContext<Scope | undefined>(undefined);

export function useScope(): Scope {
  const scope = useContext(ScopeContext);
  if (!scope) throw new Error('useScope is for pages inside the shell.');
  return scope;
}

interface ClientQuestion {
  /** The address's segment, decoded. */
  segment: string | undefined;
  cookie: string | undefined;
  ownId: number;
  hasSelector: boolean;
  clientIds: readonly number[];
  /** Whether a segment that is no client is a device's name on this page. */
  takesDevice: boolean;
}

export interface ClientAnswer {
  client: number;
  deviceName?: string;
  /** The address names a client that the user cannot see. */
  isUnknown?: true;
  /** Nothing in the address: what was chosen before, or the default, decided. */
  isImplied?: true;
}

const numberOf = (text: string | undefined) => (text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined);

export function resolveClient({ segment, cookie, ownId, hasSelector, clientIds, takesDevice }: ClientQuestion): ClientAnswer {
  const isChoice = (id: number | undefined): id is number => id !== undefined && (id === 0 || clientIds.includes(id));
  const fallback = hasSelector ? 0 : ownId;
  const chosen = numberOf(cookie);
  const remembered = hasSelector && isChoice(chosen) ? chosen : fallback;
  if (segment === undefined || segment === '') return { client: remembered, isImplied: true };

  const asked = numberOf(segment);
  if (!hasSelector) {
    // decision 20: 0 and the own number are clients, anything else is a device's name.
    if (takesDevice && asked !== 0 && asked !== ownId) return { client: ownId, deviceName: segment };
    return { client: ownId };
  }
  if (isChoice(asked)) return { client: asked };
  if (takesDevice) return { client: remembered, deviceName: segment };
  return { client: remembered, isUnknown: true };
}

export function resolveChosenTimeframe(address: string | undefined, cookie: string | undefined): Timeframe {
  if (isTimeframe(address)) return address;
  return isTimeframe(cookie) ? cookie : defaultTimeframe;
}
