/** Shared by the shell commands: opens the database of a running portal, or starts one for the duration; prints one line or one error. */
import { fileURLToPath } from 'node:url';
import { type Config, readConfig } from './core/config.ts';
import { connect, type Database } from './core/db/connect.ts';
import { attachEmbedded, startEmbedded } from './core/db/embedded.ts';
import { appUrl, migrate } from './core/db/migrate.ts';
import { silentLog } from './core/log.ts';

/** Prints the line that `work` returns, or its error on stderr. */
export async function runCommand(name: string, work: (db: Database, config: Config) => Promise<string>): Promise<void> {
  try {
    process.stdout.write(`${await onDatabase(name, work)}\n`);
  } catch (error) {
    console.error(String((error as Error)?.message ?? error));
    process.exitCode = 1;
  }
}

async function onDatabase(name: string, work: (db: Database, config: Config) => Promise<string>): Promise<string> {
  const config = readConfig(process.env);
  const embedded = config.databaseUrl === undefined ? await openEmbedded(config.dataDir) : undefined;
  try {
    const ownerUrl = config.databaseUrl ?? (embedded?.ownerUrl as string);
    await migrate({
      ownerUrl,
      folder: fileURLToPath(new URL('./migrations', import.meta.url)),
      log: silentLog,
      givenAppUrl: config.appDatabaseUrl,
    });
    const db = connect({ url: config.appDatabaseUrl ?? appUrl(ownerUrl), applicationName: `portal ${name}`, poolSize: 1 });
    try {
      return await work(db, config);
    } finally {
      await db.close();
    }
  } finally {
    await embedded?.stop();
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
