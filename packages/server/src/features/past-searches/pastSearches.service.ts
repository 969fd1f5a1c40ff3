/** Reads searches of the past: what each found and could not search, of the clients in scope. */
import { providerId } from '@parapet/contract/access.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { PastSearch, pastSearchesApi } from '@parapet/contract/pastSearches.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import * as store from './pastSearches.store.ts';

export type PastSearchesService = ReturnType<typeof createPastSearchesService>;
type Client = AnswerOf<typeof pastSearchesApi.get>['clients'][number];

export function createPastSearchesService({ db }: { db: Database }) {
  return {
    async list(actor: Actor, client: number): Promise<AnswerOf<typeof pastSearchesApi.list>> {
      const scope = scopeFor(actor, client);
      const rows = await readScoped(db, scope, (tx) => store.listSearches(tx, scope, isProvider(actor)));
      return { results: rows.map(searchOf), total: rows.length };
    },

    async get(actor: Actor, client: number, id: number): Promise<AnswerOf<typeof pastSearchesApi.get>> {
      const scope = scopeFor(actor, client);
      return readScoped(db, scope, async (tx) => {
        const [row] = await store.listSearches(tx, scope, isProvider(actor), id);
        if (!row) throw problem.notFound('search', id);
        const clients = await store.listClients(tx, scope, id);
        const hits = await store.listHits(tx, scope, id);
        return {
          search: searchOf(row),
          clients: clients.map((each) => clientOf(each, row.termKinds)),
          hits: hits.map(({ organisationId, name, firstAt, lastAt, examples, ...hit }) => ({
            ...hit,
            value: hit.value.slice(0, 2000),
            label: hit.label.slice(0, 2000),
            clientOrganizationID: organisationId,
            clientOrganizationName: name,
            firstTime: new Date(firstAt).toISOString(),
            lastTime: new Date(lastAt).toISOString(),
            examples: examples.map(({ at, ...example }) => ({ ...example, at: new Date(at).toISOString() })),
          })),
        };
      });
    },
  };
}

const isProvider = ({ organisationIds }: Actor): boolean => organisationIds.includes(providerId);

const searchOf = ({
  packId,
  requestedAt,
  finishedAt,
  firstAt,
  lastAt,
  termKinds: _,
  ...row
}: store.ListedSearch): PastSearch => ({
  ...row,
  packID: packId,
  requestedTime: requestedAt.toISOString(),
  finishedTime: finishedAt?.toISOString() ?? null,
  start: firstAt?.toISOString() ?? null,
  end: lastAt?.toISOString() ?? null,
});

const searchable = ['ip', 'domain', 'hash', 'cve'] as const;

const clientOf = (
  { organisationId, name, searchedTo, oldestAt, kinds, ...row }: store.ListedClient,
  wanted: string[],
): Client => ({
  ...row,
  clientOrganizationID: organisationId,
  clientOrganizationName: name,
  searchedTo: searchedTo.toISOString(),
  oldestTime: oldestAt?.toISOString() ?? null,
  missingKinds:
    row.state === 'done' && row.events > 0 ? searchable.filter((kind) => wanted.includes(kind) && !kinds.includes(kind)) : [],
});
