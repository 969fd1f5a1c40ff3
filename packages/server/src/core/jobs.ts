/**
 * Work by the clock, done once however many workers run: pg-boss keeps the queues in PostgreSQL. Its tables are made by the owner with the
 * migrations; the application's role only uses them.
 */
import { PgBoss } from 'pg-boss';
import type { Log } from './log.ts';

const schema = 'jobs';
/** For a database that hangs; `pg` takes both, pg-boss names only the first. */
const limits = { connectionTimeoutMillis: 5_000, query_timeout: 60_000 };
/** Of jobs that ended; pg-boss keeps them for a week: of some sixty jobs a minute that would be 370 MB. */
const deletion = { deleteAfterSeconds: 3_600 };
/** Of deleting them: pg-boss does it once a day. */
const maintenanceIntervalSeconds = 600;
/** The queue of the clock, which pg-boss makes when it starts. */
const clockQueue = '__pgboss__send-it';

export interface Jobs {
  /** Runs `work` by a cron expression (UTC), in one worker of the installation. */
  schedule(name: string, cron: string, work: () => Promise<void>): Promise<void>;
  /** Runs a scheduled job now, once. */
  runNow(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Makes or renews the tables of the queues, as the owner; safe to be called by several processes. */
export async function migrateJobs(ownerUrl: string, role: string): Promise<void> {
  const boss = new PgBoss({ connectionString: ownerUrl, schema, supervise: false, schedule: false, max: 1 });
  boss.on('error', () => {});
  await boss.start();
  const db = boss.getDb();
  await db.executeSql(`grant usage on schema ${schema} to ${role}`);
  await db.executeSql(`grant select, insert, update, delete, truncate on all tables in schema ${schema} to ${role}`);
  await db.executeSql(`grant usage on all sequences in schema ${schema} to ${role}`);
  await db.executeSql(`grant execute on all functions in schema ${schema} to ${role}`);
  await boss.stop({ graceful: false });
}

export async function openJobs({ url, log }: { url: string; log: Log }): Promise<Jobs> {
  const tables = { schema, migrate: false, createSchema: false };
  const boss = new PgBoss({ connectionString: url, ...tables, maintenanceIntervalSeconds, max: 3, ...limits });
  boss.on('error', (error) => log.warn({ err: error }, 'the job queue had a fault'));
  await boss.start();
  await boss.updateQueue(clockQueue, deletion);
  return {
    async schedule(name, cron, work) {
      await boss.createQueue(name, deletion);
      // One of an earlier version.
      await boss.updateQueue(name, deletion);
      await boss.work(name, { pollingIntervalSeconds: 2 }, async () => {
        try {
          await work();
        } catch (error) {
          log.error({ err: error, job: name }, 'a job failed');
          throw error;
        }
      });
      await boss.schedule(name, cron, null, { tz: 'UTC' });
    },
    async runNow(name) {
      await boss.send(name, null, { singletonKey: 'now' });
    },
    async close() {
      await boss.stop({ graceful: true, timeout: 5_000 });
    },
  };
}
