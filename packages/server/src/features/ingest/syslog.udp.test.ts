/** Syslog over UDP from real senders: sockets, logger and rsyslog. */
import { execFile, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseWith, type TestApp, testApp } from '../../../test/app.ts';
import { eventRows } from '../../../test/storedEvents.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import type { Arrival } from '../../pipeline/event.ts';
import type { IngestService } from './ingest.service.ts';
import { dropsOf, listenForSyslogUdp, type SyslogUdpDeps } from './syslog.udp.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp({ SYSLOG: 'udp:0=2101', SYSLOG_HOST: '127.0.0.1' }, await databaseWith(2101));
  await t.organisation({ id: 2101 });
});
afterAll(() => t.close());

const portOf = () => t.application.syslogUdpPorts[0] as number;
const rows = () => scoped(t.db, 'system', async (tx) => (await eventRows(tx)).toSorted((a, b) => (a.text < b.text ? -1 : 1)));

async function send(port: number, messages: (string | Buffer)[], address = '127.0.0.1'): Promise<void> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, address, resolve));
  for (const message of messages)
    await new Promise((resolve, reject) =>
      socket.send(message, port, '127.0.0.1', (error) => (error ? reject(error) : resolve(undefined))),
    );
  await new Promise<void>((resolve) => socket.close(resolve));
}

test('stores RFC 3164 and 5424 datagrams with their device, which is the sender where none is named', async () => {
  const at = new Date().toISOString();
  const sudo = `<85>1 ${at} web02 sudo 4321 - - mallory : user NOT in sudoers ; TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/sh`;
  await send(portOf(), [
    sudo,
    `<38>${at} web01 sshd[9]: Failed password for root from 203.0.113.5 port 4242 ssh2\n`,
    '<134>a firewall without a name',
    'the same line',
    'the same line',
    '',
    Buffer.from([0x3c, 0x31, 0x3e, 0xff, 0, 0x61]),
  ]);
  await expect.poll(async () => (await rows()).length, { timeout: 10_000 }).toBe(6);
  const stored = await rows();
  expect(stored.every((row) => row.shape === 'syslog' && row.organisation_id === 2101)).toBe(true);
  expect(stored.map((row) => row.device_name).toSorted()).toEqual([...Array(4).fill('127.0.0.1'), 'web01', 'web02']);
  const alerts = await scoped(t.db, 'system', (tx) => tx.selectFrom('alerts').select('device_name').execute());
  expect(alerts.map((alert) => alert.device_name)).toContain('web02');
});

test.runIf(existsSync('/usr/bin/logger'))('stores what logger sends in both formats', async () => {
  const run = promisify(execFile);
  const target = ['-d', '-n', '127.0.0.1', '-P', String(portOf()), '-t', 'udptest'];
  await run('/usr/bin/logger', [...target, '--rfc3164', 'logger in the old format']);
  await run('/usr/bin/logger', [...target, '--rfc5424', 'logger in the new format']);
  const found = async () => (await rows()).filter((row) => row.text.includes('logger in the'));
  await expect.poll(async () => (await found()).length, { timeout: 10_000 }).toBe(2);
  for (const { document } of await found()) expect(document).toMatchObject({ process: { name: 'udptest' } });
});

test.runIf(existsSync('/usr/sbin/rsyslogd'))('stores what rsyslog forwards', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parapet-rsyslog-udp-'));
  const file = join(folder, 'lines.log');
  const configuration = `
global(workDirectory="${folder}")
module(load="imfile" pollingInterval="1")
input(type="imfile" file="${file}" tag="forwarded" ruleset="out")
ruleset(name="out") { action(type="omfwd" target="127.0.0.1" port="${portOf()}" protocol="udp" template="RSYSLOG_SyslogProtocol23Format") }
`;
  await writeFile(join(folder, 'rsyslog.conf'), configuration);
  await writeFile(file, 'rsyslog line one\nrsyslog line two\n');
  const child = spawn('/usr/sbin/rsyslogd', ['-n', '-f', join(folder, 'rsyslog.conf'), '-i', join(folder, 'pid')]);
  try {
    const found = async () => (await rows()).map((row) => row.text).filter((text) => text.includes('rsyslog line'));
    await expect.poll(found, { timeout: 20_000 }).toEqual(['forwarded: rsyslog line one', 'forwarded: rsyslog line two']);
  } finally {
    child.kill('SIGTERM');
    await new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve(undefined)));
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  }
});

