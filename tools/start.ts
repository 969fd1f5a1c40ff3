/**
 * `npm start`: builds the web pages and the agent if their sources changed, then starts the server. npm puts the required Node
 * first on the path; checked here, since the machine's own may be older.
 */
import { spawn } from 'node:child_process';
import { nodeFlags } from '../packages/server/src/node-flags.ts';
import { buildAgentWhenNeeded } from './build-agent.ts';
import { buildWebWhenNeeded } from './build-web.ts';
import { startDemoAgent } from './demo-agent.ts';
import { requireNode } from './node-version.ts';

requireNode();
await buildWebWhenNeeded();
await buildAgentWhenNeeded();
const server = spawn(process.execPath, [...nodeFlags, 'packages/server/src/main.ts'], {
  stdio: 'inherit',
  cwd: new URL('..', import.meta.url),
});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.on(signal, () => server.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal));
const endAgent = process.env.PORTAL_DEMO_AGENT === '1' ? startDemoAgent(process.env, () => server.exitCode !== null) : () => {};
server.on('exit', (code, signal) => {
  endAgent();
  process.exit(code ?? (signal === 'SIGTERM' || signal === 'SIGINT' ? 0 : 1));
});
