/**
 * Client and timeframe of the open page, from the address, this tab’s choice and the user. The address wins and becomes the
 * choice; the choice completes addresses that leave them out.
 */
import { hasClientSelector, may, type Permission } from '@parapet/contract/access.ts';
import type { SessionUser } from '@parapet/contract/auth.ts';
import type { ClientOrganization } from '@parapet/contract/organisations.ts';
import {
  isMonth,
  isTimeframe,
  type ReportingMonth,
  reportingMonths,
  resolveTimeframe,
  type Timeframe,
  withinPeriod,
} from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { useMatches, useParams, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo } from 'react';
import { type Search, useSearchState } from '../../lib/address.ts';
import { allClientsId, choice, choiceFor, keepChoice } from '../../lib/choice.ts';
import { completeAddress, pageAt } from '../../lib/pageRules.ts';
import { withQuery } from '../../lib/paths.ts';
import { resolveClient, type Scope } from '../../lib/scope.ts';
import { roleHolderOf } from '../../lib/session.ts';
import { useSettings } from '../../lib/settingsStore.ts';
import { useStore } from '../../lib/store.ts';
import { browserTimeZone } from '../../lib/zone.ts';
import { clientsQuery } from './clients.ts';
import { useRoundedNow } from './useRoundedNow.ts';

export interface ShellScope {
  scope: Scope;
  /** Set where the address names a client that is not in the list. */
  unknownClient: string | undefined;
  clientsFailed: Error | null;
  retryClients: () => void;
  chooseClient: (id: number) => void;
  chooseTimeframe: (timeframe: Timeframe) => void;
  /** Ends the narrowing to one day or month. */
  wholeTimeframe: () => void;
  hidesTimeframe: boolean;
  /** The months to choose from, in place of timeframes, on pages about one month. */
  months: readonly ReportingMonth[] | undefined;
  completeAddress: (address: string) => string;
}

export function useShellScope(user: SessionUser): ShellScope {
  const { search } = useSearchState();
  const who = useMemo(() => roleHolderOf(user), [user]);
  const clients = useClients(user, hasClientSelector(who));
  const page = useMatches({ select: (matches) => pageAt(matches.at(-1)?.fullPath ?? '') });
  const time = useTimeframe(page?.rule.timeframe, search);
  const client = useClient(user, page?.rule, search, clients);
  const complete = useCompletion(who, client, clients.ids);
  const choose = useChoosing(page, search, client.isStale, complete);

  const { hasSelector, list } = clients;
  const selected = list.find((each) => each.id === client.id);
  const { timeframe, period, range, timeZone } = time;
  const scope = useMemo<Scope>(
    () => ({
      user,
      who,
      may: (permission: Permission) => may(who, permission),
      client: client.id,
      clientName: client.id === 0 ? 'All' : (selected?.name ?? ''),
      clients: list,
      hasSelector,
      deviceName: client.deviceName,
      timeframe,
      period,
      range,
      timeZone,
    }),
    [user, who, client.id, selected, list, hasSelector, client.deviceName, timeframe, period, range, timeZone],
  );
  return {
    scope,
    unknownClient: client.unknown,
    clientsFailed: clients.error,
    retryClients: clients.retry,
    ...choose,
    hidesTimeframe: page?.rule.timeframe === undefined,
    months: time.months,
    completeAddress: complete,
  };
}

type PageRule = NonNullable<ReturnType<typeof pageAt>>['rule'];

/** The selectable clients; without a selector the user’s own organisation. `ids` is undefined until the list is loaded. */
function useClients(user: SessionUser, hasSelector: boolean) {
  const query = useQuery({ ...clientsQuery, enabled: hasSelector });
  const ownId = user.clientOrganizationID;
  const list = useMemo<readonly ClientOrganization[]>(() => {
    if (hasSelector) return query.data ?? [];
    const name = user.partnerOrg?.clientOrganizationID === ownId ? user.partnerOrg.partnerName : '';
    return [{ id: ownId, name, isPartner: user.isPartner, partnerClientOrgID: null }];
  }, [hasSelector, query.data, ownId, user]);
  const isLoaded = !hasSelector || query.data !== undefined;
  const ids = useMemo(() => (isLoaded ? list.map(({ id }) => id) : undefined), [isLoaded, list]);
  return { hasSelector, list, ids, error: query.error, retry: () => void query.refetch() };
}

