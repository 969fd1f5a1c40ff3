/** `npm run dev`: restarts the server when its sources change; Vite serves the pages with hot reload on port 5173. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { binOf } from './bin.ts';
import { requireNode } from './node-version.ts';

requireNode();
const root = fileURLToPath(new URL('..', import.meta.url));
const children = [
  spawn(process.execPath, ['--watch', '--watch-preserve-output', 'packages/server/src/main.ts'], { cwd: root, stdio: 'inherit' }),
  spawn(process.execPath, [binOf('vite')], { cwd: `${root}packages/web`, stdio: 'inherit' }),
];
const stop = () => {
  for (const child of children) child.kill('SIGTERM');
};
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
for (const child of children) child.on('exit', stop);
