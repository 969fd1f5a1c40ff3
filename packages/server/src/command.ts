/** Shared by the shell commands: opens the database of a running portal, or starts one for the duration; prints one line or one error. */
import { fileURLToPath } from 'node:url';
import { type Config, readConfig } from './core/config.ts';
import { connect, type Database } from './core/db/connect.ts';
import { attachEmbedded, startEmbedded } from './core/db/embedded.ts';
import { appUrl, migrate } from './core/db/migrate.ts';
import { silentLog } from './core/log.ts';

/** Prints the line that `work` returns, or its error on stderr. */
export const runCommand = (name: string, work: (db: Database, config: Config) => Promise<string>): Promise<void> =>
  runOffline((config) => onDatabase(name, config, work));

/** The same without a database. */
export async function runOffline(work: (config: Config) => Promise<string>): Promise<void> {
  try {
    process.stdout.write(`${await work(readConfig(process.env))}\n`);
  } catch (error) {
    console.error(String((error as Error)?.message ?? error));
    process.exitCode = 1;
  }
}

async function onDatabase(
  name: string,
  config: Config,
  work: (db: Database, config: Config) => Promise<string>,
): Promise<string> {
  const embedded = config.databaseUrl === undefined ? await openEmbedded(config.dataDir) : undefined;
  try {
    return await onOwnDatabase(config.databaseUrl ?? (embedded?.ownerUrl as string), config, name, (db) => work(db, config));
  } finally {
    await embedded?.stop();
  }
}

/** Migrates the database of an owner and runs `work` on it as the application. */
export async function onOwnDatabase<T>(
  ownerUrl: string,
  config: Config,
  name: string,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  await migrate({
    ownerUrl,
    folder: fileURLToPath(new URL('./migrations', import.meta.url)),
    log: silentLog,
    givenAppUrl: config.appDatabaseUrl,
  });
  const db = connect({ url: config.appDatabaseUrl ?? appUrl(ownerUrl), applicationName: `portal ${name}`, poolSize: 1 });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** The database of the portal that runs on this folder, or one of our own for as long as it takes. */
async function openEmbedded(dataDir: string): Promise<{ ownerUrl: string; stop: () => Promise<void> }> {
  try {
    const { ownerUrl, stop } = await startEmbedded({ dataDir, log: silentLog });
    return { ownerUrl, stop };
  } catch {
    return { ownerUrl: await attachEmbedded({ dataDir }), stop: async () => {} };
  }
}
