/** Previews as jobs: rows that a worker leases, reports progress on and finishes; a person can cancel them. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, sql } from 'kysely';
import { type Bus, onEach } from '../core/bus.ts';
import type { Database } from '../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../core/db/scope.ts';
import { within } from '../core/db/within.ts';
import type { Log } from '../core/log.ts';
import { storableJson } from './audit.ts';

/** Changes at a client: by the events and alerts since `from`. */
export interface ClientDifference {
  organisationId: number;
  from: string | null;
  isPartial: boolean;
  before: number;
  after: number;
  gained: number;
  lost: number;
  changed: number;
}

/** Result of a preview. */
export interface Difference<Client extends ClientDifference, Example> {
  clients: Client[];
  days: { day: string; gained: number; lost: number }[];
  maliciousCases: { caseId: number; organisationId: number; alerts: number }[];
  examples: Example[];
}

export type PreviewState = 'waiting' | 'running' | 'done' | 'cancelled' | 'failed';

/** Age of a preview by which a change is made. */
export const previewAgeMs = 7 * dayMs;
/** Age of the malicious cases whose alerts a change may not hide by one person. */
export const maliciousMs = 90 * dayMs;

const leaseSeconds = 120;

export function previewQueue<Row extends { id: number }>(
  table: 'rule_previews' | 'grouping_previews',
  columns: RawBuilder<unknown>,
) {
  const rows = sql.table(table);
  return {
    /** Previews of one organisation that wait or run. */
    async countOpen(tx: Tx, scope: Scope): Promise<number> {
      const found = await sql<{ count: number }>`
        select count(*)::integer as count from ${rows} where ${within('organisation_id', scope)} and state in ('waiting', 'running')`.execute(
        tx,
      );
      return found.rows[0]!.count;
    },

    cancel: (tx: Tx, scope: Scope, id: number): Promise<unknown> =>
      sql`update ${rows} set state = 'cancelled' where ${within('organisation_id', scope)} and id = ${id} and state in ('waiting', 'running')`.execute(
        tx,
      ),

    /** Leases the next preview, also one whose worker has stopped. One whose workers stopped three times has failed. */
    async take(tx: Tx): Promise<Row | undefined> {
      await sql`
        update ${rows} set state = 'failed', failure = 'Stopped after three attempts. Select fewer days or one client.'
        where state = 'running' and attempts >= 3 and leased_until < now()`.execute(tx);
      const taken = await sql<Row>`
        update ${rows} set state = 'running', scanned = 0, attempts = attempts + 1, leased_until = now() + make_interval(secs => ${leaseSeconds})
        where id = (select id from ${rows} where state = 'waiting' or (state = 'running' and leased_until < now())
          order by id limit 1 for update skip locked)
        returning ${columns}`.execute(tx);
      return taken.rows[0];
    },

    /** Renews the lease; false when the preview was cancelled. */
    async saveProgress(tx: Tx, id: number, scanned: number, total: number): Promise<boolean> {
      const saved = await sql`
        update ${rows} set scanned = ${scanned}, total = ${total}, leased_until = now() + make_interval(secs => ${leaseSeconds})
        where id = ${id} and state = 'running' returning id`.execute(tx);
      return saved.rows.length > 0;
    },

    finish: (tx: Tx, id: number, outcome: { result: object } | { failure: string }): Promise<unknown> =>
      'result' in outcome
        ? sql`update ${rows} set state = 'done', result = ${storableJson(outcome.result)}::jsonb where id = ${id} and state = 'running'`.execute(
            tx,
          )
        : sql`update ${rows} set state = 'failed', failure = ${outcome.failure.slice(0, 1000)} where id = ${id} and state = 'running'`.execute(
            tx,
          ),

    /** Former previews are of use for a while only. */
    removeOld: (tx: Tx): Promise<unknown> => sql`delete from ${rows} where requested_at < now() - interval '30 days'`.execute(tx),
  };
}

export interface PreviewWork<Row extends { id: number }> {
  db: Database;
  log: Log;
  queue: Pick<ReturnType<typeof previewQueue<Row>>, 'take' | 'finish'>;
  /** Undefined for a preview that was cancelled, or left to another worker. */
  judge: (preview: Row, isClosed: () => boolean) => Promise<object | undefined>;
}

/** Runs all waiting previews. */
export async function runQueue<Row extends { id: number }>(
  { db, log, queue, judge }: PreviewWork<Row>,
  isClosed: () => boolean = () => false,
): Promise<void> {
  while (!isClosed()) {
    const preview = await scoped(db, 'system', queue.take);
    if (!preview) return;
    try {
      const result = await judge(preview, isClosed);
      if (result) await scoped(db, 'system', (tx) => queue.finish(tx, preview.id, { result }));
    } catch (error) {
      log.error({ err: error, preview: preview.id }, 'a preview failed');
      const failure = 'The preview could not be completed. Try again with fewer days or one client.';
      await scoped(db, 'system', (tx) => queue.finish(tx, preview.id, { failure }));
    }
  }
}

/** Runs waiting previews at each message. Returns a function that stops it after the current step. */
export function startQueue<Row extends { id: number }>(
  bus: Pick<Bus, 'on'>,
  message: Parameters<typeof onEach>[1],
  work: PreviewWork<Row>,
): () => Promise<void> {
  let isClosed = false;
  let running: Promise<void> = Promise.resolve();
  const run = () => {
    running = running
      .then(() => runQueue(work, () => isClosed))
      .catch((error) => work.log.error({ err: error }, 'previews could not be run'));
  };
  const off = onEach(bus, message, run);
  run();
  return async () => {
    isClosed = true;
    off();
    await running;
  };
}
