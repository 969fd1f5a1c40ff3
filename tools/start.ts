/**
 * `npm start`: starts the server and beside it builds the web pages and the agent if their sources changed. npm puts the required Node
 * first on the path; checked here, since the machine's own may be older.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { firstStartFlags, memoryEnvironment, nodeFlags } from '../packages/server/src/node-flags.ts';
import { requireNode } from './node-version.ts';

requireNode();
const building = new AbortController();
let endAgent = () => {};
const { DATABASE_URL, DATA_DIR = 'data', PORTAL_DEMO } = process.env;
const createsDemo = DATABASE_URL === undefined && PORTAL_DEMO !== '0' && !existsSync(join(DATA_DIR, 'postgres'));
const server = spawn(
  process.execPath,
  [...(createsDemo ? firstStartFlags : nodeFlags), 'packages/server/src/main.ts', '--await-pages'],
  {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    cwd: new URL('..', import.meta.url),
    env: { ...memoryEnvironment, ...process.env },
  },
);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.on(signal, () => server.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal));
server.on('exit', (code, signal) => {
  building.abort();
  endAgent();
  process.exit(code ?? (signal === 'SIGTERM' || signal === 'SIGINT' ? 0 : 1));
});

try {
  // After the server’s start, because the bundlers take time to load.
  const [{ buildWebWhenNeeded }, { buildAgentWhenNeeded }, { startDemoAgent }] = await Promise.all([
    import('./build-web.ts'),
    import('./build-agent.ts'),
    import('./demo-agent.ts'),
  ]);
  await Promise.all([buildWebWhenNeeded(building.signal), buildAgentWhenNeeded()]);
  if (server.connected) server.send('built');
  if (process.env.PORTAL_DEMO_AGENT === '1') endAgent = startDemoAgent(process.env, () => server.exitCode !== null);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
  server.removeAllListeners('exit');
  server.kill('SIGTERM');
}
