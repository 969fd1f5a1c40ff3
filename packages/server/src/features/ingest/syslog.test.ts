/** Syslog over real sockets: both formats, both framings, TLS with and without a client certificate. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseWith, type TestApp, testApp } from '../../../test/app.ts';
import { eventRows } from '../../../test/storedEvents.ts';
import { scoped } from '../../core/db/scope.ts';

const certificate = (name: string) => fileURLToPath(new URL(`../../../test/certificates/${name}`, import.meta.url));
let plain: TestApp;
let secured: TestApp;

beforeAll(async () => {
  plain = await testApp({ SYSLOG: '0=2001', SYSLOG_HOST: '127.0.0.1' }, await databaseWith(2001));
  await plain.organisation({ id: 2001 });
  const settings = {
    SYSLOG: '0=2002',
    SYSLOG_HOST: '127.0.0.1',
    SYSLOG_TLS_CERT: certificate('server.crt'),
    SYSLOG_TLS_KEY: certificate('server.key'),
    SYSLOG_TLS_CA: certificate('ca.crt'),
  };
  secured = await testApp(settings, await databaseWith(2002));
  await secured.organisation({ id: 2002 });
});
afterAll(async () => {
  await plain.close();
  await secured.close();
});

const portOf = (t: TestApp) => t.application.syslogPorts[0] as number;
const rows = async (t: TestApp) =>
  (await scoped(t.db, 'system', (tx) => eventRows(tx))).sort((a, b) => (a.text < b.text ? -1 : 1));
const sendTo = (t: TestApp, ...chunks: (string | Buffer)[]) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect(portOf(t), '127.0.0.1', () => {
      for (const chunk of chunks) socket.write(chunk);
      socket.end(resolve);
    });
    socket.on('error', reject);
  });

test('stores RFC 3164 and 5424 messages of either framing, split anywhere, with their device', async () => {
  const modern = `<85>1 ${new Date().toISOString()} web02 sudo 4321 - [meta@1 key="v"] mallory : user NOT in sudoers ; TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/sh`;
  const old = `<38>${new Date().toUTCString().slice(8, 11)} ${String(new Date().getUTCDate()).padStart(2)} ${new Date().toISOString().slice(11, 19)} web01 sshd[99]: Failed password for root from 203.0.113.5 port 4242 ssh2`;
  const framed = Buffer.from(`${Buffer.byteLength(modern)} ${modern}`);
  await sendTo(plain, `${old}\n`, framed.subarray(0, 20), framed.subarray(20), 'no header at all\n');
  await expect.poll(async () => (await rows(plain)).length, { timeout: 10_000 }).toBe(3);
  const stored = await rows(plain);
  expect(stored.map((row) => row.device_name)).toEqual(expect.arrayContaining(['web01', 'web02']));
  expect(stored.every((row) => row.shape === 'syslog')).toBe(true);
  const alerts = await scoped(plain.db, 'system', (tx) => tx.selectFrom('alerts').select(['device_name']).execute());
  expect(alerts.map((alert) => alert.device_name)).toContain('web02');
});

test('stores two equal lines as two events', async () => {
  const before = (await rows(plain)).length;
  await sendTo(plain, 'the same line\nthe same line\n');
  await expect.poll(async () => (await rows(plain)).length, { timeout: 10_000 }).toBe(before + 2);
});

test('skips an endless line and continues behind it', async () => {
  await sendTo(plain, Buffer.alloc(300 * 1024, 120), '\nafter the endless line\n');
  await expect
    .poll(async () => (await rows(plain)).some((row) => row.text.includes('after the endless line')), { timeout: 10_000 })
    .toBe(true);
});

test('accepts TLS senders with a certificate of the authority only', async () => {
  const options = { port: portOf(secured), host: '127.0.0.1', ca: readFileSync(certificate('ca.crt')) };
  const send = (socket: Socket, text: string) =>
    new Promise<void>((resolve) => {
      socket.on('error', () => resolve());
      socket.on('close', () => resolve());
      socket.write(text);
      socket.end();
    });
  await send(
    connectTls({ ...options, cert: readFileSync(certificate('client.crt')), key: readFileSync(certificate('client.key')) }),
    'with a certificate\n',
  );
  await send(connectTls(options), 'without a certificate\n');
  await expect
    .poll(async () => (await rows(secured)).map((row) => row.text), { timeout: 10_000 })
    .toEqual([expect.stringContaining('with a certificate')]);
});

test('stores lines already read before the portal stops', async () => {
  const stopping = await testApp({ SYSLOG: '0=2003', SYSLOG_HOST: '127.0.0.1' }, await databaseWith(2003));
  await stopping.organisation({ id: 2003 });
  let accepted: Socket | undefined;
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    if (socket.localPort === portOf(stopping)) accepted = socket;
  };
  subscribe('net.server.socket', onSocket);
  const socket = connect(portOf(stopping), '127.0.0.1', () => socket.write('the last line\n'));
  socket.on('error', () => undefined);
  await expect.poll(() => accepted?.bytesRead ?? 0, { interval: 5 }).toBeGreaterThan(0);
  unsubscribe('net.server.socket', onSocket);
  await stopping.application.close();
  expect((await rows(stopping)).map((row) => row.text)).toEqual([expect.stringContaining('the last line')]);
  socket.destroy();
  await stopping.close();
});
