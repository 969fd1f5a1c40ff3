/** Prints a token that enrols one host within a day, and nothing else: `npm run -s enrolment-token -- --organisation 10 [--name host]`. Also while the portal runs. */
import { parseArgs } from 'node:util';
import { runCommand } from './command.ts';
import { systemClock } from './core/clock.ts';
import { createAgentsService } from './features/agents/agents.service.ts';

await runCommand('enrolment-token', async (db) => {
  const { values } = parseArgs({ options: { organisation: { type: 'string' }, name: { type: 'string', default: 'host' } } });
  const organisationId = Number(values.organisation);
  if (!Number.isSafeInteger(organisationId) || organisationId < 1 || organisationId > 2_147_483_647)
    throw new Error('Usage: npm run -s enrolment-token -- --organisation <id> [--name <what for>]');
  const service = createAgentsService({ db, clock: systemClock });
  return service.createTokenUnattended(organisationId, (values.name || 'host').slice(0, 200));
});
