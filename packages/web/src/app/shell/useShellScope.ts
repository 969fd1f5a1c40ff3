/**
 * Client and timeframe of the page that is open, out of the address, the cookies and the user (decision 23a). What the address says is
 * written to the cookies; what the cookies say other than the default is written to the address, so that a copied link shows the same.
 */
import { hasClientSelector, may, type Permission } from '@parapet/contract/access.ts';
import type { SessionUser } from '@parapet/contract/auth.ts';
import type { ClientOrganization } from '@parapet/contract/organisations.ts';
import {
  defaultTimeframe,
  isMonth,
  isTimeframe,
  type ReportingMonth,
  reportingMonthOf,
  reportingMonths,
  resolveTimeframe,
  roundedNow,
  type Timeframe,
  withinPeriod,
} from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { useMatches, useParams, useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useGo, useSearchState } from '../../lib/address.ts';
import { clientCookie, cookies, timeframeCookie } from '../../lib/cookies.ts';
import { withQuery } from '../../lib/paths.ts';
import { resolveChosenTimeframe, resolveClient, type Scope } from '../../lib/scope.ts';
import { roleHolderOf } from '../../lib/session.ts';
import { useSettings } from '../../lib/settingsStore.ts';
import { browserTimeZone } from '../../lib/zone.ts';
import { clientsQuery } from './clients.ts';

const clockListeners = new Set<() => void>();
let clock: ReturnType<typeof setInterval> | undefined;
function onClock(listener: () => void): () => void {
  clockListeners.add(listener);
  clock ??= setInterval(() => {
    for (const each of clockListeners) each();
  }, 10_000);
  return () => {
    clockListeners.delete(listener);
    if (clockListeners.size > 0) return;
    clearInterval(clock);
    clock = undefined;
  };
}
const fiveMinutes = () => roundedNow(Date.now());

export interface ShellScope {
  scope: Scope;
  /** The address names a client that is not in the list. */
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
  /** For links to other pages: nothing where the default holds. */
  linkClient: number | undefined;
  linkTimeframe: Timeframe | undefined;
}

