/** Client and timeframe of an address, pure: the shell shows what a route’s loader has already used. */
import { allClients, may, type RoleHolder } from '@parapet/contract/access.ts';
import type { SessionUser } from '@parapet/contract/auth.ts';
import type { ClientOrganization } from '@parapet/contract/organisations.ts';
import { isTimeframe, resolveTimeframe, type Timeframe, withinPeriod } from '@parapet/contract/rules/timeframe.ts';
import type { Search } from '../../lib/address.ts';
import type { PageRule } from '../../lib/pageRules.ts';
import { type ResolvedClient, resolveClient, type Scope } from '../../lib/scope.ts';

export interface Clients {
  hasSelector: boolean;
  list: readonly ClientOrganization[];
  /** Undefined until the list is loaded. */
  ids: readonly number[] | undefined;
}

/** The selectable clients; without a selector the user’s own organisation. */
export function clientsOf(user: SessionUser, hasSelector: boolean, loaded: readonly ClientOrganization[] | undefined): Clients {
  const ownId = user.clientOrganizationID;
  const name = user.partnerOrg?.clientOrganizationID === ownId ? user.partnerOrg.partnerName : '';
  const list = hasSelector ? loaded : [{ id: ownId, name, isPartner: user.isPartner, partnerClientOrgID: null }];
  return { hasSelector, list: list ?? [], ids: list?.map(({ id }) => id) };
}

interface ClientPlace {
  rule: PageRule | undefined;
  search: Search;
  params: Readonly<Record<string, string | undefined>>;
  ownId: number;
  /** The client chosen last. */
  chosen: string;
}

/** `segment`: the client’s place in the address, whether it names a client or not. */
export function clientAt(
  { rule, search, params, ownId, chosen }: ClientPlace,
  { hasSelector, ids }: Clients,
): ResolvedClient & { segment: string | undefined } {
  const segment = rule?.client === 'query' ? search.client : params.client;
  // Until the list is loaded each number counts as a client: the server decides anyway, and the page does not wait.
  const supposed = [segment, search.client, chosen].filter((text) => text !== undefined && /^\d{1,10}$/.test(text)).map(Number);
  const resolved = resolveClient({
    segment,
    chosen: search.client ?? chosen,
    ownId,
    hasSelector,
    clientIds: ids ?? supposed,
    takesDevice: rule?.takesDevice ?? false,
  });
  return { segment, ...resolved };
}

interface TimePlace {
  kind: PageRule['timeframe'];
  requested: string | undefined;
  on: string | undefined;
  /** True for a list of the rows of an answer, which has no other timeframe. */
  isAnswer: boolean;
  /** The timeframe chosen last. */
  chosen: Timeframe;
  /** As `roundedNow` gives it, so that queries with the same timeframe share their result. */
  now: number;
  timeZone: string;
}

export function timeAt({
  kind,
  requested,
  on,
  isAnswer,
  chosen,
  now,
  timeZone,
}: TimePlace): Pick<Scope, 'timeframe' | 'period' | 'range' | 'timeZone'> {
  const named = kind !== undefined && isTimeframe(requested) ? requested : chosen;
  const timeframe = kind === 'range' && isAnswer ? 'allTime' : named;
  const whole = resolveTimeframe(timeframe, now - 1, timeZone);
  const part = on && !isAnswer ? withinPeriod(whole, on, timeZone) : undefined;
  return { timeframe, range: part ?? whole, period: part ? on : undefined, timeZone };
}

export const scopeOf = (
  user: SessionUser,
  who: RoleHolder,
  { hasSelector, list }: Clients,
  { client, deviceName }: Pick<ResolvedClient, 'client' | 'deviceName'>,
  time: ReturnType<typeof timeAt>,
): Scope => ({
  user,
  who,
  may: (permission) => may(who, permission),
  client,
  clientName: client === allClients ? 'All' : (list.find(({ id }) => id === client)?.name ?? ''),
  clients: list,
  hasSelector,
  deviceName,
  ...time,
});
