/** Removal of the systemd units that install.sh creates. */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';

const units = ['mdr-agent.service', 'mdr-isolation.service'];

export async function removeService(): Promise<void> {
  const systemctl = (...args: string[]) => promisify(execFile)('systemctl', args, { timeout: 60_000 }).catch(() => {});
  await systemctl('disable', '--now', ...units);
  for (const unit of units) await rm(`/etc/systemd/system/${unit}`, { force: true });
  await rm('/usr/local/bin/mdr-agent', { force: true });
  await systemctl('daemon-reload');
}
