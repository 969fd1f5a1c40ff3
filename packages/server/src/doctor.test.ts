import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../test/command.ts';
import { runAs, type TestDatabase, testDatabase } from '../test/database.ts';
import { keysOf, secretKey } from '../test/keys.ts';

const certificates = fileURLToPath(new URL('../test/certificates/', import.meta.url));
const identity = { cert: readFileSync(`${certificates}server.crt`), key: readFileSync(`${certificates}server.key`) };

let d: TestDatabase;
let folder: string;
let isDurable: boolean;
let https: Server;
let mail: SMTPServer;
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  d = await testDatabase();
  await keysOf(d.db);
  folder = await mkdtemp(join(tmpdir(), 'parapet-doctor-'));
  const [fsync] = await runAs(d.ownerUrl, 'show fsync');
  isDurable = fsync?.rows[0].fsync === 'on';
  https = createServer(identity, (socket) => socket.end());
  await new Promise<void>((resolve) => https.listen(0, '127.0.0.1', resolve));
  mail = new SMTPServer({ ...identity, logger: false, disabledCommands: ['AUTH'] });
  await new Promise<void>((resolve) => void mail.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  https.close();
  await new Promise<void>((resolve) => mail.close(resolve));
  await rm(folder, { recursive: true, force: true });
  await d.close();
});

async function doctor(
  env: Record<string, string>,
): Promise<{ code: number | null; lines: string[]; problems: string[]; errors: string }> {
  const { code, out, errors } = await runCommand('doctor.ts', [], { DATA_DIR: folder, PORT: '1', ...env });
  const lines = out.trim().split('\n').slice(1);
  // The database of the tests gives up durability for speed; the disk is that of the machine.
  const isOfMachine = (line: string) =>
    line.includes('DATA_DIR') || (!isDurable && line.startsWith('problem  Durability: fsync'));
  return { code, lines, problems: lines.filter((line) => /^problem/.test(line) && !isOfMachine(line)), errors };
}

const slow = { timeout: 60_000 };

test('reports a sound installation without a problem, a line for each check', slow, async () => {
  const { lines, problems, errors } = await doctor({
    DATABASE_URL: d.ownerUrl,
    SECRET_KEY: secretKey,
    PUBLIC_URL: `https://localhost:${portOf(https)}`,
    SMTP_URL: `smtp://localhost:${portOf(mail.server)}`,
    SYSLOG_TLS_CERT: `${certificates}server.crt`,
    SYSLOG_TLS_KEY: `${certificates}server.key`,
    SYSLOG_TLS_CA: `${certificates}ca.crt`,
    NODE_EXTRA_CA_CERTS: `${certificates}ca.crt`,
  });
  expect([problems, errors]).toEqual([[], '']);
  for (const wanted of [
    /^ok {7}Settings: valid, /,
    /^ok {7}Portal: none answers on port 1\./,
    /^ok {7}Database: PostgreSQL 1\d/,
    /^ok {7}Clock: this machine and the database differ by 0\.\d s\./,
    /^ok {7}Application’s role: parapet_app owns nothing/,
    /^ok {7}Migrations: \d+ applied, none pending\./,
    /^ok {7}Data keys: wrapped by the master key [0-9a-f]{16}\./,
    /^ok {7}DNS of SMTP_URL: localhost is (127\.0\.0\.1|::1)\./,
    /^ok {7}Certificate of PUBLIC_URL: the certificate of localhost:\d+ is valid until 2126-10-28\./,
    /^ok {7}Certificate of SMTP_URL: the certificate of localhost:\d+ is valid until/,
    /^ok {7}SYSLOG_TLS_CERT .*server\.crt: valid until 2126-10-28\./,
    /^\d+ checks: \d+ ok, \d+ warnings?, \d+ problems?\.$/,
  ])
    expect(lines.filter((line) => wanted.test(line))).toHaveLength(1);
});

test('names every planted fault and ends with 1, without a password in its lines', slow, async () => {
  const keyFile = join(folder, 'short.key');
  await writeFile(keyFile, 'short');
  await runAs(d.ownerUrl, "update migrations set checksum = 'x' where name like '0001%'");
  const { code, lines, problems } = await doctor({
    DATABASE_URL: d.ownerUrl,
    SECRET_KEY_FILE: keyFile,
    PUBLIC_URL: 'https://portal.invalid',
    SMTP_URL: `smtps://user:s3cret-word@localhost:${portOf(https)}`,
    SYSLOG_TLS_CERT: `${certificates}server.crt`,
    SYSLOG_TLS_KEY: `${certificates}client.key`,
    S3_ENDPOINT: 'http://127.0.0.1:1',
    S3_BUCKET: 'files',
    S3_ACCESS_KEY_ID: 'a',
    S3_SECRET_ACCESS_KEY: 's3cret-word',
    RULES_DIR: join(folder, 'none'),
    SMTP_ULR: 'x',
  });
  expect(code).toBe(1);
  for (const wanted of [
    /SECRET_KEY: SECRET_KEY_FILE: the key from .*short\.key has 5 characters/,
    /Migrations: 0001_organisations\.sql differ from those applied/,
    /DNS of PUBLIC_URL: portal\.invalid cannot be resolved/,
    /Certificate of SMTP_URL: the certificate of localhost:\d+ is not trusted/,
    /SYSLOG_TLS_CERT .*: SYSLOG_TLS_KEY .*client\.key does not belong to it/,
    /Bucket files \(S3_…\): File storage is unavailable/,
    /RULES_DIR .*: is not a folder/,
  ])
    expect(problems.filter((line) => wanted.test(line))).toHaveLength(1);
  expect(lines).toContain('warning  Settings: SMTP_ULR is not a setting and has no effect. SMTP_URL may be meant.');
  expect(lines.join('\n')).not.toContain('s3cret-word');
});

test('reports all invalid settings at once, and a database that cannot be reached', slow, async () => {
  const invalid = await doctor({ PORT: 'x', LOG_LEVEL: 'loud', SSO_ISSUER: 'https://login.example' });
  expect(invalid.code).toBe(1);
  expect(invalid.problems.map((line) => line.slice(0, 35))).toEqual([
    expect.stringMatching(/Settings: PORT: /),
    expect.stringMatching(/Settings: LOG_LEVEL: /),
    expect.stringMatching(/Settings: SSO_ISSUER and/),
  ]);
  const away = await doctor({ DATABASE_URL: 'postgres://owner:s3cret-word@127.0.0.1:1/portal', SECRET_KEY: secretKey });
  expect(away.problems).toEqual([
    'problem  Database: 127.0.0.1:1/portal cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Check DATABASE_URL.',
  ]);
});

test('leaves the embedded database of a portal that does not run alone', slow, async () => {
  const { problems, lines } = await doctor({ SECRET_KEY: secretKey, PORTAL_DEMO: '0' });
  expect(problems).toEqual([]);
  expect(lines).toContain(
    `warning  Database: the portal is not running on ${folder}, so the embedded database was not checked. Start it and repeat.`,
  );
});