export function useShellScope(user: SessionUser): ShellScope {
  const go = useGo();
  const { history } = useRouter();
  const { search, change } = useSearchState();
  const params = useParams({ strict: false }) as { client?: string };
  const page = useMatches({ select: (matches) => matches.at(-1) });
  // On the way to another page the address is that page's already, while the old one still stands.
  const isThere = useRouterState({ select: ({ location, resolvedLocation }) => location.href === resolvedLocation?.href });
  const { hidesTimeframe = false, isMonthly = false, takesDevice = false, listAt, clientInQuery } = page?.staticData ?? {};
  const segment = clientInQuery ? search.client : params.client;
  const hasClientInPath = page?.fullPath.endsWith('{-$client}') ?? false;
  const hasClient = hasClientInPath || clientInQuery !== undefined;
  const base = hasClientInPath ? page!.fullPath.slice(0, page!.fullPath.lastIndexOf('/')) : undefined;

  const who = useMemo(() => roleHolderOf(user), [user]);
  const hasSelector = hasClientSelector(who);
  const ownId = user.clientOrganizationID;
  const asked = useQuery({ ...clientsQuery, enabled: hasSelector });
  const [kept, setKept] = useState(() => ({ client: cookies.read(clientCookie), timeframe: cookies.read(timeframeCookie) }));

  const clients = useMemo<readonly ClientOrganization[]>(
    () =>
      hasSelector
        ? (asked.data ?? [])
        : [
            {
              id: ownId,
              name: user.partnerOrg?.clientOrganizationID === ownId ? user.partnerOrg.partnerName : '',
              isPartner: user.isPartner,
              partnerClientOrgID: null,
            },
          ],
    [hasSelector, asked.data, ownId, user],
  );
  // Until the list is here a number in the address counts as a client: the server decides anyway, and the page need not wait.
  const supposed = [segment, kept.client].filter((text) => text !== undefined && /^\d{1,10}$/.test(text)).map(Number);
  const clientIds = asked.data || !hasSelector ? clients.map((each) => each.id) : supposed;
  const answer = resolveClient({ segment, cookie: kept.client, ownId, hasSelector, clientIds, takesDevice });
  const { client, deviceName } = answer;
  const chosen = resolveChosenTimeframe(search.timeframe, kept.timeframe);
  const timeZone = useSettings().timeZone || browserTimeZone();
  const now = useSyncExternalStore(onClock, fiveMinutes);
  // What was chosen for other pages stays theirs: a page about one month shows a month and keeps it only where one is named.
  const timeframe = isMonthly ? reportingMonthOf(chosen, now - 1, timeZone).value : chosen;
  const { range, period } = useMemo(() => {
    const whole = resolveTimeframe(timeframe, now - 1, timeZone);
    const part = search.on ? withinPeriod(whole, search.on, timeZone) : undefined;
    return { range: part ?? whole, period: part ? search.on : undefined };
  }, [timeframe, now, timeZone, search.on]);

  const defaultClient = hasSelector ? 0 : ownId;
  const keep = (next: Partial<typeof kept>) => {
    if (next.client !== undefined && next.client !== kept.client) cookies.write(clientCookie, next.client);
    if (next.timeframe !== undefined && next.timeframe !== kept.timeframe) cookies.write(timeframeCookie, next.timeframe);
    setKept((old) => ({ ...old, ...next }));
  };

  const isClientSaid =
    hasSelector && hasClient && clientInQuery !== 'passing' && !answer.isImplied && !answer.isUnknown && deviceName === undefined;
  const isListKnown = !hasSelector || asked.data !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: keep only writes what changed.
  useEffect(() => {
    if (isClientSaid && isListKnown) keep({ client: String(client) });
    if (isTimeframe(search.timeframe)) keep({ timeframe: search.timeframe });
  }, [isClientSaid, isListKnown, client, search.timeframe]);

  const needsClient = answer.isImplied
    ? client !== defaultClient
    : !hasSelector && deviceName === undefined && segment !== String(client);
  const needsTimeframe =
    !hidesTimeframe && hasClient && !isTimeframe(search.timeframe) && (isMonthly ? isMonth(chosen) : chosen !== defaultTimeframe);
  useEffect(() => {
    if (!isThere || !hasClient || !(needsClient || needsTimeframe)) return;
    const path = base && needsClient ? `${base}/${client}` : history.location.pathname;
    const more = { ...(needsTimeframe ? { timeframe } : {}), ...(clientInQuery && needsClient ? { client } : {}) };
    go(withQuery(path, { ...search, ...more }), { replace: true });
  }, [isThere, hasClient, base, clientInQuery, needsClient, needsTimeframe, client, timeframe, search, go, history]);

  const selected = clients.find((each) => each.id === client);
  const scope = useMemo<Scope>(
    () => ({
      user,
      who,
      may: (permission: Permission) => may(who, permission),
      client,
      clientName: client === 0 ? 'All' : (selected?.name ?? ''),
      clients,
      hasSelector,
      deviceName,
      timeframe,
      period,
      range,
      timeZone,
    }),
    [user, who, client, selected, clients, hasSelector, deviceName, timeframe, period, range, timeZone],
  );

  return {
    scope,
    unknownClient: answer.isUnknown && isListKnown ? segment : undefined,
    clientsFailed: asked.error,
    retryClients: () => asked.refetch(),
    chooseClient: (id) => {
      keep({ client: String(id) });
      if (clientInQuery) return change({ client: id, page: undefined, peek: undefined });
      // Its list has no place for the client in the path.
      if (listAt === 'response') return go(withQuery('/apps/response', { client: id }));
      const list = base ?? (listAt ? `/apps/${listAt}` : undefined);
      if (!list) return;
      // What is open or where one was in the other client's list means nothing here.
      const { page: _page, peek: _peek, device: _device, user: _user, ...rest } = search;
      go(withQuery(`${list}/${id}`, rest));
    },
    chooseTimeframe: (next) => {
      keep({ timeframe: next });
      change({ timeframe: next, on: undefined, page: undefined });
    },
    wholeTimeframe: () => change({ on: undefined, page: undefined }),
    hidesTimeframe,
    months: isMonthly ? reportingMonths(now - 1, timeZone) : undefined,
    linkClient: client === defaultClient ? undefined : client,
    linkTimeframe: chosen === defaultTimeframe ? undefined : chosen,
  };
}
