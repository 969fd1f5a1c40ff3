/** Global search for objects by name or number within the caller’s permissions, best match first. */
import { may, reachOf } from '@parapet/contract/access.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { maxId } from '@parapet/contract/rules/values.ts';
import type { searchApi } from '@parapet/contract/search.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import { findAlerts, findCases, findDevices, findOrganisations, findRules, findUsers, type Hit } from './search.store.ts';

/** Time limit in milliseconds: search runs while the user types. */
const statementTimeoutMs = 1500;

/** Number in a text, with or without a leading #. */
function numberOf(text: string): number | undefined {
  const number = /^#?\d{1,10}$/.test(text) ? Number(text.replace('#', '')) : 0;
  return number >= 1 && number <= maxId ? number : undefined;
}

export type SearchService = ReturnType<typeof createSearchService>;

export function createSearchService({ db }: { db: Database }) {
  return {
    async find(actor: Actor, given: string): Promise<AnswerOf<typeof searchApi.find>> {
      const scope = scopeOf(actor);
      const query = { text: storable(given), number: numberOf(given) };
      const usersReach = reachOf(actor, 'users:read');
      const hits = await scoped(
        db,
        scope,
        async (tx): Promise<Hit[]> => [
          ...(may(actor, 'alerts:read') ? await findAlerts(tx, scope, query) : []),
          ...(may(actor, 'cases:read') ? await findCases(tx, scope, query) : []),
          ...(may(actor, 'devices:read') ? await findDevices(tx, scope, query) : []),
          ...(usersReach ? await findUsers(tx, scope, query, usersReach === 'me' ? actor.userId : undefined) : []),
          ...(may(actor, 'alerts:read') ? await findRules(tx, query) : []),
          ...(may(actor, 'organisations:read') ? await findOrganisations(tx, scope, query) : []),
        ],
        { readOnly: true, statementTimeoutMs },
      );
      const results = hits.sort((a, b) => a.rank - b.rank).map(({ rank: _, ...found }) => found);
      return { results, total: results.length };
    },
  };
}
