/**
 * Allows one agent per state directory: two agents, such as a manual start beside the service, would both execute the same
 * task.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder, readText } from './files.ts';
import { processIdentity } from './processes.ts';

/**
 * Acquires the lock and returns its release function; the lock of a dead process is ignored. Throws if another agent is
 * running.
 */
export function acquireInstanceLock(state: string): () => void {
  const file = join(makePrivateFolder(state), 'running');
  const before = readText(file);
  const pid = Number(before.split(' ', 1)[0]);
  if (pid > 0 && pid !== process.pid && processIdentity(pid) === before)
    throw new Error(`The agent runs already, as process ${pid}. Stop that one first: systemctl stop mdr-agent`);
  writeFileSync(file, processIdentity(process.pid) ?? '', { mode: 0o600 });
  return () => rmSync(file, { force: true });
}
