/**
 * The key that tasks of agents are signed with: `npm run -s agent-task-key` prints its generation and public half, `-- rotate` makes a new one that agents
 * adopt automatically, `-- replace` one that requires enrolling again, for a lost key. Safe while the portal runs.
 */
import { parseArgs } from 'node:util';
import { runCommand } from './command.ts';
import { systemClock } from './core/clock.ts';
import { openKeys } from './core/keys/keys.ts';
import { readMasterKeys } from './core/keys/master.ts';
import { openTaskKeys } from './features/agents/taskKeys.ts';
import { sealedColumns } from './sealed-columns.ts';

await runCommand('agent-task-key', async (db, config) => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const verb = positionals[0] ?? 'show';
  if (positionals.length > 1 || !['show', 'rotate', 'replace'].includes(verb))
    throw new Error('Usage: npm run -s agent-task-key [-- rotate | replace]');
  const { shared } = await openKeys({ db, columns: sealedColumns, ...(await readMasterKeys(config)) });
  const taskKeys = await openTaskKeys({ db, clock: systemClock, secretOf: shared });
  const newest = verb === 'show' ? (await taskKeys.list()).at(-1) : await taskKeys.rotate({ isReplaced: verb === 'replace' });
  return `${newest?.generation} ${newest?.publicKey}`;
});
