/** Reading of feeds: each hour what was added, once a day everything, so that what a server withdraws without a word leaves the list. */
import type { Http } from '@parapet/connectors/connector.ts';
import { RefusedError, RequestError, ThrottledError, VendorError } from '@parapet/connectors/errors.ts';
import type { FeedValues, ReadFeedPage } from '@parapet/connectors/feeds/feed.ts';
import { readMisp } from '@parapet/connectors/feeds/misp.ts';
import { readTaxii } from '@parapet/connectors/feeds/taxii.ts';
import type { IntelligenceFeedKind } from '@parapet/contract/intelligenceFeeds.ts';
import { Problem, problem } from '@parapet/contract/problem.ts';
import { dayMs, hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { isDatabaseAway, scoped, type Tx } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { queuePastSearch } from '../../domain/pastSearches.ts';
import { readObjects } from './feeds.objects.ts';
import {
  claimFeed,
  countObjects,
  type FeedRow,
  listChanges,
  type Outcome,
  removeExpired,
  removeUnseen,
  replaceIndicators,
  type StoredPosition,
  saveOutcome,
  savePage,
  updateList,
} from './feeds.store.ts';
import { listUnknown, reconsiderCases } from './intelligence.store.ts';
import type { Indicator } from './intelligence.values.ts';

const firstRetryMs = 5 * minuteMs;
const leaseMs = 15 * minuteMs;
/** Of one turn; the next one continues a minute later. */
const pagesATurn = 100;
/** Of one reading. */
const maxPages = 2_000;
const maxIndicators = 500_000;
const timeout = { statementTimeoutMs: 60_000 };

export const pageReaders: Readonly<Record<IntelligenceFeedKind, ReadFeedPage>> = { taxii: readTaxii, misp: readMisp };

export const isExpected = (error: unknown): error is Error => error instanceof VendorError || error instanceof Problem;
const textOf = (error: unknown): string =>
  isExpected(error) ? storable(error.message).slice(0, 500) : 'The feed could not be stored. The portal tries again.';

const tooLong = () =>
  problem.tooLarge(
    `The feed has more than ${maxPages.toLocaleString('en')} pages, or its pages never end. Choose fewer by tags.`,
  );
const tooMany = () =>
  problem.tooLarge(`The feed has more than ${maxIndicators.toLocaleString('en')} indicators. Read a smaller collection.`);

/** Brings the list in line with the feed's objects; open cases with changed values are decided again, and new values searched for in the past. */
async function bringInLine(tx: Tx, { id, listId, name }: Pick<FeedRow, 'id' | 'listId' | 'name'>, at: Date): Promise<void> {
  const changes = await listChanges(tx, id, listId);
  if (changes.length === 0) return;
  const listed = changes.filter((each): each is Indicator => each.reputation !== null);
  const unknown = await listUnknown(tx, listed);
  if (listed.length < changes.length) await reconsiderCases(tx, listId);
  await replaceIndicators(tx, id, listId);
  if (listed.length > 0) await reconsiderCases(tx, listId);
  await queuePastSearch(tx, { kind: 'indicators', name, terms: unknown.map((each) => ({ ...each, source: name })), at });
}

export interface ReaderDeps {
  db: Database;
  clock: Clock;
  http: Http;
  valuesOf: (feed: FeedRow) => Promise<FeedValues>;
  log: Log;
}

interface Page {
  position: StoredPosition;
  completeAt: Date;
  isFirst: boolean;
  from: StoredPosition;
}

/** Begins a reading, or continues one: of what changed since the last, or of everything once a day. */
function begin({ position, completeAt }: Pick<FeedRow, 'position' | 'completeAt'>, now: number): Omit<Page, 'from'> {
  if (position.next !== undefined) return { position, completeAt: completeAt ?? new Date(now), isFirst: false };
  const isFirst = position.since === undefined || !completeAt || now - completeAt.getTime() >= dayMs;
  return isFirst
    ? { position: {}, completeAt: new Date(now), isFirst }
    : { position: { since: position.since }, completeAt, isFirst };
}

/** Outcome of a reading that failed. Throws while the database is away. */
function failed(feed: FeedRow, error: unknown, log: Log): Omit<Outcome, 'at' | 'nextAt'> & { waitMs: number } {
  if (isDatabaseAway(error)) throw error;
  if (!isExpected(error)) log.warn({ err: error, feed: feed.id }, 'an intelligence feed could not be read');
  const isRefused = error instanceof RefusedError;
  const waitMs = isRefused
    ? hourMs
    : error instanceof ThrottledError
      ? error.retryAfterMs
      : Math.min(hourMs, firstRetryMs * 2 ** Math.min(feed.failures, 10));
  // A page that is unknown by now, or a reading without an end, starts again.
  const startsAgain = error instanceof RequestError || error instanceof Problem;
  const position = startsAgain ? {} : undefined;
  return { failures: feed.failures + 1, error: textOf(error), isRefused, position, isComplete: false, waitMs };
}

export function createFeedsReader({ db, clock, http, valuesOf, log }: ReaderDeps) {
  /** Stores a page. False where a person changed the feed since. */
  const store = (feed: FeedRow, read: ReturnType<typeof readObjects>, from: StoredPosition, page: Omit<Page, 'from'>) =>
    scoped(
      db,
      'system',
      async (tx) => {
        const at = new Date(clock.now());
        const until = new Date(at.getTime() + leaseMs);
        const { position, completeAt, isFirst } = page;
        if (!(await savePage(tx, feed, { read, position, completeAt, isFirstOfComplete: isFirst, at, until }))) return false;
        const isLast = position.next === undefined;
        if (isLast && from.since === undefined) await removeUnseen(tx, feed.id, completeAt);
        if ((await countObjects(tx, feed.id)) > maxIndicators) throw tooMany();
        if (isLast) {
          await bringInLine(tx, feed, at);
          await updateList(tx, feed.listId, at);
        }
        return true;
      },
      timeout,
    );

  /** Reads the pages of one turn. True after the last page of a reading, undefined where a person changed the feed since. */
  const readPages = async (feed: FeedRow, values: FeedValues): Promise<boolean | undefined> => {
    let { position, completeAt, isFirst } = begin(feed, clock.now());
    for (let pages = 0; pages < pagesATurn; pages++) {
      const from: StoredPosition = position;
      const page = await pageReaders[feed.kind](http, values, from);
      const total = (from.pages ?? 0) + 1;
      if (page.next !== undefined && total >= maxPages) throw tooLong();
      position =
        page.next === undefined
          ? { since: page.newest }
          : { since: from.since, next: page.next, newest: page.newest, pages: total };
      const read = readObjects(feed.kind, page.objects, clock.now());
      if (!(await store(feed, read, from, { position, completeAt, isFirst }))) return undefined;
      if (page.next === undefined) return true;
      isFirst = false;
    }
    return false;
  };

  const readOne = async (feed: FeedRow): Promise<void> => {
    const outcome = await valuesOf(feed)
      .then((values) => readPages(feed, values))
      .then(
        (isComplete) =>
          isComplete === undefined
            ? undefined
            : { failures: 0, error: null, isRefused: false, isComplete, waitMs: isComplete ? hourMs : minuteMs },
        (error) => failed(feed, error, log),
      );
    if (!outcome) return;
    const { waitMs, ...rest } = outcome;
    const at = new Date(clock.now());
    const nextAt = new Date(at.getTime() + waitMs);
    await scoped(db, 'system', (tx) => saveOutcome(tx, feed, { ...rest, at, nextAt }));
  };

  return {
    /** Removes indicators that are no longer valid, then reads the feeds that are due. */
    async run(): Promise<void> {
      await scoped(
        db,
        'system',
        async (tx) => {
          const at = new Date(clock.now());
          for (const feed of await removeExpired(tx, at)) {
            await bringInLine(tx, feed, at);
            await updateList(tx, feed.listId, null);
          }
        },
        timeout,
      );
      for (;;) {
        const now = clock.now();
        const due = await scoped(db, 'system', (tx) => claimFeed(tx, new Date(now), new Date(now + leaseMs)));
        if (!due) return;
        await readOne(due);
      }
    },
  };
}