/** A listener whose store is this test’s. */
async function listen(
  more: Partial<SyslogUdpDeps> = {},
  take: (organisationId: number, batch: readonly Arrival[]) => Promise<[]> = async () => [],
) {
  const taken: [organisationId: number, message: unknown][] = [];
  const counts: Record<string, number> = {};
  const count = (reason: string, number: number) => {
    counts[reason] = (counts[reason] ?? 0) + number;
  };
  const ingest = {
    inTurn: (work: () => Promise<unknown>) => work(),
    async take(organisationId: number, batch: readonly Arrival[]) {
      await take(organisationId, batch);
      for (const { raw } of batch) taken.push([organisationId, (raw as { message: unknown }).message]);
      return [];
    },
    async drop(_organisationId: number, dropped: ReadonlyMap<string, number>) {
      for (const [reason, number] of dropped) count(reason, number);
    },
  } as unknown as IngestService;
  const listener = await listenForSyslogUdp({
    port: 0,
    senders: [{ id: 1, organisationId: 1, networks: [] }],
    hooks: { stored: () => {}, unknown: () => {}, lost: () => {} },
    ingest,
    clock: systemClock,
    host: '127.0.0.1',
    isTakingIn: async () => true,
    counted: count,
    log: silentLog,
    ...more,
  });
  return { listener, port: listener.port, taken, counts };
}

test('stores a firewall’s connection under the name inside its message, and under its address without one', async () => {
  const line = (name: string) =>
    `<189>date=${new Date().toISOString().slice(0, 10)} ${name}logid="0000000013" type="traffic" subtype="forward" srcip=10.0.0.1 srcport=50211 dstip=203.0.113.66 dstport=443 proto=6 action="deny"`;
  await send(portOf(), [line('devname="FGT-1" '), line('')]);
  const found = async () => (await rows()).filter(({ document }) => JSON.stringify(document).includes('203.0.113.66'));
  await expect.poll(async () => (await found()).length, { timeout: 10_000 }).toBe(2);
  expect((await found()).map((row) => row.device_name).toSorted()).toEqual(['127.0.0.1', 'FGT-1']);
  expect((await found())[0]?.document).toMatchObject({ source: { ip: '10.0.0.1' }, destination: { port: 443 } });
});

test('tells organisations apart by their networks, and counts an unknown sender without storing it', async () => {
  const { listener, port, taken, counts } = await listen({
    senders: [
      { id: 1, organisationId: 1, networks: ['127.0.0.0/30'] },
      { id: 2, organisationId: 2, networks: ['127.0.0.9'] },
    ],
  });
  await send(port, ['one'], '127.0.0.1');
  await send(port, ['two'], '127.0.0.9');
  await send(port, ['three', 'four'], '127.0.0.8');
  await expect
    .poll(() => taken.toSorted())
    .toEqual([
      [1, 'one'],
      [2, 'two'],
    ]);
  await expect.poll(() => counts).toEqual({ 'unknown-sender': 2 });
  await listener.close();
});

test('keeps lines while the database is away, up to a limit, and counts the rest', async () => {
  let isAway = true;
  let attempts = 0;
  let received = 0;
  const clock = {
    ...systemClock,
    now: () => {
      received++;
      return Date.now();
    },
  };
  const { listener, port, taken, counts } = await listen({ maxWaiting: 6_000, clock }, async () => {
    attempts++;
    if (isAway) throw new Error('away');
    return [];
  });
  await send(
    port,
    Array.from({ length: 30 }, (_, i) => `${i}`.padStart(100, 'x')),
  );
  await expect.poll(() => [received, attempts > 0], { timeout: 5_000 }).toEqual([30, true]);
  expect(taken).toEqual([]);
  isAway = false;
  await expect.poll(() => [taken.length, counts], { timeout: 5_000 }).toEqual([10, { 'udp-overload': 20 }]);
  await listener.close();
});

test('counts the kernel’s drops while the process did not read', async () => {
  const { listener, port, taken, counts } = await listen({
    lossIntervalMs: 50,
  });
  const sender =
    "const s = require('dgram').createSocket('udp4'); const [port, count] = process.argv.slice(1).map(Number); let n = 0; const next = () => n++ < count ? s.send(Buffer.alloc(60000, 120), port, '127.0.0.1', next) : s.close(); next();";
  const sent = 1_000;
  const child = spawn(process.execPath, ['-e', sender, String(port), String(sent)]);
  const gone = new Promise((resolve) => child.once('exit', resolve));
  // A blocked process reads nothing: 60 MB exceed any buffer of the kernel.
  const until = performance.now() + 3_000;
  while (performance.now() < until);
  await gone;
  await expect
    .poll(() => taken.length + (counts['udp-lost'] ?? 0) + (counts['udp-overload'] ?? 0), { timeout: 10_000 })
    .toBe(sent);
  expect(counts['udp-lost']).toBeGreaterThan(0);
  await listener.close();
});

test('reads the kernel’s table', () => {
  const table = `   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
  521: 0100007F:0202 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4711 2 0000000000000000 12
  522: 00000000:0203 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4712 2 0000000000000000 0
broken
`;
  expect([...dropsOf(table)]).toEqual([
    [514, 12],
    [515, 0],
  ]);
});
