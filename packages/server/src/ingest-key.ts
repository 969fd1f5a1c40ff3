/** Prints a new ingest key and nothing else: `npm run -s ingest-key -- --organisation 10 [--name shipper]`. Also while the portal runs. */

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readConfig } from './core/config.ts';
import { connect } from './core/db/connect.ts';
import { attachEmbedded, startEmbedded } from './core/db/embedded.ts';
import { appUrl, migrate } from './core/db/migrate.ts';
import { silentLog } from './core/log.ts';
import { createIngestKeysService } from './features/ingest-keys/ingest-keys.service.ts';

const usage = 'Usage: npm run -s ingest-key -- --organisation <id> [--name <what for>]';

async function run(): Promise<string> {
  const { values } = parseArgs({ options: { organisation: { type: 'string' }, name: { type: 'string', default: 'shipper' } } });
  const organisationId = Number(values.organisation);
  if (!Number.isSafeInteger(organisationId) || organisationId < 1 || organisationId > 2_147_483_647) throw new Error(usage);
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
    const db = connect({ url: config.appDatabaseUrl ?? appUrl(ownerUrl), applicationName: 'portal ingest-key', poolSize: 1 });
    try {
      return await createIngestKeysService({ db }).createUnattended(organisationId, (values.name || 'shipper').slice(0, 200));
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

try {
  process.stdout.write(`${await run()}\n`);
} catch (error) {
  console.error(String((error as Error)?.message ?? error));
  process.exitCode = 1;
}
