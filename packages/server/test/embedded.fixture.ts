/** A process with an embedded database only, for tests that kill it: `node embedded.fixture.ts <folder> [without-setpriv]`; prints one line of JSON. */
import { startEmbedded } from '../src/core/db/embedded.ts';
import { createLog } from '../src/core/log.ts';

const [dataDir = '', way] = process.argv.slice(2);

try {
  const started = performance.now();
  const postgres = await startEmbedded({ dataDir, log: createLog('silent'), withoutSetpriv: way === 'without-setpriv' });
  process.once('SIGTERM', () => void postgres.stop().then(() => process.exit(0)));
  process.stdout.write(
    `${JSON.stringify({ postgresPid: postgres.pid, ownerUrl: postgres.ownerUrl, startMs: performance.now() - started })}\n`,
  );
  setInterval(() => undefined, 60_000);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ fault: (error as Error).message })}\n`);
  process.exitCode = 1;
}
