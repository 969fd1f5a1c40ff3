/** Feeds into threat intelligence: added, tested, changed, paused and removed by the provider. A feed owns the list of its name. */
import type { Http } from '@parapet/connectors/connector.ts';
import type { FeedValues } from '@parapet/connectors/feeds/feed.ts';
import type { AnswerOf, InputOf } from '@parapet/contract/endpoint.ts';
import type { IntelligenceFeed, intelligenceFeedsApi } from '@parapet/contract/intelligenceFeeds.ts';
import { problem } from '@parapet/contract/problem.ts';
import { publish } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { Keys } from '../../core/keys/keys.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit } from '../../domain/audit.ts';
import { readObjects } from './feeds.objects.ts';
import { createFeedsReader, isExpected, pageReaders } from './feeds.reader.ts';
import { type FeedRow, getForChange, insertFeed, listFeeds, pauseFeed, updateFeed, updateSecret } from './feeds.store.ts';
import { reconsiderCases, removeList } from './intelligence.store.ts';

export interface FeedsDeps {
  db: Database;
  clock: Clock;
  http: Http;
  keys: Pick<Keys, 'seal' | 'open'>;
  /** Values of the demo's simulated servers, by kind. */
  examples: FeedExamples;
  log: Log;
}

export type FeedExamples = AnswerOf<typeof intelligenceFeedsApi.list>['examples'];

const maxFeeds = 100;
const placeOf = (id: number) => ({ organisationId: null, column: 'intelligence_feeds.secret', id }) as const;
type Body<Call extends keyof typeof intelligenceFeedsApi> = InputOf<(typeof intelligenceFeedsApi)[Call]>['body'];
export type Given = Required<Body<'create'>>;
export type Values = Required<Body<'change'>>;

const needSecret = (kind: string, secret: string) => {
  if (kind === 'misp' && secret === '') throw problem.invalid({ secret: ['Enter the key of a MISP user.'] });
};

type Tested = Values & Pick<Given, 'kind'>;

/** Reads the first page of a feed that is not stored yet. Throws invalid with the words of the server's fault. */
async function testFeed(
  { db, clock, http }: Pick<FeedsDeps, 'db' | 'clock' | 'http'>,
  actor: Actor,
  { kind, ...values }: Tested,
): Promise<AnswerOf<typeof intelligenceFeedsApi.test>> {
  needSecret(kind, values.secret);
  const after = { kind, url: values.url, collection: values.collection };
  const { organisationId } = actor;
  await scoped(db, 'system', (tx) =>
    recordAudit(tx, actor, { action: 'intelligenceFeed.tested', organisationId, target: values.url, after }),
  );
  try {
    const page = await pageReaders[kind](http, values, {});
    const { changes, skipped } = readObjects(kind, page.objects, clock.now());
    const found = changes.flatMap(({ indicators }) => indicators.map((each) => `${each.kind} ${each.value}`));
    return { indicators: new Set(found).size, skipped, hasMore: page.next !== undefined };
  } catch (error) {
    throw isExpected(error) ? problem.invalid({ url: [error.message.slice(0, 500)] }, error.message.slice(0, 500)) : error;
  }
}

/** Removes a feed with its list. */
async function removeFeed(tx: Tx, actor: Actor, { id, listId, name, kind, url, count }: FeedRow): Promise<void> {
  await reconsiderCases(tx, listId);
  await removeList(tx, listId);
  const { organisationId } = actor;
  const before = { name, kind, url, count };
  await recordAudit(tx, actor, { action: 'intelligenceFeed.removed', organisationId, target: String(id), before });
}

export type FeedsService = ReturnType<typeof createFeedsService>;

