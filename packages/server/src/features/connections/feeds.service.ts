/** Feeds of EPSS scores and known exploited vulnerabilities: read every six hours once the provider turned them on, and imported as files are. */
import type { Http } from '@parapet/connectors/connector.ts';
import { ThrottledError, VendorError } from '@parapet/connectors/errors.ts';
import type { AdvisoryFeed, advisoryFeedsApi, FeedKind } from '@parapet/contract/advisoryFeeds.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { Problem, problem } from '@parapet/contract/problem.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { publish } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { isDatabaseAway, scoped } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { VulnerabilitiesService } from '../vulnerabilities/vulnerabilities.service.ts';
import { type FeedAbout, type FeedFile, feedsAbout, fetchFeed } from './feeds.fetch.ts';
import { type Claimed, claimFeed, type FeedRow, getForChange, listFeeds, saveOutcome, updateFeed } from './feeds.store.ts';

/** EPSS is computed once a day, the catalogue changes on some days. */
const everyMs = 6 * hourMs;
const firstRetryMs = 5 * 60_000;
/** Longer than fetching and importing a file takes. */
const leaseMs = 15 * 60_000;

/** Addresses of the demo's simulated feeds. */
export type SimulatedFeeds = Partial<Record<FeedKind, string>>;

export interface FeedsDeps {
  db: Database;
  clock: Clock;
  http: Http;
  advisories: Pick<VulnerabilitiesService['advisories'], 'importRead' | 'examine'>;
  simulated: SimulatedFeeds;
  log: Log;
}

export type FeedsService = ReturnType<typeof createFeedsService>;

export function createFeedsService({ db, clock, http, advisories, simulated, log }: FeedsDeps) {
  const aboutOf = (kind: FeedKind): FeedAbout => {
    const about = feedsAbout[kind];
    return { ...about, url: simulated[kind] ?? about.url };
  };
  const isInvented = (kind: FeedKind, url: string) => simulated[kind] !== undefined && (url === '' || url === simulated[kind]);
  const fetchFrom = (kind: FeedKind, url: string): Promise<FeedFile> => {
    const about = aboutOf(kind);
    return fetchFeed(http, about.publisher, url || about.url);
  };

  const importFile = async ({ kind, url, digest }: Claimed): Promise<Buffer> => {
    const file = await fetchFrom(kind, url);
    if (digest?.equals(file.digest)) return digest;
    await advisories.importRead(kind, file.stream(), isInvented(kind, url) ? 'demo' : 'feed');
    return file.digest;
  };

  const readOne = async (feed: Claimed): Promise<void> => {
    const outcome = await importFile(feed).then(
      (digest) => ({ digest, failures: 0, error: null, waitMs: everyMs }),
      (error) => {
        if (isDatabaseAway(error)) throw error;
        if (!isExpected(error)) log.warn({ err: error, feed: feed.kind }, 'a feed could not be read');
        const waitMs = error instanceof ThrottledError ? error.retryAfterMs : firstRetryMs * 2 ** Math.min(feed.failures, 10);
        return { failures: feed.failures + 1, error: textOf(error), waitMs: Math.min(everyMs, waitMs) };
      },
    );
    const { waitMs, ...rest } = outcome;
    const now = clock.now();
    await scoped(db, 'system', (tx) => saveOutcome(tx, feed, { ...rest, at: new Date(now), nextAt: new Date(now + waitMs) }));
  };

  return {
    async list(): Promise<AnswerOf<typeof advisoryFeedsApi.list>> {
      const rows = await scoped(db, 'system', listFeeds, { readOnly: true });
      const results = rows.map((row) => shown(row, aboutOf(row.kind), isInvented(row.kind, row.url)));
      return { results, total: results.length };
    },

    async test(actor: Actor, kind: FeedKind, { url }: { url: string }): Promise<AnswerOf<typeof advisoryFeedsApi.test>> {
      const entry = { action: 'feed.tested', organisationId: actor.organisationId, target: kind, after: { url } } as const;
      await scoped(db, 'system', (tx) => recordAudit(tx, actor, entry));
      try {
        const found = await advisories.examine(kind, (await fetchFrom(kind, url)).stream());
        if (found.entries > 0) return found;
      } catch (error) {
        throw isExpected(error) ? refusal(error.message) : error;
      }
      throw refusal(`The file has no ${aboutOf(kind).title}.`);
    },

    async change(actor: Actor, kind: FeedKind, body: { isOn: boolean; url: string }): Promise<Record<string, never>> {
      const url = body.url === aboutOf(kind).url ? '' : body.url;
      const after = { isOn: body.isOn, url };
      await scoped(db, 'system', async (tx) => {
        const before = await getForChange(tx, kind);
        if (before.isOn === after.isOn && before.url === after.url) return;
        await updateFeed(tx, kind, after, new Date(clock.now()));
        const { organisationId } = actor;
        await recordAudit(tx, actor, { action: 'feed.changed', organisationId, target: kind, before, after });
        if (after.isOn) await publish(tx, 'feeds.due', {});
      });
      return {};
    },

    /** Reads the feeds that are due. */
    async run(): Promise<void> {
      for (;;) {
        const now = clock.now();
        const due = await scoped(db, 'system', (tx) => claimFeed(tx, new Date(now), new Date(now + leaseMs)));
        if (!due) return;
        await readOne(due);
      }
    },
  };
}

const isExpected = (error: unknown): error is Error => error instanceof VendorError || error instanceof Problem;
const textOf = (error: unknown): string =>
  isExpected(error) ? storable(error.message).slice(0, 500) : 'The file could not be stored. The portal tries again.';
const refusal = (text: string) => problem.invalid({ url: [text.slice(0, 500)] }, text.slice(0, 500));

const iso = (at: Date | null) => at?.toISOString() ?? null;

const stateOf = ({ isOn, error, readAt }: FeedRow): AdvisoryFeed['state'] =>
  !isOn ? 'paused' : error !== null ? 'retrying' : readAt ? 'receiving' : 'waiting';

function shown(row: FeedRow, about: FeedAbout, isSimulated: boolean): AdvisoryFeed {
  return {
    kind: row.kind,
    title: about.title,
    publisher: about.publisher,
    documentation: about.documentation,
    url: row.url || about.url,
    isOwnAddress: row.url === '',
    isSimulated,
    state: stateOf(row),
    error: row.error,
    errorAt: iso(row.errorAt),
    readAt: iso(row.readAt),
    nextAt: row.isOn ? iso(row.nextAt) : null,
    entries: row.entries,
    newestAt: iso(row.newestAt),
  };
}
