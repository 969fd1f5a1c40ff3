/** The page search beyond pages: things by name or number, within what the caller may see, the best first. */
import { may, reachOf } from '@parapet/contract/access.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { maxId } from '@parapet/contract/rules/values.ts';
import type { searchApi } from '@parapet/contract/search.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import { findAlerts, findCases, findDevices, findOrganisations, findRules, findUsers, type Hit } from './search.store.ts';

/** Somebody is typing: an answer that takes longer is of no use. */
const statementTimeoutMs = 1500;

/** The number that a text names, with or without a # before it. */
function numberOf(text: string): number | undefined {
  const number = /^#?\d{1,10}$/.test(text) ? Number(text.replace('#', '')) : 0;
  return number >= 1 && number <= maxId ? number : undefined;
}

export type SearchService = ReturnType<typeof createSearchService>;

export function createSearchService({ db }: { db: Database }) {
  return {
    async find(actor: Actor, given: string): Promise<AnswerOf<typeof searchApi.find>> {
      const scope = scopeOf(actor);
      const ask = { text: storable(given), number: numberOf(given) };
      const usersReach = reachOf(actor, 'users:read');
      const hits = await scoped(
        db,
        scope,
        async (tx): Promise<Hit[]> => [
          ...(may(actor, 'alerts:read') ? await findAlerts(tx, scope, ask) : []),
          ...(may(actor, 'cases:read') ? await findCases(tx, scope, ask) : []),
          ...(may(actor, 'devices:read') ? await findDevices(tx, scope, ask) : []),
          ...(usersReach ? await findUsers(tx, scope, ask, usersReach === 'me' ? actor.userId : undefined) : []),
          ...(may(actor, 'alerts:read') ? await findRules(tx, ask) : []),
          ...(may(actor, 'organisations:read') ? await findOrganisations(tx, scope, ask) : []),
        ],
        { readOnly: true, statementTimeoutMs },
      );
      const results = hits.sort((a, b) => a.rank - b.rank).map(({ rank: _, ...found }) => found);
      return { results, total: results.length };
    },
  };
}
