/**
 * Client and timeframe of the open page, from the address, this tab’s choice and the user. The address wins and becomes the
 * choice; the choice completes addresses that leave them out.
 */
import { allClients, hasClientSelector } from '@parapet/contract/access.ts';
import type { SessionUser } from '@parapet/contract/auth.ts';
import { isMonth, isTimeframe, type ReportingMonth, reportingMonths, type Timeframe } from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { useMatches, useParams, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { type Search, useSearchState } from '../../lib/address.ts';
import { allClientsId, choice, choiceFor, keepChoice } from '../../lib/choice.ts';
import { completeAddress, type PageRule, pageAt } from '../../lib/pageRules.ts';
import { withQuery } from '../../lib/paths.ts';
import type { Scope } from '../../lib/scope.ts';
import { roleHolderOf } from '../../lib/session.ts';
import { useSettings } from '../../lib/settingsStore.ts';
import { useStore } from '../../lib/store.ts';
import { browserTimeZone } from '../../lib/zone.ts';
import { clientsQuery } from './clients.ts';
import { type Clients, clientAt, clientsOf, scopeOf, timeAt } from './pageScope.ts';
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
  const fullPath = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' });
  const page = useMemo(() => pageAt(fullPath), [fullPath]);
  const { time, months } = useTimeframe(page?.rule.timeframe, search);
  const client = useClient(user, page?.rule, search, clients.all);
  const complete = useCompletion(who, client, clients.all.ids);
  const choose = useChoosing(page, search, client.isStale, complete);
  const { id, deviceName } = client;
  const scope = useMemo(
    () => scopeOf(user, who, clients.all, { client: id, deviceName }, time),
    [user, who, clients.all, id, deviceName, time],
  );
  const { unknown: unknownClient } = client;
  const { error: clientsFailed, retry: retryClients } = clients;
  const hidesTimeframe = page?.rule.timeframe === undefined;
  // The same while only filters and preview change: the frame is not rendered with each of them.
  return useMemo(
    () => ({ scope, unknownClient, clientsFailed, retryClients, ...choose, hidesTimeframe, months, completeAddress: complete }),
    [scope, unknownClient, clientsFailed, retryClients, choose, hidesTimeframe, months, complete],
  );
}

function useClients(user: SessionUser, hasSelector: boolean) {
  const { data, error, refetch } = useQuery({ ...clientsQuery, enabled: hasSelector });
  const all = useMemo(() => clientsOf(user, hasSelector, data), [user, hasSelector, data]);
  const retry = useCallback(() => void refetch(), [refetch]);
  return { all, error, retry };
}

function useTimeframe(kind: PageRule['timeframe'], { timeframe: requested, on, query }: Search) {
  const chosen = useStore(choice).timeframe;
  const timeZone = useSettings().timeZone || browserTimeZone();
  const now = useRoundedNow();
  useEffect(() => {
    if (kind === 'month' && isMonth(requested)) keepChoice({ month: requested });
    if (kind === 'range' && isTimeframe(requested)) keepChoice({ timeframe: requested });
  }, [kind, requested]);
  const isAnswer = query !== undefined;
  const time = useMemo(
    () => timeAt({ kind, requested, on, isAnswer, chosen, now, timeZone }),
    [kind, requested, on, isAnswer, chosen, now, timeZone],
  );
  const months = useMemo(() => (kind === 'month' ? reportingMonths(now - 1, timeZone) : undefined), [kind, now, timeZone]);
  return { time, months };
}

function useClient(user: SessionUser, rule: PageRule | undefined, search: Search, clients: Clients) {
  const params = useParams({ strict: false }) as { client?: string };
  const chosen = useStore(choice).client;
  const { hasSelector, ids } = clients;
  const { segment, ...resolved } = clientAt({ rule, search, params, ownId: user.clientOrganizationID, chosen }, clients);
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
  const latest = useRef({ page, addressWith: (_id: number): string | undefined => undefined });
  const addressWith = (id: number) => {
    if (!page) return undefined;
    const { rule, base } = page;
    // The page in the other client’s list, and what is open in it, mean nothing here.
    const { page: _page, peek: _peek, device: _device, user: _user, client: _client, ...rest } = search;
    if (rule.client === 'query' && !rule.listAt) return withQuery(history.location.pathname, { client: id, ...rest });
    if (rule.client === 'path') return withQuery(`${base}/${id}`, rest);
    return complete(withQuery(rule.listAt!, { client: id }));
  };
  latest.current = { page, addressWith };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once the choice is found to be stale.
  useEffect(() => {
    const { location, resolvedLocation } = router.state;
    if (!isStale || location.href !== resolvedLocation?.href) return;
    keepChoice({ client: allClientsId });
    const address = addressWith(allClients);
    if (address) history.replace(address);
  }, [isStale]);
  return useMemo(
    () => ({
      chooseClient: (id) => {
        keepChoice({ client: String(id) });
        const address = latest.current.addressWith(id);
        if (address && address !== history.location.href) history.push(address);
      },
      chooseTimeframe: (next) => {
        const kind = latest.current.page?.rule.timeframe;
        keepChoice(kind === 'month' && isMonth(next) ? { month: next } : { timeframe: next });
        change({ timeframe: next, on: undefined, query: undefined, page: undefined });
      },
      wholeTimeframe: () => change({ on: undefined, page: undefined }),
    }),
    [history, change],
  );
}
