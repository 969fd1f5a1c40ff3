/**
 * Searches the past in the worker role: slice by slice, the newest events of all clients first, and resting after each slice for as long as it
 * took. The place of each client is stored with what was found, so that a search goes on where a worker stopped.
 */
import { type Bus, onEach } from '../../core/bus.ts';
import { isDatabaseAway, readScoped, scoped } from '../../core/db/scope.ts';
import type { StoredEvent } from '../../domain/events/eventStore.ts';
import type { PastTerm } from '../../domain/pastSearches.ts';
import './pastSearches.messages.ts';
import { createRuleSearch } from './pastSearches.rules.ts';
import {
  limitMs,
  type PastSearchDeps,
  readSlice,
  rest,
  type SearchClient,
  saveClient,
  takeSearch,
} from './pastSearches.slices.ts';
import * as store from './pastSearches.store.ts';
import { createTermMatcher, exampleOf, fieldOf } from './pastSearches.terms.ts';

export const maxDays = 90;
/** Attempts at a slice before its client has failed. */
const maxAttempts = 3;
const maxExamples = 3;
/** Distinct values that a slice holds. */
const maxFound = 5_000;

/** Runs all waiting searches. */
export async function runPastSearches(deps: PastSearchDeps, isClosed: () => boolean = () => false): Promise<void> {
  const { log } = deps;
  while (!isClosed()) {
    const search = await takeSearch(deps, maxDays);
    if (!search) return;
    try {
      await run(deps, search, isClosed);
    } catch (error) {
      log.error({ err: error, search: search.id }, 'a search of the past was interrupted');
      return;
    }
  }
}

export function startPastSearchWorker(bus: Pick<Bus, 'on'>, deps: PastSearchDeps): () => Promise<void> {
  let isClosed = false;
  let isQueued = false;
  let running: Promise<void> = Promise.resolve();
  const start = () => {
    if (isQueued) return;
    isQueued = true;
    running = running
      .then(() => {
        isQueued = false;
        return runPastSearches(deps, () => isClosed);
      })
      .catch((error) => deps.log.error({ err: error }, 'the past could not be searched'));
  };
  const off = onEach(bus, 'pastSearches.queued', start);
  start();
  return async () => {
    isClosed = true;
    off();
    await running;
  };
}

async function run(deps: PastSearchDeps, search: store.SearchRow, isClosed: () => boolean): Promise<void> {
  const { db, clock, log } = deps;
  const terms = await scoped(db, 'system', async (tx) => {
    await store.addClients(tx, search, deps.eventRetentionDays);
    return store.listTerms(tx, search.id);
  });
  const further =
    search.kind === 'rules' ? await createRuleSearch(deps, search, terms, isClosed) : createTermSearch(deps, search, terms);
  let failed = { place: '', attempts: 0, events: 0 };
  for (;;) {
    if (isClosed()) return void (await scoped(db, 'system', (tx) => store.release(tx, search.id)));
    const client = await scoped(db, 'system', (tx) => store.nextClient(tx, search.id));
    if (!client) break;
    const began = performance.now();
    const turn = { events: 0 };
    try {
      if (!(await further(client, turn))) return;
    } catch (error) {
      // The search goes on once its lease has ended.
      if (isDatabaseAway(error)) throw error;
      const { organisationId, searchedTo, oldestAt, kinds } = client;
      log.error({ err: error, search: search.id, client: organisationId }, 'a client could not be searched');
      // A client that failed is the next one again.
      const place = `${organisationId} ${searchedTo}`;
      if (failed.place !== place) failed = { place, attempts: 0, events: 0 };
      failed = { place, attempts: failed.attempts + 1, events: Math.max(failed.events, turn.events) };
      const isLeased = await (failed.attempts < maxAttempts
        ? scoped(db, 'system', (tx) => store.renew(tx, search.id, client))
        : saveClient(deps, search, {
            organisationId,
            from: searchedTo,
            searchedTo,
            oldestAt,
            kinds,
            events: failed.events,
            state: 'failed',
            hits: [],
          }));
      if (!isLeased) return;
    }
    await rest(deps, began);
  }
  await scoped(db, 'system', (tx) => store.finish(tx, search.id, new Date(clock.now())));
}

function createTermSearch(deps: PastSearchDeps, search: store.SearchRow, terms: readonly PastTerm[]): SearchClient {
  const cves = terms.filter(({ kind }) => kind === 'cve').map(({ value }) => value);
  const names = new Map(terms.map(({ value, source }) => [value.toUpperCase(), source ?? '']));
  /** The second part, once the events are read and stored. */
  const searchFindings: SearchClient = async ({ organisationId, searchedTo, oldestAt, kinds }) => {
    const scope = { organisationIds: [organisationId] };
    const findings = await readScoped(deps.db, scope, (tx) => store.listFindings(tx, organisationId, cves, search.firstAt), {
      statementTimeoutMs: limitMs,
    });
    const hits = findings.map((hit) => ({ ...hit, label: names.get(hit.value) ?? '' }));
    const place = { organisationId, from: searchedTo, searchedTo, oldestAt, kinds };
    return saveClient(deps, search, { ...place, events: 0, state: 'done', hits });
  };
  return async (client, turn) => {
    if (cves.length > 0 && client.searchedTo <= client.firstAt) return searchFindings(client, turn);
    const matcher = createTermMatcher(terms, client.kinds);
    const found = new Map<PastTerm, store.Hit>();
    let { oldestAt } = client;
    const place = await readSlice(deps, client, (event) => {
      turn.events++;
      oldestAt = event.at;
      for (const term of matcher.match(event)) addHit(found, term, event);
      return false;
    });
    return saveClient(deps, search, {
      organisationId: client.organisationId,
      from: client.searchedTo,
      searchedTo: place ?? client.firstAt,
      oldestAt,
      events: turn.events,
      kinds: [...matcher.seen],
      state: place === undefined && cves.length === 0 ? 'done' : 'waiting',
      hits: [...found.values()],
    });
  };
}

function addHit(found: Map<PastTerm, store.Hit>, term: PastTerm, event: StoredEvent): void {
  const hit = found.get(term);
  const { at } = event;
  const example = () => exampleOf(event, fieldOf(event.document, term.value));
  if (hit) {
    hit.count++;
    hit.firstAt = at;
    if (hit.examples.length < maxExamples) hit.examples.push(example());
    return;
  }
  if (found.size >= maxFound) return;
  const { value, source = '', reputation = null } = term;
  const isCve = term.kind === 'cve';
  found.set(term, {
    kind: term.kind,
    value: isCve ? value.toUpperCase() : value,
    label: isCve ? source : '',
    reputation,
    source: isCve ? '' : source,
    count: 1,
    firstAt: at,
    lastAt: at,
    examples: [example()],
  });
}