export function createFeedsService({ db, clock, http, keys, examples, log }: FeedsDeps) {
  const secretIn = async (tx: Tx, { id, secret }: FeedRow) =>
    secret === null ? '' : (await keys.open(tx, placeOf(id), secret)).toString();
  const valuesOf = async (feed: FeedRow): Promise<FeedValues> => ({
    ...feed,
    secret: await scoped(db, 'system', (tx) => secretIn(tx, feed), { readOnly: true }),
  });
  const reader = createFeedsReader({ db, clock, http, valuesOf, log });
  const store = async (tx: Tx, id: number, secret: string) =>
    updateSecret(tx, id, secret === '' ? null : await keys.seal(tx, placeOf(id), secret));
  const locked = async (tx: Tx, id: number): Promise<FeedRow> => {
    const feed = await getForChange(tx, id);
    if (!feed) throw problem.notFound('feed', id);
    return feed;
  };

  return {
    async list(): Promise<AnswerOf<typeof intelligenceFeedsApi.list>> {
      const rows = await scoped(db, 'system', listFeeds, { readOnly: true });
      return { results: rows.map(shown), total: rows.length, examples };
    },

    test: (actor: Actor, given: Tested): Promise<AnswerOf<typeof intelligenceFeedsApi.test>> =>
      testFeed({ db, clock, http }, actor, given),

    create: (actor: Actor, given: Given): Promise<{ id: number }> =>
      scoped(db, 'system', async (tx) => {
        needSecret(given.kind, given.secret);
        if ((await listFeeds(tx)).length >= maxFeeds) throw problem.invalid({ name: [`There are ${maxFeeds} feeds already.`] });
        const id = await insertFeed(tx, given, new Date(clock.now()));
        if (id === undefined) throw problem.invalid({ name: ['There is a list of this name already.'] });
        await store(tx, id, given.secret);
        const { name, kind, url, collection } = given;
        await recordAudit(tx, actor, {
          action: 'intelligenceFeed.created',
          organisationId: actor.organisationId,
          target: String(id),
          after: { name, kind, url, collection },
        });
        await publish(tx, 'intelligenceFeeds.due', {});
        return { id };
      }),

    async change(actor: Actor, id: number, values: Values): Promise<Record<string, never>> {
      await scoped(db, 'system', async (tx) => {
        const before = await locked(tx, id);
        if (before.kind === 'taxii' && values.collection === '')
          throw problem.invalid({ collection: ['Enter the ID of a collection.'] });
        // A stored secret never goes to another address.
        const isElsewhere = before.url !== values.url;
        if (isElsewhere && before.secret !== null && values.secret === '')
          throw problem.invalid({ secret: ['Enter the password, token or key again: the address is another one.'] });
        await updateFeed(tx, id, values, new Date(clock.now()));
        if (values.secret !== '') await store(tx, id, values.secret);
        await recordAudit(tx, actor, {
          action: 'intelligenceFeed.changed',
          organisationId: actor.organisationId,
          target: String(id),
          before: auditedOf(before),
          after: auditedOf({ ...before, ...values }),
        });
        await publish(tx, 'intelligenceFeeds.due', {});
      });
      return {};
    },

    async pause(actor: Actor, id: number, isPaused: boolean): Promise<Record<string, never>> {
      await scoped(db, 'system', async (tx) => {
        const before = await locked(tx, id);
        if (before.isPaused === isPaused) return;
        await pauseFeed(tx, id, isPaused, new Date(clock.now()));
        await recordAudit(tx, actor, {
          action: 'intelligenceFeed.changed',
          organisationId: actor.organisationId,
          target: String(id),
          before: auditedOf(before),
          after: auditedOf({ ...before, isPaused }),
        });
        if (!isPaused) await publish(tx, 'intelligenceFeeds.due', {});
      });
      return {};
    },

    async remove(actor: Actor, id: number): Promise<Record<string, never>> {
      await scoped(db, 'system', async (tx) => removeFeed(tx, actor, await locked(tx, id)), { statementTimeoutMs: 60_000 });
      return {};
    },

    run: reader.run,
  };
}

const auditedOf = ({ url, collection, user, isPaused }: Pick<FeedRow, 'url' | 'collection' | 'user' | 'isPaused'>) => ({
  url,
  collection,
  user,
  isPaused,
});

const iso = (at: Date | null) => at?.toISOString() ?? null;

const stateOf = ({ isPaused, isRefused, error, readAt }: FeedRow): IntelligenceFeed['state'] =>
  isPaused ? 'paused' : isRefused ? 'refused' : error !== null ? 'retrying' : readAt ? 'receiving' : 'waiting';

const shown = (row: FeedRow): IntelligenceFeed => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  listID: row.listId,
  url: row.url,
  collection: row.collection,
  user: row.user,
  tags: row.tags,
  isPublishedOnly: row.isPublishedOnly,
  hasSecret: row.secret !== null,
  state: stateOf(row),
  error: row.error,
  errorAt: iso(row.errorAt),
  readAt: iso(row.readAt),
  nextAt: row.isPaused ? null : iso(row.nextAt),
  count: row.count,
  skipped: row.skipped,
  fault: row.fault,
});
