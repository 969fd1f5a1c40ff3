/** Journal, inventory and accounts with samples from real hosts. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@parapet/contract/rules/clock.ts';
import { expect, onTestFinished, test } from 'vitest';
import { isLockedOut, protectedBecause, readAccounts } from './accounts.ts';
import { journalEvent, zoneOffset } from './collect.ts';
import { changedAt, ecosystemOf, parseApk, parseDpkg, parseOsRelease, parseRpm, parseSockets, readAddress } from './inventory.ts';
import { createExportReader, followJournal, type JournalPosition } from './journald.ts';
import { parseStat } from './processes.ts';

test('reads Debian, Alpine and Red Hat packages with advisory names', () => {
  const status = `Package: libc6\nStatus: install ok installed\nSource: glibc (2.36-8)\nVersion: 2.36-9\nDescription: x\n Version: 9\n\nPackage: gone\nStatus: deinstall ok config-files\nVersion: 1\n\nPackage: bash\nStatus: hold ok installed\nVersion: 5.2-1\n`;
  expect(parseDpkg(status, 'Debian:12')).toEqual([
    { name: 'libc6', version: '2.36-9', ecosystem: 'Debian:12', source: 'glibc' },
    { name: 'bash', version: '5.2-1', ecosystem: 'Debian:12', source: 'bash' },
  ]);
  expect(parseApk('C:Q1\nP:libssl3\nV:3.1.4-r5\no:openssl\n\nP:busybox\nV:1.36\n', 'Alpine:v3.18')).toEqual([
    { name: 'libssl3', version: '3.1.4-r5', ecosystem: 'Alpine:v3.18', source: 'openssl' },
    { name: 'busybox', version: '1.36', ecosystem: 'Alpine:v3.18', source: 'busybox' },
  ]);
  expect(
    parseRpm(
      'openssl-libs\t1:3.0.7-27.el9\topenssl-3.0.7-27.el9.src.rpm\nbash\t0:5.1.8-9.el9\tbash-5.1.8-9.el9.src.rpm\ngpg-pubkey\t0:1-1\t(none)\n',
      'Red Hat:9',
    ),
  ).toEqual([
    { name: 'openssl-libs', version: '1:3.0.7-27.el9', ecosystem: 'Red Hat:9', source: 'openssl' },
    { name: 'bash', version: '5.1.8-9.el9', ecosystem: 'Red Hat:9', source: 'bash' },
  ]);
  const os = parseOsRelease('ID=ubuntu\nVERSION_ID="22.04"\nPRETTY_NAME="Ubuntu 22.04.3 LTS"\n');
  expect(ecosystemOf(os)).toBe('Ubuntu:22.04:LTS');
  expect(ecosystemOf({ ID: 'alpine', VERSION_ID: '3.18.4' })).toBe('Alpine:v3.18');
  expect(ecosystemOf({})).toBe('other');
});

test('reads listening sockets of both families', () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0035 00000000:0000 0A 00000000:00000000 00:00000000 00000000   101        0 1234 1 0
   1: 0100007F:8F1A 0100007F:0035 01 00000000:00000000 00:00000000 00000000     0        0 1235 1 0`;
  expect(parseSockets(table, 'tcp')).toEqual([{ protocol: 'tcp', address: '127.0.0.1', port: 53, inode: '1234' }]);
  expect(readAddress('00000000000000000000000001000000')).toBe('::1');
  expect(readAddress('B80D01200000000000000000010000FF')).toMatch(/^2001:db8:/);
});

test('protects system accounts from blocking', () => {
  const accounts = readAccounts(
    'root:x:0:0::/root:/bin/sh\ndaemon:x:1:1::/:/usr/sbin/nologin\nann:x:1000:1000::/home/ann:/bin/bash\nbob:x:1001:1001::/:/bin/sh\nnobody:x:65534:65534::/:/bin/false\ntoor:x:0:0::/:/bin/sh\nbad line\n',
    'root:*:1::::::\nann:$6$x:1:0:9:7:::\nbob:!$6$x:1:0:9:7::1:\n',
  );
  const find = (name: string) => accounts.find((account) => account.name === name);
  expect(accounts.map(({ name }) => name)).toEqual(['root', 'daemon', 'ann', 'bob', 'nobody', 'toor']);
  expect([find('ann'), find('bob')].map((account) => isLockedOut(account!, Date.now()))).toEqual([false, true]);
  expect(protectedBecause(find('ann'), 0, 1000)).toBe(undefined);
  expect(protectedBecause(find('ann'), 1000, 1000)).toMatch(/agent/);
  for (const name of ['root', 'toor', 'daemon', 'nobody', 'stranger'])
    expect(protectedBecause(find(name), 0, 1000)).toBeDefined();
});

test('parses misleading process names', () => {
  const fields = Array.from({ length: 30 }, (_, n) => String(n + 100)).join(' ');
  expect(parseStat(`42 (evil) S 1 (x) R 1 ${fields}`)).toMatchObject({ name: 'evil) S 1 (x', state: 'R', parent: 1 });
  expect(parseStat('')).toBe(undefined);
});

test('converts journal records to events and excludes the agent’s own', () => {
  const about = { host: { name: 'h' }, agent: { id: '1' } };
  const record = {
    MESSAGE: 'Failed password',
    SYSLOG_IDENTIFIER: 'sshd',
    _PID: '77',
    PRIORITY: '5',
    SYSLOG_FACILITY: '4',
    __REALTIME_TIMESTAMP: '1700000000123456',
  };
  expect(journalEvent(record, about, Date.now())).toMatchObject({
    '@timestamp': '2023-11-14T22:13:20.123Z',
    message: 'Failed password',
    log: { syslog: { appname: 'sshd', procid: '77', severity: { code: 5 }, facility: { code: 4 } } },
  });
  const long = journalEvent({ ...record, MESSAGE: 'ü'.repeat(40_000) }, about, Date.now()) as { message: string; log: object };
  expect(long).toMatchObject({ message: 'ü'.repeat(32_768), log: { flags: ['truncated'] } });
  expect(journalEvent({ ...record, _PID: String(process.pid) }, about, Date.now())).toBe(undefined);
  expect(journalEvent({ ...record, MESSAGE: undefined }, about, Date.now())).toBe(undefined);
  expect(zoneOffset(new Date())).toMatch(/^[+-]\d\d:\d\d$/);
});

test('parses the export format in any chunking and truncates large fields', () => {
  const counted = (name: string, value: Buffer) => {
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(value.length));
    return Buffer.concat([Buffer.from(`${name}\n`), length, value, Buffer.from('\n')]);
  };
  const bytes = Buffer.concat([
    Buffer.from('__CURSOR=c1\nMESSAGE=a=b\nMESSAGE=once more\n\n'),
    Buffer.from('__CURSOR=c2\n'),
    counted('MESSAGE', Buffer.from('two\n\n__CURSOR=forged\n')),
    counted('_COMM', Buffer.alloc(0)),
    Buffer.from('\n__CURSOR=c3\n'),
    counted('MESSAGE', Buffer.alloc(300_000, 'x')),
    Buffer.from(`_CMDLINE=${'y'.repeat(200_000)}\nPRIORITY=6\n\n__CURSOR=never whole`),
  ]);
  for (const size of [1, 7, 4096, bytes.length]) {
    const read = createExportReader();
    const records = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      read(bytes.subarray(n * size, (n + 1) * size)),
    ).flat();
    expect(records).toEqual([
      { __CURSOR: 'c1', MESSAGE: 'a=b' },
      { __CURSOR: 'c2', MESSAGE: 'two\n\n__CURSOR=forged\n', _COMM: '' },
      { __CURSOR: 'c3', MESSAGE: 'x'.repeat(65_537), _CMDLINE: 'y'.repeat(8192), PRIORITY: '6' },
    ]);
  }
});

test('follows the journal from its cursor over exits of journalctl and a lost cursor', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parapet-journal-'));
  const command = join(folder, 'journalctl');
  const now = Math.floor(Date.now() / 1000) + 5;
  // Prints its arguments, emits two records and exits; fails for a cursor it has dropped.
  writeFileSync(
    command,
    `#!/bin/sh
echo "$*" >>${folder}/calls
case "$*" in *--cursor=c2*) echo 'Failed to seek to cursor' >&2; exit 1 ;; esac
printf '__CURSOR=c1\\n__REALTIME_TIMESTAMP=${now}000000\\nMESSAGE=one\\n\\n'
printf 'nothing of a journal\\n' >&2
printf '__CURSOR=c2\\n__REALTIME_TIMESTAMP=${now + 1}000000\\nMESSAGE=two\\n\\n__CURSOR=c3\\nMESSA'
`,
  );
  chmodSync(command, 0o755);
  const stop = new AbortController();
  const taken: JournalPosition[] = [];
  const calls = () => readFileSync(`${folder}/calls`, 'utf8').trim().split('\n');
  const following = followJournal({
    saved: undefined,
    take: async (_, position) => void taken.push(position),
    trouble: () => {},
    signal: stop.signal,
    clock: systemClock,
    command,
  });
  await expect.poll(() => taken.length, { timeout: 15_000 }).toBe(4);
  stop.abort();
  await following;
  expect(taken.slice(0, 2)).toEqual([
    { cursor: 'c1', time: `${now}000000` },
    { cursor: 'c2', time: `${now + 1}000000` },
  ]);
  expect(calls()[0]).toContain('-n 1');
  expect(calls().filter((call) => call.includes(' -f '))[1]).toContain('--cursor=c2');
  expect(calls().at(-1)).toContain(`--since=@${now + 1}`);
  rmSync(folder, { recursive: true, force: true });
}, 30_000);

/** A fake journalctl that logs its arguments and runs the script; its records are named by cursors. */
function standIn(script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'parapet-journal-'));
  const command = join(folder, 'journalctl');
  writeFileSync(
    command,
    `#!/bin/sh
echo "$*" >>${folder}/calls
record() { printf '__CURSOR=%s\\n__REALTIME_TIMESTAMP=%s\\nMESSAGE=m\\n\\n' "$1" "$2"; }
${script}
`,
  );
  chmodSync(command, 0o755);
  const stop = new AbortController();
  const taken: string[] = [];
  const troubles: string[] = [];
  const follow = (saved: JournalPosition, bootId = 'bb') =>
    followJournal({
      ...{ saved, command, bootId, clock: systemClock, signal: stop.signal },
      take: async (_, { cursor }) => void taken.push(cursor),
      trouble: (text) => troubles.push(text),
    });
  const calls = () => readFileSync(`${folder}/calls`, 'utf8').trim().split('\n');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { follow, taken, troubles, calls, stop };
}
const year2100 = '4102444800000000';

