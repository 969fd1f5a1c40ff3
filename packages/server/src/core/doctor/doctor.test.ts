import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAs, type TestDatabase, testDatabase } from '../../../test/database.ts';
import { keysOf, secretKey } from '../../../test/keys.ts';
import { movableClock, systemClock } from '../clock.ts';
import { readConfig } from '../config.ts';
import { masterKeyOf } from '../keys/master.ts';
import { checkBackups } from './backups.ts';
import { checkClock, checkDatabase } from './database.ts';
import { checkKeys, spaceOf } from './files.ts';
import { checkNetwork } from './network.ts';
import { linesOf, ok, problem, warning } from './report.ts';
import { checkVersions } from './settings.ts';
import { checkCertificate, expiryOf } from './tls.ts';

const folder = fileURLToPath(new URL('../../migrations', import.meta.url));
let d: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  d = await testDatabase();
  await keysOf(d.db);
  client = new pg.Client({ connectionString: d.ownerUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await d.close();
});

const gib = 1024 ** 3;

test('grades free space by share and by size', () => {
  const levels = [
    spaceOf('x', 500 * gib, 1000 * gib),
    spaceOf('x', 140 * gib, 1000 * gib),
    spaceOf('x', 40 * gib, 1000 * gib),
    spaceOf('x', 4 * gib, 8 * gib),
    spaceOf('x', 0.5 * gib, 1 * gib),
  ].map(({ level }) => level);
  expect(levels).toEqual(['ok', 'warning', 'problem', 'warning', 'problem']);
});

test('grades certificates by the days that are left', () => {
  const [from, to] = [new Date('2026-01-01'), new Date('2026-12-01')];
  const at = (day: string) => expiryOf('x', from, to, Date.parse(day));
  expect(['2025-12-31', '2026-06-01', '2026-11-10', '2026-11-26', '2026-12-02'].map((day) => at(day).level)).toEqual([
    'problem',
    'ok',
    'warning',
    'problem',
    'problem',
  ]);
  expect(at('2026-11-26').text).toBe('expires on 2026-12-01, in 5 days. Renew it now.');
});

test('finds a clock that differs from the database’s', async () => {
  const off = async (ms: number) => (await checkClock(client, movableClock(systemClock.now() + ms))).level;
  expect([await off(0), await off(3_000), await off(-90_000)]).toEqual(['ok', 'warning', 'problem']);
});

test('finds another master key, pending migrations and a wrong password', async () => {
  const config = readConfig({ DATABASE_URL: d.ownerUrl, SECRET_KEY: secretKey });
  const problems = async (master: string) =>
    (await checkDatabase({ ownerUrl: d.ownerUrl, config, folder, clock: systemClock, master: masterKeyOf(master) }))
      .filter(({ level, check }) => level !== 'ok' && check !== 'Durability' && check !== 'Owner’s role' && check !== 'Backup')
      .map(({ level, check, text }) => `${level} ${check}: ${text}`);
  expect(await problems(secretKey)).toEqual([]);
  expect(await problems('another key, which is as long as it must be')).toEqual([
    expect.stringMatching(/^problem Data keys: wrapped by the master key [0-9a-f]{16}, not by the configured one/),
  ]);
  await runAs(
    d.ownerUrl,
    "delete from migrations where name > '0087'",
    "insert into migrations values ('9999_later.sql', '', now(), 1)",
  );
  const [ahead, pending] = await problems(secretKey);
  expect(ahead).toContain('problem Migrations: the database is ahead of this version (9999_later.sql)');
  expect(pending).toMatch(/^warning Migrations: 0087_attempts\.sql, .* pending; the next start applies them/);
  const url = new URL(d.ownerUrl);
  url.password = 'wrong';
  const [away] = await checkDatabase({ ownerUrl: url.href, config, folder, clock: systemClock, master: undefined });
  expect(away?.level).toBe('problem');
  expect(away?.text).toMatch(/cannot be reached: password authentication failed/);
});

