/** Units written by install.sh, checked by systemd. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const isHere = spawnSync('sh', ['-c', 'command -v systemd-analyze']).status === 0;
if (!isHere) console.warn('The units of the agent are not verified: systemd-analyze is not here.');

test.skipIf(!isHere)(
  'the units are without a fault, and the isolation comes after rules that flush it',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'parapet-units-'));
    try {
      const script = readFileSync(fileURLToPath(new URL('../install.sh', import.meta.url)), 'utf8');
      const from = script.indexOf('cat >/etc/systemd/system/');
      const writing = script.slice(from, script.indexOf('systemctl daemon-reload')).replaceAll('/etc/systemd/system', folder);
      const state = '/var/lib/mdr-agent';
      const written = spawnSync('sh', ['-euc', writing], {
        env: { node: process.execPath, home: '/opt/mdr-agent', state },
        encoding: 'utf8',
      });
      expect(written).toMatchObject({ status: 0, stderr: '' });
      const units = readdirSync(folder).sort();
      expect(units).toEqual(['mdr-agent.service', 'mdr-isolation.service']);

      const paths = units.map((unit) => join(folder, unit));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], {
        encoding: 'utf8',
        timeout: 30_000,
      });
      // Ignores errors in this machine's own units.
      expect(stderr.split('\n').filter((line) => line.includes('mdr-'))).toEqual([]);
      expect(status).toBe(0);
      expect(readFileSync(paths[1]!, 'utf8')).toMatch(/^After=.*\bnftables\.service\b/m);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000,
);
