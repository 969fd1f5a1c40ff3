import { describe, expect, test } from 'vitest';
import { readConfig } from './config.ts';

test('defaults to a demo on the embedded database, for this machine only', () => {
  expect(readConfig({})).toMatchObject({
    port: 8080,
    host: 'localhost',
    isDemo: true,
    roles: ['api', 'ingest', 'worker'],
    hasNamedRoles: false,
  });
});

test('runs no demo on a configured database unless PORTAL_DEMO is set', () => {
  expect(readConfig({ DATABASE_URL: 'postgres://x/y' })).toMatchObject({ isDemo: false, host: '0.0.0.0' });
  expect(readConfig({ DATABASE_URL: 'postgres://x/y', PORTAL_DEMO: '1' }).isDemo).toBe(true);
  expect(readConfig({ PORTAL_DEMO: '0' }).isDemo).toBe(false);
});

test('requires an address and a name for a language model; the key is optional', () => {
  expect(readConfig({}).proseModel).toBeUndefined();
  expect(readConfig({ MODEL_URL: 'http://localhost:11434/v1/', MODEL_NAME: 'm' }).proseModel).toEqual({
    url: 'http://localhost:11434/v1',
    name: 'm',
    apiKey: undefined,
  });
  expect(() => readConfig({ MODEL_URL: 'http://localhost:11434/v1' })).toThrow('MODEL_URL and MODEL_NAME go together.');
});

test('reports all errors at once', () => {
  const attempt = () => readConfig({ PORT: '99999', DATABASE_URL: 'mysql://x', PORTAL_ROLES: 'api,cook', SYSLOG: 'abc' });
  expect(attempt).toThrow(
    /PORT:[\s\S]*DATABASE_URL: must start with postgres[\s\S]*PORTAL_ROLES: each must be one of api, ingest, worker[\s\S]*SYSLOG: is a list of port=organisation/,
  );
});

test('refuses addresses that a password breaks, without printing it', () => {
  const urls = {
    DATABASE_URL: 'postgres://portal:hun#ter2@db/portal',
    APP_DATABASE_URL: 'postgres://app:hun/ter2@db/portal',
    SMTP_URL: 'smtps://portal:hun?ter2@mail.example.com',
  };
  for (const [name, url] of Object.entries(urls)) {
    const attempt = () => readConfig({ DATABASE_URL: 'postgres://x/y', [name]: url });
    expect(attempt).toThrow(`\n  ${name}: is not a valid address. Write #`);
    expect(attempt).not.toThrow(/ter2/);
  }
  expect(readConfig({ DATABASE_URL: 'postgres://portal:hun%23ter2@db/portal' }).databaseUrl).toContain('%23');
  expect(readConfig({ DATABASE_URL: 'postgresql:///portal?host=/run/postgresql' }).databaseUrl).toContain('host=');
});

test('reports settings that do not fit together beside invalid ones, and no pair of an invalid one', () => {
  const text = () =>
    readConfig({
      PORT: 'x',
      SSO_ISSUER: 'no address',
      SSO_CLIENT_ID: 'portal',
      S3_BUCKET: 'b',
      SYSLOG_TLS_CERT: 'c',
      SECRET_KEY_OLD: 'k'.repeat(32),
    });
  expect(text).toThrow(/^The environment has faults:\n {2}PORT: [^\n]+\n {2}SSO_ISSUER: /);
  expect(text).toThrow(
    /\n {2}SECRET_KEY_OLD is[\s\S]*\n {2}S3_ENDPOINT, [\s\S]*\n {2}SYSLOG_TLS_CERT and SYSLOG_TLS_KEY go together\.$/,
  );
  expect(text).not.toThrow(/SSO_ISSUER and/);
});

test('treats an empty variable as unset', () => {
  expect(readConfig({ DATABASE_URL: '', PORT: '' })).toMatchObject({ port: 8080, databaseUrl: undefined });
});

test('syslog ports and their organisations', () => {
  expect(readConfig({ SYSLOG: '6514=10,6515=11' }).syslog).toEqual([
    { port: 6514, organisationId: 10 },
    { port: 6515, organisationId: 11 },
  ]);
  expect(() => readConfig({ SYSLOG_TLS_CERT: 'a' })).toThrow(/go together/);
});

test('syslog over UDP: a port, or networks, of one organisation each', () => {
  const { syslog, syslogUdp } = readConfig({
    SYSLOG: '6514=10,udp:514=10,udp:515@192.0.2.0/24=11,udp:515@2001:db8::/32=12,udp:515@198.51.100.7=11',
  });
  expect(syslog).toEqual([{ port: 6514, organisationId: 10 }]);
  expect(syslogUdp).toEqual([
    { port: 514, senders: [{ organisationId: 10, network: undefined }] },
    {
      port: 515,
      senders: [
        { organisationId: 11, network: '192.0.2.0/24' },
        { organisationId: 12, network: '2001:db8::/32' },
        { organisationId: 11, network: '198.51.100.7' },
      ],
    },
  ]);
});

test.each([
  ['udp:514=10,udp:514=11', /UDP port 514 to more than one entry/],
  ['udp:514=10,udp:514@192.0.2.0/24=10', /UDP port 514 to more than one entry/],
  ['udp:514@192.0.2.0/24=10,udp:514@192.0.2.9=11', /192.0.2.0\/24 and 192.0.2.9, which overlap/],
  ['udp:514@192.0.2.9/32=10,udp:515@192.0.0.0/16=11', /overlap/],
  ['udp:514@192.0.2.0/33=10', /has no network/],
  ['udp:514@all=10', /has no network/],
  ['udp:70000=10', /is a list of/],
  ['514@192.0.2.0/24=10', /for UDP only/],
  ['udp:514@10.0.0.0/8/9=10', /has no network/],
  ['udp:514@10.0.0.0/024=10', /has no network/],
  ['udp:514@10.0.0.0/=10', /has no network/],
  ['udp:514@::ffff:10.0.0.0/104=10', /has no network/],
  ['udp:514@::ffff:a00:0/104=10', /has no network/],
  ['udp:514@fe80::1%eth0=10', /has no network/],
])('refuses SYSLOG %s', (text, message) => {
  expect(() => readConfig({ SYSLOG: text })).toThrow(message);
});

describe('a backup', () => {
  const key = { BACKUP_KEY: 'a backup key of the tests, long enough' };
  test.each([
    [{ BACKUP_DIR: '/backup' }, 'set either BACKUP_KEY or BACKUP_KEY_FILE'],
    [{ BACKUP_DIR: '/backup', ...key, BACKUP_KEY_FILE: '/key' }, 'set either BACKUP_KEY or BACKUP_KEY_FILE'],
    [{ BACKUP_DIR: '/data/backup', DATA_DIR: '/data', ...key }, 'BACKUP_DIR lies in DATA_DIR'],
    [{ BACKUP_DIR: '/backup', ...key, DATABASE_URL: 'postgres://portal@db/portal' }, 'is for the embedded database'],
    [{ BACKUP_S3_BUCKET: 'backup', ...key }, 'BACKUP_S3_SECRET_ACCESS_KEY go together'],
  ])('rejects %j', (environment, text) => {
    expect(() => readConfig(environment)).toThrow(text);
  });

  test('goes to a folder, and is off without one', () => {
    expect(readConfig({ BACKUP_DIR: '/backup', ...key }).backup).toMatchObject({ dir: '/backup', keep: 3, keepDays: 14 });
    expect(readConfig(key).backup).toBeUndefined();
  });
});