function useTimeframe(kind: PageRule['timeframe'], search: Search) {
  const chosen = useStore(choice);
  const timeZone = useSettings().timeZone || browserTimeZone();
  const now = useRoundedNow();
  useEffect(() => {
    if (kind === 'month' && isMonth(search.timeframe)) keepChoice({ month: search.timeframe });
    if (kind === 'range' && isTimeframe(search.timeframe)) keepChoice({ timeframe: search.timeframe });
  }, [kind, search.timeframe]);

  const named = kind !== undefined && isTimeframe(search.timeframe) ? search.timeframe : undefined;
  const timeframe = named ?? chosen.timeframe;
  const { range, period } = useMemo(() => {
    const whole = resolveTimeframe(timeframe, now - 1, timeZone);
    const part = search.on ? withinPeriod(whole, search.on, timeZone) : undefined;
    return { range: part ?? whole, period: part ? search.on : undefined };
  }, [timeframe, now, timeZone, search.on]);
  return { timeframe, range, period, timeZone, months: kind === 'month' ? reportingMonths(now - 1, timeZone) : undefined };
}

function useClient(user: SessionUser, rule: PageRule | undefined, search: Search, clients: ReturnType<typeof useClients>) {
  const params = useParams({ strict: false }) as { client?: string };
  const chosen = useStore(choice).client;
  const segment = rule?.client === 'query' ? search.client : params.client;
  const { hasSelector, ids } = clients;
  // Until the list is loaded each number counts as a client: the server decides anyway, and the page does not wait.
  const supposed = [segment, search.client, chosen].filter((text) => text !== undefined && /^\d{1,10}$/.test(text)).map(Number);
  const resolved = resolveClient({
    segment,
    chosen: search.client ?? chosen,
    ownId: user.clientOrganizationID,
    hasSelector,
    clientIds: ids ?? supposed,
    takesDevice: rule?.takesDevice ?? false,
  });
  const isNamed =
    hasSelector && ids !== undefined && rule !== undefined && !rule.isPassing && !resolved.isImplied && !resolved.isUnknown;
  // A choice of an earlier visit that the user has lost access to.
  const isStale = hasSelector && ids !== undefined && chosen !== allClientsId && !ids.includes(Number(chosen));
  useEffect(() => {
    if (isNamed) keepChoice({ client: String(resolved.client) });
  }, [isNamed, resolved.client]);
  return {
    id: resolved.client,
    deviceName: resolved.deviceName,
    unknown: resolved.isUnknown && ids ? segment : undefined,
    isPassing: rule?.isPassing ?? false,
    isStale: isStale && segment === chosen,
  };
}

/** Completes addresses of links with what the open page shows. */
function useCompletion(
  who: Scope['who'],
  { id, isPassing }: ReturnType<typeof useClient>,
  clientIds: readonly number[] | undefined,
) {
  const chosen = useStore(choice);
  const { timeZone } = useSettings();
  const { history } = useRouter();
  // biome-ignore lint/correctness/useExhaustiveDependencies: choiceFor reads `chosen`.
  const complete = useCallback(
    (address: string) => {
      const current = choiceFor(who, timeZone || browserTimeZone());
      const client = isPassing || current.client === undefined ? current.client : id;
      return completeAddress(address, { ...current, client, clientIds });
    },
    [who, id, isPassing, clientIds, chosen, timeZone],
  );
  // The guard completes an address before the list of clients is loaded: a device named like a number is seen only here.
  useEffect(() => {
    const { href } = history.location;
    const address = complete(href);
    if (clientIds && address !== href) history.replace(address);
  }, [complete, clientIds, history]);
  return complete;
}

function useChoosing(
  page: ReturnType<typeof pageAt>,
  search: Search,
  isStale: boolean,
  complete: (address: string) => string,
): Pick<ShellScope, 'chooseClient' | 'chooseTimeframe' | 'wholeTimeframe'> {
  const router = useRouter();
  const { history } = router;
  const { change } = useSearchState();
  const kind = page?.rule.timeframe;
  const addressWith = (id: number) => {
    if (!page) return undefined;
    const { rule, base } = page;
    // The page in the other client’s list, and what is open in it, mean nothing here.
    const { page: _page, peek: _peek, device: _device, user: _user, client: _client, ...rest } = search;
    if (rule.client === 'query' && !rule.listAt) return withQuery(history.location.pathname, { client: id, ...rest });
    if (rule.client === 'path') return withQuery(`${base}/${id}`, rest);
    return complete(withQuery(rule.listAt!, { client: id }));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once the choice is found to be stale.
  useEffect(() => {
    const { location, resolvedLocation } = router.state;
    if (!isStale || location.href !== resolvedLocation?.href) return;
    keepChoice({ client: allClientsId });
    const address = addressWith(0);
    if (address) history.replace(address);
  }, [isStale]);
  return {
    chooseClient: (id) => {
      keepChoice({ client: String(id) });
      const address = addressWith(id);
      if (address && address !== history.location.href) history.push(address);
    },
    chooseTimeframe: (next) => {
      keepChoice(kind === 'month' && isMonth(next) ? { month: next } : { timeframe: next });
      change({ timeframe: next, on: undefined, page: undefined });
    },
    wholeTimeframe: () => change({ on: undefined, page: undefined }),
  };
}
