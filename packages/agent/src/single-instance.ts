/** One agent at a time with one memory: two, as when a person starts one beside the service's, would both do the same task. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder, readText } from './files.ts';
import { lifeOf } from './processes.ts';

/** Gives the place up when called; whoever dies has given it up. */
export function acquireInstanceLock(state: string): () => void {
  const file = join(makePrivateFolder(state), 'running');
  const before = readText(file);
  const pid = Number(before.split(' ', 1)[0]);
  if (pid > 0 && pid !== process.pid && lifeOf(pid) === before)
    throw new Error(`The agent runs already, as process ${pid}. Stop that one first: systemctl stop mdr-agent`);
  writeFileSync(file, lifeOf(process.pid) ?? '', { mode: 0o600 });
  return () => rmSync(file, { force: true });
}
