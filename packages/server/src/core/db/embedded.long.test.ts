import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { runAs } from '../../../test/database.ts';
import { silentLog } from '../log.ts';
import { connect } from './connect.ts';
import { attachEmbedded, startEmbedded } from './embedded.ts';
import { isDatabaseAway, retrying } from './failures.ts';

const fixture = fileURLToPath(new URL('../../../test/embedded.fixture.ts', import.meta.url));
const isRoot = process.getuid?.() === 0;

interface Report {
  postgresPid: number;
  ownerUrl: string;
  startMs: number;
  fault?: string;
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function folder(parent = tmpdir()): Promise<string> {
  const path = await mkdtemp(join(parent, 'parapet-embedded-'));
  cleanups.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** The portal as a process of its own. */
async function portal(
  dataDir: string,
  ...more: string[]
): Promise<{ child: ChildProcess; report: Report; ended: Promise<number | null> }> {
  const child = spawn(process.execPath, [fixture, dataDir, ...more], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let postgresPid: number | undefined;
  cleanups.push(async () => {
    child.kill('SIGTERM');
    await ended;
    // A portal that was killed leaves its PostgreSQL behind, which still writes where the folder is about to go.
    if (postgresPid === undefined || !(await isAlive(postgresPid))) return;
    process.kill(postgresPid, 'SIGQUIT');
    await until(async () => !(await isAlive(postgresPid!)));
  });
  for await (const line of createInterface({ input: child.stdout! })) {
    const report = JSON.parse(line) as Report;
    ({ postgresPid } = report);
    return { child, report, ended };
  }
  throw new Error('The portal ended without a word.');
}

const isAlive = (pid: number) => stat(`/proc/${pid}`).then(Boolean, () => false);

async function until(what: () => Promise<boolean>, withinMs = 10_000): Promise<void> {
  for (const end = Date.now() + withinMs; !(await what()); await sleep(20))
    if (Date.now() > end) throw new Error('It did not come to that.');
}

async function rowsOf(url: string): Promise<number[]> {
  const [result] = await runAs(url, 'select n from kept order by n');
  return result!.rows.map((row: { n: number }) => row.n);
}

describe('the embedded server', () => {
  test('runs PostgreSQL 18 in UTF-8, keeps data over a restart and is unreachable from the network', async () => {
    const dataDir = join(await folder(), 'made', 'here');
    const first = await startEmbedded({ dataDir, log: silentLog });
    await runAs(first.ownerUrl, 'create table kept (n integer)', 'insert into kept values (1)');
    const [shown] = await runAs(
      first.ownerUrl,
      `select current_setting('server_version_num')::integer / 10000 as major, current_setting('server_encoding') as encoding,
        (select datlocale from pg_database where datname = current_database()) as locale,
        current_setting('fsync') as fsync, current_setting('listen_addresses') as addresses, current_setting('data_checksums') as checksums`,
    );
    expect(shown!.rows).toEqual([
      { major: 18, encoding: 'UTF8', locale: 'C.UTF-8', fsync: 'on', addresses: '', checksums: 'on' },
    ]);
    await first.stop();
    await first.stop();
    expect(await isAlive(first.pid)).toBe(false);
    const second = await startEmbedded({ dataDir, log: silentLog });
    cleanups.push(() => second.stop());
    expect(second.ownerUrl).toBe(first.ownerUrl);
    expect(await rowsOf(second.ownerUrl)).toEqual([1]);
  });

  test('restricts password, address and socket to the owner, and rejects another password', async () => {
    const dataDir = await folder();
    const postgres = await startEmbedded({ dataDir, log: silentLog });
    cleanups.push(() => postgres.stop());
    for (const [name, mode] of [
      ['postgres.password', 0o600],
      ['postgres.json', 0o600],
      ['postgres.log', 0o600],
      ['run', 0o700],
      ['postgres', 0o700],
    ] as const) {
      expect([name, (await lstat(join(dataDir, name))).mode & 0o777]).toEqual([name, mode]);
    }
    const wrong = new URL(postgres.ownerUrl);
    wrong.password = 'guess';
    await expect(runAs(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  });

  test.runIf(isRoot)('runs as root without root, also where only root may enter', async () => {
    const outer = await folder(homedir());
    await chmod(outer, 0o700);
    const { report } = await portal(join(outer, 'data'));
    expect(report.fault).toBeUndefined();
    const status = await readFile(`/proc/${report.postgresPid}/status`, 'utf8');
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).toBe('65534');
    await runAs(report.ownerUrl, 'create table kept (n integer)');
  });

  test.runIf(isRoot)(
    'moves to a folder that the unprivileged user can reach where setpriv is missing, and is found there again',
    async () => {
      const outer = await folder(homedir());
      await chmod(outer, 0o700);
      const dataDir = join(outer, 'data');
      const { report, child, ended } = await portal(dataDir, 'without-setpriv');
      expect(report.fault).toBeUndefined();
      const moved = (await readFile(join(dataDir, 'postgres.path'), 'utf8')).trim();
      cleanups.push(() => rm(join(moved, '..'), { recursive: true, force: true }));
      await runAs(report.ownerUrl, 'create table kept (n integer)', 'insert into kept values (7)');
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
      const again = await portal(dataDir);
      expect(await rowsOf(again.report.ownerUrl)).toEqual([7]);
      // Also an orphan that no signal of the kernel stopped is found and ended by the next start.
      again.child.kill('SIGTERM');
      await again.ended;
      const orphaned = await portal(dataDir, 'without-setpriv');
      orphaned.child.kill('SIGKILL');
      await orphaned.ended;
      expect(await isAlive(orphaned.report.postgresPid)).toBe(true);
      const last = await portal(dataDir, 'without-setpriv');
      expect(await isAlive(orphaned.report.postgresPid)).toBe(false);
      expect(await rowsOf(last.report.ownerUrl)).toEqual([7]);
    },
  );

  test('refuses a second start on a folder and lets others attach', async () => {
    const dataDir = await realpath(await folder());
    await expect(attachEmbedded({ dataDir })).rejects.toThrow(`The portal is not running on ${dataDir}`);
    await expect(attachEmbedded({ dataDir: join(dataDir, 'nowhere') })).rejects.toThrow('The portal is not running on');
    const { child, report, ended } = await portal(dataDir);
    const second = await portal(dataDir);
    expect(second.report.fault).toContain(`already runs on ${dataDir} (process ${child.pid})`);
    expect(await second.ended).toBe(1);
    expect(await attachEmbedded({ dataDir })).toBe(report.ownerUrl);
    child.kill('SIGKILL');
    await ended;
    await expect(attachEmbedded({ dataDir })).rejects.toThrow('The portal is not running on');
  });

  test('makes attaching processes wait until it has started', async () => {
    const dataDir = await folder();
    const starting = portal(dataDir);
    await until(() => stat(join(dataDir, 'postgres.json')).then(Boolean, () => false));
    const url = await attachEmbedded({ dataDir });
    expect(url).toBe((await starting).report.ownerUrl);
    await runAs(url, 'select 1');
  });

  test('lets one of two concurrent starts on a new folder win, and leaves the folder intact', async () => {
    const dataDir = await folder();
    const both = await Promise.all([portal(dataDir), portal(dataDir)]);
    const faults = both.map(({ report }) => report.fault).filter((fault) => fault !== undefined);
    expect(faults).toHaveLength(1);
    await runAs(await attachEmbedded({ dataDir }), 'create table kept (n integer)');
  });

  test('stops cleanly with the portal, which alone receives Ctrl-C from a terminal', async () => {
    const { child, report, ended } = await portal(await folder());
    // A session of its own, so that the terminal's signal does not reach it.
    const session = await readFile(`/proc/${report.postgresPid}/stat`, 'utf8');
    expect(Number(session.slice(session.lastIndexOf(')') + 2).split(' ')[3])).toBe(report.postgresPid);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(await isAlive(report.postgresPid)).toBe(false);
  });

  test('ends with a portal killed by SIGKILL, loses no acknowledged row and restarts immediately', async () => {
    const dataDir = await folder();
    const first = await portal(dataDir);
    await runAs(first.report.ownerUrl, 'create table kept (n integer)', 'insert into kept select generate_series(1, 1000)');
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await portal(dataDir);
    expect(second.report.fault).toBeUndefined();
    expect(await rowsOf(second.report.ownerUrl)).toHaveLength(1000);
    second.child.kill('SIGKILL');
    await until(async () => !(await isAlive(second.report.postgresPid)));
  });

  test('restarts after SIGKILL under load: the pool recovers and no acknowledged row is lost', async () => {
    const dataDir = await folder();
    const postgres = await startEmbedded({ dataDir, log: silentLog });
    cleanups.push(() => postgres.stop());
    await runAs(postgres.ownerUrl, 'create table kept (n integer)');
    const db = connect({ url: postgres.ownerUrl, applicationName: 'test', poolSize: 4 });
    cleanups.push(() => db.close());
    const acknowledged: number[] = [];
    let next = 0;
    let isOver = false;
    const writer = async () => {
      while (!isOver) {
        const n = next++;
        await retrying(() => db.pool.query('insert into kept values ($1)', [n]), {
          alsoWhenAway: true,
          attempts: 200,
          pauseMs: 10,
        });
        acknowledged.push(n);
      }
    };
    const writers = [writer(), writer(), writer(), writer()];
    await until(async () => acknowledged.length > 0);
    const killed = postgres.pid;
    const countBefore = acknowledged.length;
    process.kill(killed, 'SIGKILL');
    await until(async () => acknowledged.length > countBefore + 100, 20_000);
    isOver = true;
    await Promise.all(writers);
    expect(postgres.pid).not.toBe(killed);
    const there = new Set(await rowsOf(postgres.ownerUrl));
    expect(acknowledged.filter((n) => !there.has(n))).toEqual([]);
    expect(await attachEmbedded({ dataDir })).toBe(postgres.ownerUrl);
  });

  test('starts although another process has the id of an old postmaster', async () => {
    const dataDir = await folder();
    const first = await portal(dataDir);
    const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
    const text = await readFile(pidFile, 'utf8');
    first.child.kill('SIGKILL');
    await until(async () => !(await isAlive(first.report.postgresPid)));
    await writeFile(pidFile, text.replace(/^\d+/, String(process.pid)));
    expect((await portal(dataDir)).report.fault).toBeUndefined();
  });

  test('supports a folder whose path is too long for a socket', async () => {
    const dataDir = join(await folder(), 'a'.repeat(90), 'ö'.repeat(60));
    const { report } = await portal(dataDir);
    expect(report.fault).toBeUndefined();
    await runAs(report.ownerUrl, 'select 1');
    const socketDir = new URL(report.ownerUrl).searchParams.get('host')!;
    cleanups.push(() => rm(socketDir, { recursive: true, force: true }));
    expect((await lstat(socketDir)).mode & 0o777).toBe(0o700);
  });

  test('refuses a foreign folder and one without its password, and leaves them untouched', async () => {
    const dataDir = await folder();
    await mkdir(join(dataDir, 'postgres'));
    await writeFile(join(dataDir, 'postgres', 'letter.txt'), 'dear');
    await expect(startEmbedded({ dataDir, log: silentLog })).rejects.toThrow('is not empty and holds no PostgreSQL');
    expect(await readFile(join(dataDir, 'postgres', 'letter.txt'), 'utf8')).toBe('dear');
    await rm(join(dataDir, 'postgres'), { recursive: true });
    await (await startEmbedded({ dataDir, log: silentLog })).stop();
    await rm(join(dataDir, 'postgres.password'));
    await expect(startEmbedded({ dataDir, log: silentLog })).rejects.toThrow('postgres.password is missing');
  });

  test('reports the reason when PostgreSQL does not start', async () => {
    const settings = { shared_buffers: 'much' };
    await expect(startEmbedded({ dataDir: await folder(), log: silentLog, settings })).rejects.toThrow(
      /invalid value for parameter "shared_buffers"/,
    );
  });

  test('reports a lost connection as such', async () => {
    const postgres = await startEmbedded({ dataDir: await folder(), log: silentLog });
    const db = connect({ url: postgres.ownerUrl, applicationName: 'test', poolSize: 1 });
    cleanups.push(() => db.close());
    await db.pool.query('select 1');
    await postgres.stop();
    const error = await db.pool.query('select 1').catch((error: unknown) => error);
    expect(isDatabaseAway(error)).toBe(true);
  });
});
