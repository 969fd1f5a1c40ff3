/** Package databases of the real dpkg and rpm. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@parapet/contract/rules/clock.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { changedAt, createInventories, parseDpkg, readPackages, readRpm } from './inventory.ts';

const has = (tool: string) => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;
const missing = ['dpkg-query', 'rpm', 'rpmbuild'].filter((tool) => !has(tool));
if (missing.length > 0) console.warn(`Skips real package databases: ${missing.join(', ')} not installed.`);

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

test.skipIf(missing.includes('dpkg-query'))('reads the same packages as dpkg-query', () => {
  const format = ['db:Status-Status', 'Package', 'Version', 'source:Package'].map((field) => `\${${field}}`).join('\t');
  const output = run('dpkg-query', '-W', '-f', `${format}\n`)
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([state]) => state !== 'config-files' && state !== 'not-installed')
    .map(([, ...rest]) => rest.join(' '));
  const read = parseDpkg(readFileSync('/var/lib/dpkg/status', 'utf8'), 'Debian:12');
  expect(output.length).toBeGreaterThan(50);
  expect(read.map(({ name, version, source }) => `${name} ${version} ${source}`).sort()).toEqual(output.sort());
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

  /** Resolves once a change gets another time than the changes before. */
  const later = () => {
    const timeOf = () => {
      writeFileSync(join(folder, 'time'), '');
      return statSync(join(folder, 'time')).mtimeMs;
    };
    const before = timeOf();
    return vi.waitUntil(() => timeOf() > before, { interval: 1 });
  };

  test('returns epochs and sources, and detects changes in place', async () => {
    install('openssl-libs');
    expect(await readRpm('Red Hat:9', database)).toEqual([
      { name: 'openssl-libs', version: '1:3.0.7-27.el9', ecosystem: 'Red Hat:9', source: 'openssl' },
    ]);
    const first = changedAt(database);
    await later();
    await readRpm('Red Hat:9', database);
    expect(changedAt(database)).toBe(first);
    install('bash-libs');
    install('bash');
    const second = changedAt(database);
    expect(second).toBeGreaterThan(first);
    expect(
      (await readRpm('Red Hat:9', database)).map(({ name, version, source }) => `${name} ${version} ${source}`).sort(),
    ).toEqual(['bash 5.1.8-9.el9 bash', 'bash-libs 5.1.8-9.el9 bash', 'openssl-libs 1:3.0.7-27.el9 openssl']);
    await later();
    run('rpm', '--dbpath', database, '-e', '--justdb', 'bash');
    expect(changedAt(database)).toBeGreaterThan(second);
    expect(await readRpm('Red Hat:9', database)).toHaveLength(2);
  });

  test('precedes later databases if it has packages; empty, broken and missing ones are skipped', async () => {
    const names = async (...paths: string[]) =>
      (
        await readPackages(
          paths.map((path) => ({ path, read: readRpm })),
          'Red Hat:9',
        )
      ).list.map(({ name }) => name);
    const make = (name: string, ...packages: string[]) => {
      const path = join(folder, name);
      mkdirSync(path);
      for (const each of packages) run('rpm', '--dbpath', path, '-i', '--justdb', '--nodeps', join(folder, 'out', `${each}.rpm`));
      return path;
    };
    const full = make('full', 'bash');
    const other = make('other', 'openssl');
    const empty = make('empty');
    run('rpm', '--dbpath', empty, '--initdb');
    const broken = make('broken');
    for (const name of ['Packages', 'Packages.db', 'rpmdb.sqlite'])
      writeFileSync(join(broken, name), 'no database'.repeat(1_000));
    expect(await names(full, other)).toEqual(['bash']);
    expect(await names(empty, other, full)).toEqual(['openssl']);
    expect(await names(broken, other)).toEqual(['openssl']);
    expect(await names(empty)).toEqual([]);
    const { list, failed } = await readPackages([{ path: broken, read: readRpm }], 'Red Hat:9');
    expect([list, failed?.message]).toEqual([[], expect.stringMatching(/rpm/)]);
  });
});

describe('reading a failing rpm', () => {
  let folder: string;
  const standIn = (script: string) => {
    writeFileSync(join(folder, 'rpm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'parapet-rpm-'));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  test('kills an rpm that ignores SIGTERM and whose child holds its output', async () => {
    standIn(`trap '' TERM INT HUP\necho $$ >${folder}/pid\nprintf 'bash\\t0:5-1\\tbash-5-1.src.rpm\\n'\nsleep 30`);
    const before = performance.now();
    await expect(readRpm('Red Hat:9', folder, 1_000)).rejects.toThrow(/rpm/);
    expect(performance.now() - before).toBeLessThan(10_000);
    const pid = readFileSync(join(folder, 'pid'), 'utf8').trim();
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  }, 20_000);

  test('reads other databases while rpm hangs', async () => {
    const read = (ecosystem: string, path: string) => readRpm(ecosystem, path, 1_000);
    standIn(`case "$*" in *hangs*) exec sleep 30 ;; esac\nprintf 'bash\\t0:5-1\\tbash-5-1.src.rpm\\n'`);
    const found = await readPackages(
      [
        { path: '/hangs', read },
        { path: '/answers', read },
      ],
      'Red Hat:9',
    );
    expect(found.list).toEqual([{ name: 'bash', version: '5-1', ecosystem: 'Red Hat:9', source: 'bash' }]);
  }, 20_000);

  test('keeps the known packages when rpm fails, also over a restart', async () => {
    standIn(`printf 'bash\\t0:5-1\\tbash-5-1.src.rpm\\n'`);
    const database = join(folder, 'db');
    const left = join(folder, 'left');
    for (const path of [database, left]) mkdirSync(path);
    const troubles: string[] = [];
    const another = { name: 'left', version: '1', ecosystem: '', source: 'left' };
    const databases = [
      { path: database, read: readRpm },
      { path: left, read: async () => [another] },
    ];
    const names = async () => {
      const trouble = (text: string) => troubles.push(text);
      const { inventory } = await createInventories({ trouble, state: folder, clock: systemClock, databases }).get();
      return inventory.packages.map(({ name }) => name);
    };
    expect(await names()).toEqual(['bash']);
    standIn(`echo 'error: locked' >&2; exit 1`);
    expect(await names()).toEqual(['bash']);
    expect(troubles).toEqual([]);
    writeFileSync(join(database, 'rpmdb.sqlite'), 'changed');
    expect(await names()).toEqual(['bash']);
    expect(troubles).toEqual([expect.stringMatching(/Could not read packages: .*locked/s)]);
    rmSync(join(folder, 'packages.json'));
    expect(await names()).toEqual(['left']);
  });

  test('returns no partial list when rpm fails midway', async () => {
    standIn(`printf 'bash\\t0:5-1\\tbash-5-1.src.rpm\\n'; echo 'error: damaged' >&2; exit 1`);
    await expect(readRpm('Red Hat:9', folder)).rejects.toThrow(/damaged/);
  });
});
