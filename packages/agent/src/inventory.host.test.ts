/** Packages as the real dpkg and rpm know them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changedAt, parseDpkg, readRpm } from './inventory.ts';

const has = (tool: string) => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;
const missing = ['dpkg-query', 'rpm', 'rpmbuild'].filter((tool) => !has(tool));
if (missing.length > 0) console.warn(`The real databases of packages are left out: ${missing.join(', ')} not here.`);

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

test.skipIf(missing.includes('dpkg-query'))('what is read of dpkg is what dpkg-query says', () => {
  const format = ['db:Status-Status', 'Package', 'Version', 'source:Package'].map((field) => `\${${field}}`).join('\t');
  const said = run('dpkg-query', '-W', '-f', `${format}\n`)
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([state]) => state !== 'config-files' && state !== 'not-installed')
    .map(([, ...rest]) => rest.join(' '));
  const read = parseDpkg(readFileSync('/var/lib/dpkg/status', 'utf8'), 'Debian:12');
  expect(said.length).toBeGreaterThan(50);
  expect(read.map(({ name, version, source }) => `${name} ${version} ${source}`).sort()).toEqual(said.sort());
});

describe.skipIf(missing.includes('rpm') || missing.includes('rpmbuild'))('a database of rpm', { timeout: 60_000 }, () => {
  let folder: string;
  let database: string;
  const install = (name: string) =>
    run('rpm', '--dbpath', database, '-i', '--justdb', '--nodeps', join(folder, 'out', `${name}.rpm`));
  function build(name: string, tags: string): void {
    const spec = join(folder, `${name}.spec`);
    writeFileSync(
      spec,
      `Name: ${name}\n${tags}\nSummary: s\nLicense: MIT\nBuildArch: noarch\n%description\nd\n%files\n%package -n ${name}-libs\nSummary: s\n%description -n ${name}-libs\nd\n%files -n ${name}-libs\n`,
    );
    run(
      'rpmbuild',
      '-bb',
      '--quiet',
      '--define',
      `_topdir ${folder}/top`,
      '--define',
      `_rpmdir ${folder}/out`,
      '--define',
      '_rpmfilename %%{NAME}.rpm',
      spec,
    );
  }

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'parapet-rpm-'));
    database = join(folder, 'db');
    mkdirSync(database);
    build('openssl', 'Epoch: 1\nVersion: 3.0.7\nRelease: 27.el9');
    build('bash', 'Version: 5.1.8\nRelease: 9.el9');
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('is read with epochs and sources, and seen to change in place', async () => {
    install('openssl-libs');
    expect(await readRpm('Red Hat:9', database)).toEqual([
      { name: 'openssl-libs', version: '1:3.0.7-27.el9', ecosystem: 'Red Hat:9', source: 'openssl' },
    ]);
    const first = changedAt(database);
    await pause(20);
    await readRpm('Red Hat:9', database);
    expect(changedAt(database)).toBe(first);
    install('bash-libs');
    install('bash');
    const second = changedAt(database);
    expect(second).toBeGreaterThan(first);
    expect(
      (await readRpm('Red Hat:9', database)).map(({ name, version, source }) => `${name} ${version} ${source}`).sort(),
    ).toEqual(['bash 5.1.8-9.el9 bash', 'bash-libs 5.1.8-9.el9 bash', 'openssl-libs 1:3.0.7-27.el9 openssl']);
    await pause(20);
    run('rpm', '--dbpath', database, '-e', '--justdb', 'bash');
    expect(changedAt(database)).toBeGreaterThan(second);
    expect(await readRpm('Red Hat:9', database)).toHaveLength(2);
  });
});
