/** `npm run connectors -- okta m365`: 100,000 events through each named connector, or through all, against its simulated vendor. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { binOf } from './bin.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const kinds = process.argv.slice(2);
const file = 'packages/server/test/connections.volume.long.test.ts';
const { status } = spawnSync(process.execPath, [binOf('vitest'), 'run', '--project', 'server-long', file], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, CONNECTOR_EVENTS: '100000', ...(kinds.length > 0 && { CONNECTORS: kinds.join(',') }) },
});
process.exit(status ?? 1);