test('restarts a journalctl that exits each time from the cursor, without duplicates', async () => {
  const { follow, taken, troubles, calls, stop } = standIn(`
echo 'Insufficient watch descriptors available. Reverting to -n.' >&2
case "$*" in *_BOOT_ID=*) exit ;; *--since*) record 's=1;i=1;b=bb' 1000000; ;; esac
record 's=1;i=2;b=bb' 1000001`);
  const following = follow({ cursor: 's=1;i=2;b=bb', time: '1000001' });
  await expect.poll(() => calls().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(6);
  stop.abort();
  await following;
  expect(taken).toEqual([]);
  expect(calls().some((call) => call.includes('--since'))).toBe(false);
  expect(new Set(troubles)).toEqual(
    new Set(['Could not follow the journal: Insufficient watch descriptors available. Reverting to -n.']),
  );
}, 30_000);

test('reads the rest of the earlier boot, then the current one, for a cursor in the future, reported once', async () => {
  // Remaining records: read before by number, unread, of this boot.
  const { follow, taken, troubles, calls, stop } = standIn(`
case "$*" in
  *'-n 1 _BOOT_ID=bb') record 's=2;i=1;b=bb' 1000 ;;
  *'-f --no-tail --boot=bb') record 's=2;i=1;b=bb' 1000; record 's=2;i=2;b=bb' 1001; exec sleep 60 ;;
  *' -f '*) exec sleep 60 ;;
  *) record 's=1;i=5;b=aa;m=5' 900; record 's=1;i=a;b=aa;m=a' 901; record 's=9;i=1;b=aa;m=b' 902; record 's=1;i=b;b=aa;m=c' 903; record 's=2;i=1;b=bb' 1000 ;;
esac`);
  const following = follow({ cursor: 's=1;i=a;b=aa;m=a', time: year2100 });
  await expect.poll(() => taken.length, { timeout: 10_000 }).toBe(4);
  stop.abort();
  await following;
  expect(taken).toEqual(['s=9;i=1;b=aa;m=b', 's=1;i=b;b=aa;m=c', 's=2;i=1;b=bb', 's=2;i=2;b=bb']);
  expect(troubles).toEqual([
    expect.stringMatching(/^The journal was read up to 2100-01-01T00:00:00Z, but .* set back, .* all records since/),
  ]);
  expect(calls().some((call) => call.includes('--cursor') || call.includes('--since'))).toBe(false);
}, 20_000);

test('reads the current boot when earlier ones are unreadable', async () => {
  const { follow, taken, troubles, stop } = standIn(`
case "$*" in
  *_BOOT_ID=bb | *--boot=bb) record 's=2;i=1;b=bb' 1000; case "$*" in *' -f '*) exec sleep 60 ;; esac ;;
  *) record 's=1;i=1;b=aa' 900; echo 'Bad message' >&2; exit 1 ;;
esac`);
  const following = follow({ cursor: 's=1;i=1;b=aa', time: '900' });
  await expect.poll(() => taken, { timeout: 10_000 }).toEqual(['s=2;i=1;b=bb']);
  stop.abort();
  await following;
  expect(troubles).toEqual(Array(2).fill('Could not follow the journal: Bad message'));
}, 20_000);

test('follows a journal that lacks the current boot id', async () => {
  const { follow, taken, calls, stop } = standIn(`
case "$*" in *_BOOT_ID=*) exit 0 ;; esac
record 's=1;i=1;b=aa' 900; record 's=1;i=2;b=aa' 901; exec sleep 60`);
  const following = follow({ cursor: 's=1;i=1;b=aa', time: '900' });
  await expect.poll(() => taken, { timeout: 10_000 }).toEqual(['s=1;i=2;b=aa']);
  stop.abort();
  await following;
  expect(calls().at(-1)).toContain('-f --no-tail --cursor=s=1;i=1;b=aa');
});

const journalRemote = '/lib/systemd/systemd-journal-remote';
test.skipIf(!existsSync(journalRemote))(
  'the real journalctl, over starts of the host whose clocks do not agree',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parapet-boots-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];
    const write = (boot: string, records: [string, number][]) => {
      const [text, file] = [join(folder, `${boot}.export`), join(folder, `${boot}.journal`)];
      const lines = records.map(
        ([message, at], n) =>
          `__REALTIME_TIMESTAMP=${at * 1_000_000}\n__MONOTONIC_TIMESTAMP=${n + 1}\n_BOOT_ID=${boot}\nMESSAGE=${message}\n\n`,
      );
      writeFileSync(text, lines.join(''));
      expect(spawnSync(journalRemote, ['-o', file, text]).status).toBe(0);
    };
    const command = join(folder, 'journalctl');
    writeFileSync(command, `#!/bin/sh\nexec journalctl -D ${folder} "$@"\n`);
    chmodSync(command, 0o755);
    for (const year of [1_700_000_000, 4_102_444_800]) {
      write(first, [
        ['a1', year + 10],
        ['a2', year + 20],
        ['a3', year + 30],
      ]);
      write(second, [
        ['b1', 1_700_000_005],
        ['b2', 1_700_000_025],
        ['b3', 1_700_000_100],
      ]);
      const follow = async (saved: JournalPosition | undefined, bootId: string, most: number) => {
        const stop = new AbortController();
        const taken: { message: string | undefined; position: JournalPosition }[] = [];
        const troubles: string[] = [];
        const following = followJournal({
          ...{ saved, command, bootId, clock: systemClock, signal: stop.signal },
          take: async (record, position) => void taken.push({ message: record?.MESSAGE, position }),
          trouble: (text) => troubles.push(text),
        });
        await expect.poll(() => taken.length, { timeout: 10_000 }).toBe(most);
        await new Promise((resolve) => setTimeout(resolve, 300));
        stop.abort();
        await following;
        return { taken, troubles };
      };
      const cursorOf = (message: string): JournalPosition => {
        const { stdout } = spawnSync(command, ['-q', '-o', 'export', `MESSAGE=${message}`], { encoding: 'utf8' });
        const field = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(stdout)?.[1] as string;
        return { cursor: field('__CURSOR'), time: field('__REALTIME_TIMESTAMP') };
      };
      const { taken, troubles } = await follow(cursorOf('a1'), second, 5);
      expect(taken.map(({ message }) => message)).toEqual(['a2', 'a3', 'b1', 'b2', 'b3']);
      expect(troubles).toHaveLength(year > 4e9 ? 1 : 0);
      // Each position leads to the same end.
      const after = await follow(taken[2]?.position, second, 2);
      expect(after.taken.map(({ message }) => message)).toEqual(['b2', 'b3']);
      expect(after.troubles).toEqual([]);
      const rest = await follow(taken[1]?.position, second, 3);
      expect(rest.taken.map(({ message }) => message)).toEqual(['b1', 'b2', 'b3']);
      for (const boot of [first, second]) rmSync(join(folder, `${boot}.journal`));
    }
  },
  60_000,
);

test('reads the modification time of a database that is a file, on every supported Node', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'parapet-database-')), 'status');
  writeFileSync(file, '');
  expect(changedAt(file)).toBe(statSync(file).mtimeMs);
  expect(changedAt(join(file, 'missing'))).toBe(0);
});
