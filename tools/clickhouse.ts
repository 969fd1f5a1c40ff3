/**
 * `npm run test:clickhouse`: the event store on ClickHouse. Installs the engine in-process on first use, by the lock file of its own, then runs the
 * tests; arguments go to Vitest.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { binOf } from './bin.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = fileURLToPath(new URL('clickhouse', import.meta.url));

if (!existsSync(new URL('clickhouse/node_modules/chdb', import.meta.url))) {
  // Not `npm ci`, which refuses a lock file without the engine’s packages for other platforms, where a registry lacks these.
  const words = ['install', '--no-save', '--workspaces=false', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', words, { cwd: folder, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
const { status } = spawnSync(
  process.execPath,
  [binOf('vitest'), 'run', '--config', 'vitest.clickhouse.config.ts', ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
process.exit(status ?? 1);
