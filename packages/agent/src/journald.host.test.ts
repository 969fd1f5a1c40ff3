/** A real journald followed by the real journalctl, beside the machine's own in a mount namespace. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@parapet/contract/rules/clock.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Buffered } from './buffer.ts';
import { collect } from './collect.ts';
import type { JournalPosition } from './journald.ts';
import type { Settings } from './settings.ts';

const journald = '/lib/systemd/systemd-journald';

/** Reason that no journal can run here; undefined if it can. */
function noJournalBecause(): string | undefined {
  if (process.getuid?.() !== 0) return 'this is not root';
  if (!existsSync(journald)) return 'systemd is not here';
  for (const tool of ['journalctl', 'logger', 'unshare', 'nsenter'])
    if (spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0) return `${tool} is not here`;
  if (!existsSync('/etc/machine-id')) return 'this machine has no machine-id';
  const { status } = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs tmpfs /run']);
  return status === 0 ? undefined : 'no mount namespace can be made';
}

const reason = noJournalBecause();
if (reason) console.warn(`The real journal is left out: ${reason}.`);

interface Event {
  id: string;
  message: string;
  flags: string[] | undefined;
}

describe.skipIf(reason !== undefined)('a real journal', { timeout: 60_000 }, () => {
  let folder: string;
  let journal: string;
  let daemon: ChildProcess;
  const pidOf = (wrapper: ChildProcess) =>
    Number(readFileSync(`/proc/${wrapper.pid}/task/${wrapper.pid}/children`, 'utf8').trim());

  async function until(holds: () => boolean, what = () => ''): Promise<void> {
    for (const end = Date.now() + 20_000; !holds(); await pause(20))
      if (Date.now() > end) throw new Error(`It did not come. ${what()}`);
  }
  const files = () => readdirSync(journal, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.journal'));

  async function startJournald(): Promise<void> {
    const script = [
      'mount -t tmpfs tmpfs /run',
      'mkdir -p /run/systemd/journal /run/log/journal',
      `mount --bind ${journal} /run/log/journal`,
      `mount --bind ${folder}/journald.conf /etc/systemd/journald.conf`,
      `exec ${journald}`,
    ].join(' && ');
    daemon = spawn('unshare', ['--mount', '--fork', '--kill-child', 'sh', '-c', script], { stdio: 'ignore' });
    await until(
      () => spawnSync('nsenter', ['-t', String(pidOf(daemon)), '-m', 'test', '-S', '/run/systemd/journal/socket']).status === 0,
    );
  }
  async function endJournald(): Promise<void> {
    const ended = new Promise((resolve) => daemon.once('close', resolve));
    daemon.kill('SIGKILL');
    await ended;
  }
  /** Each text is one field of the record, or a multi-line message. */
  function log(...messages: (string | Buffer)[]): void {
    for (const message of messages) {
      const lines = Buffer.from(message).toString('latin1').replaceAll('\n', '\nMESSAGE=');
      const input = Buffer.from(`SYSLOG_IDENTIFIER=ours\nPRIORITY=5\nMESSAGE=${lines}\n\n`, 'latin1');
      const { status, stderr } = spawnSync('nsenter', ['-t', String(pidOf(daemon)), '-m', 'logger', '--journald'], {
        input,
        encoding: 'utf8',
      });
      expect(stderr).toBe('');
      expect(status).toBe(0);
    }
  }
  const has = (text: string) =>
    spawnSync('journalctl', ['-D', journal, '-q', '-o', 'cat', '-n', '2'], { encoding: 'utf8' }).stdout.includes(text);
  /** Beginnings of all messages still in the journal. */
  function ours(): string[] {
    const options = { encoding: 'utf8', maxBuffer: 100 * 1024 * 1024 } as const;
    const { stdout } = spawnSync('journalctl', ['-D', journal, '-q', '-o', 'cat', '-t', 'ours'], options);
    return stdout
      .trim()
      .split('\n')
      .map((text) => text.slice(0, 12));
  }
  async function rotate(): Promise<void> {
    const before = files().length;
    process.kill(pidOf(daemon), 'SIGUSR2');
    await until(() => files().length > before);
  }
  async function vacuum(): Promise<void> {
    spawnSync('journalctl', ['-D', journal, '--vacuum-files=1']);
    await until(() => files().length === 1);
  }

  let state: string;
  let events: Event[];
  const troubles: string[] = [];
  const buffer = {
    append(pairs: string) {
      const [first = '', second = ''] = pairs.split('\n');
      const { log, message } = JSON.parse(second) as { log: { syslog: { appname: string }; flags?: string[] }; message: string };
      if (log.syslog.appname === 'ours') events.push({ id: JSON.parse(first).create._id, message, flags: log.flags });
      return undefined;
    },
    sync: async () => {},
  } as unknown as Buffered;
  let stop: AbortController | undefined;
  let running: Promise<void> | undefined;
  const isFollowing = () => existsSync(join(folder, 'pid'));
  async function start(): Promise<void> {
    stop = new AbortController();
    rmSync(join(folder, 'pid'), { force: true });
    const settings = { agentId: 1, journal: 'on', files: [] as string[] } as Settings;
    running = collect({
      ...{ state, settings, buffer, clock: systemClock, signal: stop.signal, journalctl: join(folder, 'journalctl') },
      trouble: (text) => troubles.push(text),
    });
    await until(isFollowing);
    // The first start marks the beginning.
    await until(
      () => existsSync(join(state, 'positions.json')) && readFileSync(join(state, 'positions.json'), 'utf8').includes('cursor'),
    );
  }
  async function end(): Promise<void> {
    stop?.abort();
    await running;
  }
  function killJournalctl(): void {
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    rmSync(join(folder, 'pid'));
    process.kill(pid, 'SIGKILL');
  }
  /** Without free inotify instances journalctl exits and is restarted: reported, with no loss. */
  const ownTroubles = () => troubles.filter((text) => !text.includes('Insufficient watch descriptors'));
  const messages = () => events.map(({ message }) => message);
  const come = (n: number) =>
    until(
      () => events.length >= n,
      () =>
        `${messages()
          .map((text) => text.slice(0, 40))
          .join(' | ')} ${troubles.join(' | ')}`,
    );
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `line ${from + n}`);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parapet-journald-'));
    journal = join(folder, 'journal');
    mkdirSync(journal);
    // Exclude the kernel log and audit, which are the machine's.
    writeFileSync(
      join(folder, 'journald.conf'),
      '[Journal]\nStorage=volatile\nRuntimeMaxFileSize=16M\nAudit=no\nReadKMsg=no\nRateLimitIntervalSec=0\nRateLimitBurst=0\n',
    );
    writeFileSync(
      join(folder, 'journalctl'),
      `#!/bin/sh\ncase "$*" in *-f*) echo $$ >${folder}/pid ;; esac\nexec journalctl -D ${journal} "$@"\n`,
    );
    chmodSync(join(folder, 'journalctl'), 0o755);
    await startJournald();
  });
  afterAll(async () => {
    if (daemon) await endJournald();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    state = mkdtempSync(join(folder, 'state-'));
    events = [];
    troubles.length = 0;
  });
  afterEach(async () => {
    await end();
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  test('starts with new records and returns messages unchanged', async () => {
    log('what was before the agent is not news');
    await until(() => has('not news'));
    await start();
    const forged = 'one\n\n__CURSOR=forged\nMESSAGE=forged';
    log(
      'plain',
      forged,
      Buffer.from('bad \xff\xfe bytes, and ü', 'latin1'),
      `${'a'.repeat(5_000)}b`,
      `c${'ü'.repeat(4_000_000)}`,
      'after',
    );
    await come(6);
    expect(messages().map((text) => text.slice(0, 40))).toEqual([
      'plain',
      forged.slice(0, 40),
      'bad �� bytes, and �',
      'a'.repeat(40),
      `c${'ü'.repeat(39)}`,
      'after',
    ]);
    expect(messages()[3]).toBe(`${'a'.repeat(5_000)}b`);
    expect(events.map(({ flags }) => flags)).toEqual([undefined, undefined, undefined, undefined, ['truncated'], undefined]);
    expect(Buffer.byteLength(messages()[4]!)).toBeLessThan(65_540);
  });

  test('resumes after a restart without loss or duplicates', async () => {
    await start();
    log(...range(0, 3));
    await come(3);
    await end();
    log(...range(3, 6));
    await start();
    log(...range(6, 8));
    await come(8);
    await end();
    await start();
    log('line 8');
    await come(9);
    expect(messages()).toEqual(range(0, 9));
  });

  test('reads records logged while stopped, even if none came before', async () => {
    log('the last one before');
    await until(() => has('the last one before'));
    await start();
    await end();
    log('line 0');
    await start();
    log('line 1');
    await come(2);
    expect(messages()).toEqual(range(0, 2));
  });

  test('continues after its cursor’s file is vacuumed, running or stopped', async () => {
    await start();
    log('line 0');
    await come(1);
    await rotate();
    log('line 1');
    await come(2);
    await vacuum();
    log('line 2');
    await come(3);
    await end();
    // Log until rotation passes the cursor; everything that remains is new.
    const before = files().length;
    for (let n = 0; files().length < before + 2; n++) {
      expect(n).toBeLessThan(100);
      log(`filling ${n} ${randomBytes(750_000).toString('base64')}`);
    }
    log('line 3');
    await until(() => has('line 3'));
    await vacuum();
    const left = ours();
    expect(left[0]).toMatch(/^filling [1-9]/);
    await start();
    log('line 4');
    await come(3 + left.length + 1);
    expect(messages().map((text) => text.slice(0, 12))).toEqual([...range(0, 3), ...left, 'line 4']);
    expect(ownTroubles()).toEqual([]);
  });

  function positionOf(message: string): JournalPosition {
    const words = ['-D', journal, '-q', '-o', 'export', '-t', 'ours', '--no-pager', '--output-fields=MESSAGE'];
    const { stdout } = spawnSync('journalctl', words, { encoding: 'utf8', maxBuffer: 100 * 1024 * 1024 });
    const record = stdout
      .split('\n\n')
      .find((each) => each.includes(`MESSAGE=${message}\n`) || each.endsWith(`MESSAGE=${message}`));
    const field = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(record ?? '')?.[1] as string;
    return { cursor: field('__CURSOR'), time: field('__REALTIME_TIMESTAMP') };
  }
  /** Position at that record, with parts of its cursor replaced. */
  function save({ cursor, time }: JournalPosition, changes: Record<string, string> = {}): void {
    const parts = cursor.split(';').map((part) => `${part[0]}=${changes[part[0] as string] ?? part.slice(2)}`);
    const changed = changes.t ? String(Number.parseInt(changes.t, 16)) : time;
    writeFileSync(
      join(state, 'positions.json'),
      JSON.stringify({ files: {}, journal: { cursor: parts.join(';'), time: changed } }),
    );
  }
  const inFiveYears = () => Math.round((Date.now() + 5 * 365 * 86_400_000) * 1000).toString(16);
  const another = () => randomBytes(16).toString('hex');

  test('reads the whole current boot once and reports it when the journal is replaced and the clock set back', async () => {
    log('before 0', 'before 1');
    await until(() => has('before 1'));
    save(positionOf('before 1'), { s: another(), b: another(), i: 'ffffff', m: 'ffffffffff', t: inFiveYears() });
    const all = ours();
    await start();
    log('line 0');
    await come(all.length + 1);
    expect(messages().map((text) => text.slice(0, 12))).toEqual([...all, 'line 0']);
    await end();
    log('line 1');
    await start();
    log('line 2');
    await come(all.length + 3);
    expect(messages().slice(-3)).toEqual(range(0, 3));
    expect(ownTroubles()).toEqual([expect.stringMatching(/clock .* was set back, or .* all records since this boot/)]);
  });

  test('continues after its record and reports it when the clock is set back', async () => {
    log('before 0', 'before 1', 'line 0');
    await until(() => has('line 0'));
    const read = positionOf('before 1');
    // No record has the made-up cursor, which sorts directly after that one.
    const next = (name: string) =>
      (Number.parseInt(new RegExp(`${name}=([\\da-f]+)`).exec(read.cursor)?.[1] ?? '', 16) + 1).toString(16);
    const behind = { t: inFiveYears(), i: next('i'), m: next('m') };
    const cases: Record<string, string>[] = [behind, { ...behind, s: another() }];
    for (const changes of cases) {
      events = [];
      troubles.length = 0;
      save(read, changes);
      await start();
      await come(1);
      log('line 1');
      await come(2);
      expect(messages().slice(0, 2)).toEqual(range(0, 2));
      expect(ownTroubles()).toEqual([expect.stringMatching(/set back.* reading continues after that record/)]);
      await end();
    }
  });

  test('skips no records after a reboot with a clock that is behind', async () => {
    log('line 0', 'line 1');
    await until(() => has('line 1'));
    const all = ours();
    // Read up to now in the previous boot; all records of this boot appear older.
    save(positionOf('line 1'), { s: another(), b: another(), t: (Date.now() * 1000).toString(16) });
    await start();
    log('line 2');
    await come(all.length + 1);
    expect(messages().slice(-3)).toEqual(range(0, 3));
    expect(messages()).toHaveLength(all.length + 1);
    expect(ownTroubles()).toEqual([]);
  });

  test('survives repeated kills of journalctl and journald', async () => {
    await start();
    let n = 0;
    for (let round = 0; round < 3; round++) {
      log(`line ${n++}`);
      await come(n);
      killJournalctl();
      log(`line ${n++}`);
      await until(isFollowing);
      log(`line ${n++}`);
      await come(n);
    }
    expect(troubles.join()).toMatch(/journalctl ended/);
    await endJournald();
    await startJournald();
    log(`line ${n++}`);
    await come(n);
    expect(messages()).toEqual(range(0, n));
  });
});
