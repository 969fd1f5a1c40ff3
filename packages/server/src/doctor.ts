/**
 * Checks this installation and prints a line per check: `npm run -s doctor`. Exit code 1 with a problem. Changes nothing; beside a running portal, or
 * without one.
 */
import { fileURLToPath } from 'node:url';
import { systemClock } from './core/clock.ts';
import type { Config } from './core/config.ts';
import { attachEmbedded } from './core/db/embedded.ts';
import { checkDatabase } from './core/doctor/database.ts';
import { checkFolders, checkKeys, checkSyslogFiles } from './core/doctor/files.ts';
import { checkNetwork } from './core/doctor/network.ts';
import { type Finding, linesOf, ok, problemsOf, warning } from './core/doctor/report.ts';
import { checkSettings, checkVersions } from './core/doctor/settings.ts';
import { portalVersion } from './core/version.ts';

const folder = fileURLToPath(new URL('./migrations', import.meta.url));

/** The database of DATABASE_URL, or of the portal that runs on the data folder. */
async function ownerUrlOf({ databaseUrl, dataDir }: Config): Promise<string | Finding> {
  if (databaseUrl) return databaseUrl;
  try {
    return await attachEmbedded({ dataDir, waitMs: 5_000 });
  } catch {
    return warning(
      'Database',
      `the portal is not running on ${dataDir}, so the embedded database was not checked. Start it and repeat.`,
    );
  }
}

/** State of the portal on the configured port. */
async function checkRunning({ port, host }: Config): Promise<Finding> {
  const url = `http://${host === '0.0.0.0' ? 'localhost' : host}:${port}/readyz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    const { status, missing } = (await response.json()) as { status?: string; missing?: string[] };
    if (status === 'ready') return ok('Portal', `ready on port ${port}.`);
    return warning('Portal', `runs on port ${port}, but waits for: ${(missing ?? []).join(', ') || 'its start'}.`);
  } catch {
    return ok('Portal', `none answers on port ${port}.`);
  }
}

async function examine(): Promise<Finding[]> {
  const versions = checkVersions();
  const { config, findings } = checkSettings(process.env);
  if (!config) return [versions, ...findings, warning('Other checks', 'left out; they need valid settings.')];
  const { master, findings: keys } = await checkKeys(config);
  const ownerUrl = await ownerUrlOf(config);
  const [running, folders, syslog, database, network] = await Promise.all([
    checkRunning(config),
    checkFolders(config),
    checkSyslogFiles(config, systemClock.now()),
    typeof ownerUrl === 'string' ? checkDatabase({ ownerUrl, config, folder, clock: systemClock, master }) : [ownerUrl],
    checkNetwork(config, systemClock.now()),
  ]);
  return [versions, ...findings, running, ...keys, ...folders, ...database, ...syslog, ...network];
}

console.log(`Parapet ${portalVersion}`);
const findings = await examine();
for (const line of linesOf(findings)) console.log(line);
process.exitCode = problemsOf(findings).length > 0 ? 1 : 0;
