/** Sends a page’s first queries while its code loads. Failures are left to the page’s own queries, which show them. */
import { hasClientSelector, isHost } from '@parapet/contract/access.ts';
import { roundedNow } from '@parapet/contract/rules/timeframe.ts';
import { currentBrand } from '../lib/brand.ts';
import { choice } from '../lib/choice.ts';
import type { PageAddress, PageLoader } from '../lib/pageLoader.ts';
import { pageAt } from '../lib/pageRules.ts';
import { roleHolderOf, session } from '../lib/session.ts';
import { sessionQueries } from '../lib/sessionQueries.ts';
import { viewerTimeZone } from '../lib/settingsStore.ts';
import { clientsQuery } from './shell/clients.ts';
import { clientAt, clientsOf, scopeOf, timeAt } from './shell/pageScope.ts';

/** Fulfils when the queries have ended. */
export async function prefetch(loader: PageLoader, page: PageAddress): Promise<void> {
  const { fullPath, search, params } = page;
  const state = session.state();
  const queries = sessionQueries();
  if (state.status !== 'signedIn' || !queries) return;
  const { user } = state;
  const who = roleHolderOf(user);
  // The shell shows no page.
  if (currentBrand().maintenance && !isHost(who)) return;
  const clients = clientsOf(user, hasClientSelector(who), queries.getQueryData(clientsQuery.queryKey));
  const rule = pageAt(fullPath)?.rule;
  const chosen = choice.get();
  const client = clientAt({ rule, search, params, ownId: user.clientOrganizationID, chosen: chosen.client }, clients);
  if (client.isUnknown && clients.ids) return;
  const now = roundedNow(Date.now());
  const time = timeAt({
    kind: rule?.timeframe,
    requested: search.timeframe,
    on: search.on,
    isAnswer: search.query !== undefined,
    chosen: chosen.timeframe,
    now,
    timeZone: viewerTimeZone(),
  });
  const scope = scopeOf(user, who, clients, client, time);
  await Promise.all(loader({ ...page, scope }).map((query) => queries.prefetchQuery(query)));
}