test('reports an invalid address without printing its password', async () => {
  const ownerUrl = 'postgres://portal:hun#ter2@db/portal';
  const config = { ...readConfig({ DATABASE_URL: d.ownerUrl }), smtpUrl: 'smtp://portal:hun/ter2@127.0.0.1' };
  const findings = [
    ...(await checkDatabase({ ownerUrl, config, folder, clock: systemClock, master: undefined })),
    ...(await checkNetwork(config, systemClock.now())),
  ];
  expect(findings.map(({ level, check }) => `${level} ${check}`)).toEqual(['problem Database', 'problem SMTP_URL']);
  expect(JSON.stringify(findings)).not.toMatch(/hun|ter2/);
});

test('accepts a local mail relay without STARTTLS, and warns of one elsewhere', async () => {
  const relay = createServer((socket) => {
    socket.on('error', () => {}).write('220 relay ESMTP\r\n');
    socket.on('data', () => socket.write('250-relay\r\n250 SIZE 1000\r\n'));
  });
  await new Promise<void>((resolve) => relay.listen(0, resolve));
  const { port } = relay.address() as AddressInfo;
  const levelOf = async (host: string) => (await checkCertificate('x', { host, port, isStartTls: true }, 0)).level;
  expect(await levelOf('localhost')).toBe('ok');
  // An address of this machine that is not known as local.
  expect(await levelOf('0.0.0.0')).toBe('warning');
  await new Promise((resolve) => relay.close(resolve));
});

test('grades the age of base backup and trial restore', async () => {
  const config = readConfig({ BACKUP_DIR: '/mnt/backup', BACKUP_KEY: 'k'.repeat(32), PORTAL_DEMO: '0' });
  const findings = async () =>
    (await checkBackups(client, { config, clock: systemClock })).map(({ level, text }) => `${level} ${text}`);
  expect(await findings()).toEqual(['problem no base backup yet. Start the portal, or run npm run backup.']);
  const run = (kind: string, hours: number, error = '') =>
    `insert into backup_runs (kind, started_at, ended_at, error) values ('${kind}', now(), now() - interval '${hours} hours', '${error}')`;
  await runAs(d.ownerUrl, run('base', 60), run('verification', 480));
  expect(await findings()).toEqual([
    'problem last base backup 3 days ago. Look into the log of the worker.',
    'warning last one 20 days ago; one a week is due.',
  ]);
  await runAs(
    d.ownerUrl,
    run('base', 3),
    run('verification', 1, 'page 7 is broken.'),
    "update backup_state set archived_until = now() - interval '2 hours', error = 'the disk is full.'",
  );
  expect(await findings()).toEqual([
    'problem the last attempt failed: the disk is full. docs/runbook.md has what to do.',
    'ok last base backup 3 hours ago.',
    'problem the last one failed: page 7 is broken. Take a new base backup: npm run backup.',
    'warning last one 20 days ago; one a week is due.',
    'warning reaches to 2 hours ago. Is a process with the role worker running?',
  ]);
});

test('warns of a key file that others can read, and of an old Node', async () => {
  const place = await mkdtemp(join(tmpdir(), 'parapet-doctor-'));
  const file = join(place, 'key');
  await writeFile(file, 'k'.repeat(40), { mode: 0o644 });
  const { master, findings } = await checkKeys(readConfig({ SECRET_KEY_FILE: file }));
  await rm(place, { recursive: true });
  expect(master?.id).toBe(masterKeyOf('k'.repeat(40)).id);
  expect(findings).toEqual([expect.objectContaining({ level: 'warning', text: expect.stringContaining(`chmod 600 ${file}`) })]);
  expect([checkVersions('22.1.0').level, checkVersions('24.1.0').level]).toEqual(['problem', 'ok']);
});

test('prints one line per finding, whatever a server answered', () => {
  expect(linesOf([ok('A', 'fine.'), warning('B', 'odd\nok C: forged\u001b[2J'), problem('C', 'x'.repeat(5_000))])).toEqual([
    'ok       A: fine.',
    'warning  B: odd ok C: forged [2J',
    expect.stringMatching(/^problem {2}C: x{997}$/),
    '3 checks: 1 ok, 1 warning, 1 problem.',
  ]);
});
