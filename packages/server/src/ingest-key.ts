/** Prints a new ingest key and nothing else: `npm run -s ingest-key -- --organisation 10 [--name shipper]`. Also while the portal runs. */
import { parseArgs } from 'node:util';
import { runCommand } from './command.ts';
import { createIngestKeysService } from './features/ingest-keys/ingest-keys.service.ts';

await runCommand('ingest-key', async (db) => {
  const { values } = parseArgs({ options: { organisation: { type: 'string' }, name: { type: 'string', default: 'shipper' } } });
  const organisationId = Number(values.organisation);
  if (!Number.isSafeInteger(organisationId) || organisationId < 1 || organisationId > 2_147_483_647)
    throw new Error('Usage: npm run -s ingest-key -- --organisation <id> [--name <what for>]');
  return createIngestKeysService({ db }).createUnattended(organisationId, (values.name || 'shipper').slice(0, 200));
});
