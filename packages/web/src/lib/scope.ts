/**
 * Client and timeframe of the shown page. The address wins, then this tab’s choice, then the default; users without a client selector
 * always get their own organisation. The shell provides the scope, pages read it.
 */
import { allClients, type Permission, type RoleHolder } from '@parapet/contract/access.ts';
import type { SessionUser } from '@parapet/contract/auth.ts';
import type { ClientOrganization } from '@parapet/contract/organisations.ts';
import type { Range, Timeframe } from '@parapet/contract/rules/timeframe.ts';
import { createContext, useContext } from 'react';
import { clientIdIn } from './address.ts';

export interface Scope {
  user: SessionUser;
  who: RoleHolder;
  may: (permission: Permission) => boolean;
  /** 0: all in the user’s scope. */
  client: number;
  /** "All", or the client’s name. */
  clientName: string;
  /** The selectable clients, partners before their clients, without All; only the own organisation for users without a selector. */
  clients: readonly ClientOrganization[];
  hasSelector: boolean;
  /** Set where the address names a device instead of a client. */
  deviceName: string | undefined;
  timeframe: Timeframe;
  /** The day (2026-11-12) or month (2026-11) that `on=` in the address narrows the timeframe to. */
  period: string | undefined;
  /** The timeframe, or its part in `period`, as instants; renewed every five minutes. */
  range: Range;
  /** The viewer’s IANA zone. */
  timeZone: string;
}

export const ScopeContext = createContext<Scope | undefined>(undefined);

export function useScope(): Scope {
  const scope = useContext(ScopeContext);
  if (!scope) throw new Error('useScope requires a page inside the shell.');
  return scope;
}

interface ClientInput {
  /** The address’s segment, decoded. */
  segment: string | undefined;
  /** The client chosen last. */
  chosen: string | undefined;
  ownId: number;
  hasSelector: boolean;
  clientIds: readonly number[];
  /** A segment that is no client is a device’s name on this page. */
  takesDevice: boolean;
}

export interface ResolvedClient {
  client: number;
  deviceName?: string;
  /** The address names a client outside the user’s scope. */
  isUnknown?: true;
  /** The address names none; the choice or the default applies. */
  isImplied?: true;
}

export function resolveClient({ segment, chosen, ownId, hasSelector, clientIds, takesDevice }: ClientInput): ResolvedClient {
  const isSelectable = (id: number | undefined): id is number =>
    id !== undefined && (id === allClients || clientIds.includes(id));
  const remembered = clientIdIn(chosen);
  const fallback = !hasSelector ? ownId : isSelectable(remembered) ? remembered : allClients;
  if (segment === undefined || segment === '') return { client: fallback, isImplied: true };

  const named = clientIdIn(segment);
  if (!hasSelector) {
    // 0 and the own number are clients, anything else is a device’s name.
    const isDevice = takesDevice && named !== allClients && named !== ownId;
    return isDevice ? { client: ownId, deviceName: segment } : { client: ownId };
  }
  if (isSelectable(named)) return { client: named };
  return takesDevice ? { client: fallback, deviceName: segment } : { client: fallback, isUnknown: true };
}
