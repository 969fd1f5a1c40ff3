/**
 * Checks docs/alerts.prometheus.yml by Prometheus’ own promtool: `npm run -s alerts:check`. Without one, on Debian, it is taken from the package
 * `prometheus`, which is not installed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const rules = fileURLToPath(new URL('../docs/alerts.prometheus.yml', import.meta.url));
const tests = fileURLToPath(new URL('../docs/alerts.test.yml', import.meta.url));

function run(program: string, args: string[], cwd?: string): boolean {
  const { status, error } = spawnSync(program, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  return error === undefined && status === 0;
}

const isInstalled = spawnSync('promtool', ['--version']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'promtool-'));
try {
  let promtool = 'promtool';
  if (!isInstalled) {
    const quiet = ['-qq', '-o', 'APT::Sandbox::User=root'];
    const hasPackage =
      run('apt-get', ['download', ...quiet, 'prometheus'], folder) ||
      (run('apt-get', ['update', ...quiet]) && run('apt-get', ['download', ...quiet, 'prometheus'], folder));
    const [name] = hasPackage ? readdirSync(folder).filter((file) => file.endsWith('.deb')) : [];
    if (!name || !run('dpkg-deb', ['--extract', name, 'package'], folder)) {
      console.error('promtool is missing. Install Debian’s package prometheus, or put promtool on the PATH.');
      process.exitCode = 1;
    }
    promtool = join(folder, 'package/usr/bin/promtool');
  }
  if (process.exitCode !== 1) {
    const isValid = run(promtool, ['check', 'rules', rules]) && run(promtool, ['test', 'rules', tests]);
    process.exitCode = isValid ? 0 : 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
