/** The journal, the inventory and the accounts, from what real hosts say. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isLockedOut, protectedBecause, readAccounts } from './accounts.ts';
import { journalEvent, zoneOffset } from './collect.ts';
import { ecosystemOf, parseApk, parseDpkg, parseOsRelease, parseRpm, parseSockets, readAddress } from './inventory.ts';
import { createExportReader, followJournal, type JournalPosition } from './journald.ts';
import { parseStat } from './processes.ts';

test('packages of Debian, Alpine and Red Hat, as advisories name them', () => {
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

test('sockets that listen, in both families', () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0035 00000000:0000 0A 00000000:00000000 00:00000000 00000000   101        0 1234 1 0
   1: 0100007F:8F1A 0100007F:0035 01 00000000:00000000 00:00000000 00000000     0        0 1235 1 0`;
  expect(parseSockets(table, 'tcp')).toEqual([{ protocol: 'tcp', address: '127.0.0.1', port: 53, inode: '1234' }]);
  expect(readAddress('00000000000000000000000001000000')).toBe('::1');
  expect(readAddress('B80D01200000000000000000010000FF')).toMatch(/^2001:db8:/);
});

test('whom a task may block, and whom never', () => {
  const accounts = readAccounts(
    'root:x:0:0::/root:/bin/sh\ndaemon:x:1:1::/:/usr/sbin/nologin\nann:x:1000:1000::/home/ann:/bin/bash\nbob:x:1001:1001::/:/bin/sh\nnobody:x:65534:65534::/:/bin/false\ntoor:x:0:0::/:/bin/sh\nbad line\n',
    'root:*:1::::::\nann:$6$x:1:0:9:7:::\nbob:!$6$x:1:0:9:7::1:\n',
  );
  const find = (name: string) => accounts.find((account) => account.name === name);
  expect(accounts.map(({ name }) => name)).toEqual(['root', 'daemon', 'ann', 'bob', 'nobody', 'toor']);
  expect([find('ann'), find('bob')].map((account) => isLockedOut(account!))).toEqual([false, true]);
  expect(protectedBecause(find('ann'), 0, 1000)).toBe(undefined);
  expect(protectedBecause(find('ann'), 1000, 1000)).toMatch(/agent/);
  for (const name of ['root', 'toor', 'daemon', 'nobody', 'stranger'])
    expect(protectedBecause(find(name), 0, 1000)).toBeDefined();
});

test('a process whose name is meant to mislead is read rightly', () => {
  const fields = Array.from({ length: 30 }, (_, n) => String(n + 100)).join(' ');
  expect(parseStat(`42 (evil) S 1 (x) R 1 ${fields}`)).toMatchObject({ name: 'evil) S 1 (x', state: 'R', parent: 1 });
  expect(parseStat('')).toBe(undefined);
});

test('a record of the journal becomes an event; the agent’s own are left out', () => {
  const about = { host: { name: 'h' }, agent: { id: '1' } };
  const record = {
    MESSAGE: 'Failed password',
    SYSLOG_IDENTIFIER: 'sshd',
    _PID: '77',
    PRIORITY: '5',
    SYSLOG_FACILITY: '4',
    __REALTIME_TIMESTAMP: '1700000000123456',
  };
  expect(journalEvent(record, about)).toMatchObject({
    '@timestamp': '2023-11-14T22:13:20.123Z',
    message: 'Failed password',
    log: { syslog: { appname: 'sshd', procid: '77', severity: { code: 5 }, facility: { code: 4 } } },
  });
  const long = journalEvent({ ...record, MESSAGE: 'ü'.repeat(40_000) }, about) as { message: string; log: object };
  expect(long).toMatchObject({ message: 'ü'.repeat(32_768), log: { flags: ['truncated'] } });
  expect(journalEvent({ ...record, _PID: String(process.pid) }, about)).toBe(undefined);
  expect(journalEvent({ ...record, MESSAGE: undefined }, about)).toBe(undefined);
  expect(zoneOffset(new Date())).toMatch(/^[+-]\d\d:\d\d$/);
});

test('the export format is read alike however it is cut into pieces, and of a large field only the beginning is kept', () => {
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

test('the journal is followed from its cursor, over ends of journalctl and a cursor that is gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parapet-journal-'));
  const command = join(folder, 'journalctl');
  // Says how it was called, gives two records and ends; fails for a cursor that it threw away.
  writeFileSync(
    command,
    `#!/bin/sh
echo "$*" >>${folder}/calls
case "$*" in *--cursor=c2*) echo 'Failed to seek to cursor' >&2; exit 1 ;; esac
printf '__CURSOR=c1\\n__REALTIME_TIMESTAMP=9000000000000000\\nMESSAGE=one\\n\\n'
printf 'nothing of a journal\\n' >&2
printf '__CURSOR=c2\\n__REALTIME_TIMESTAMP=9000000001000000\\nMESSAGE=two\\n\\n__CURSOR=c3\\nMESSA'
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
    command,
  });
  await expect.poll(() => taken.length, { timeout: 15_000 }).toBe(4);
  stop.abort();
  await following;
  expect(taken.slice(0, 2)).toEqual([
    { cursor: 'c1', time: '9000000000000000' },
    { cursor: 'c2', time: '9000000001000000' },
  ]);
  expect(calls()[0]).toContain('-n 1');
  expect(calls()[1]).toContain('--cursor=c2');
  expect(calls().at(-1)).toContain('--since=@9000000001');
  rmSync(folder, { recursive: true, force: true });
}, 30_000);
