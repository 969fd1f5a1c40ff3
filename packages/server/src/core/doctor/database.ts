/** Checks of PostgreSQL, in a transaction that cannot write: version, settings, roles, migrations, clock, master key and backups. */
import pg from 'pg';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { columnTypes } from '../db/connect.ts';
import { APP_ROLE, appUrl, compareMigrations, MINIMUM_VERSION } from '../db/migrate.ts';
import type { MasterKey } from '../keys/master.ts';
import { checkBackups } from './backups.ts';
import { type Finding, ok, problem, reasonOf, sizeOf, warning } from './report.ts';

export interface DatabaseChecks {
  ownerUrl: string;
  config: Config;
  /** Folder of the migrations of this version. */
  folder: string;
  clock: Clock;
  master: MasterKey | undefined;
}

/** The pool, jobs, bus and locks of one process. */
const connectionsOfProcess = 30;
const mib = 1024 ** 2;

/** Without user and password; undefined for an invalid address. */
const placeOf = (url: string): string | undefined => {
  const parsed = URL.parse(url);
  if (!parsed) return undefined;
  const { hostname, port, pathname, searchParams } = parsed;
  return `${searchParams.get('host') ?? (hostname || 'localhost')}${port ? `:${port}` : ''}${pathname}`;
};

async function open(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'portal doctor',
    connectionTimeoutMillis: 10_000,
    query_timeout: 15_000,
    types: columnTypes,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('set default_transaction_read_only = on');
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

export async function checkDatabase(checks: DatabaseChecks): Promise<Finding[]> {
  const { ownerUrl, config } = checks;
  const place = placeOf(ownerUrl);
  if (place === undefined)
    return [problem('Database', 'DATABASE_URL is not a valid address. Percent-encode the special characters of its password.')];
  let client: pg.Client;
  try {
    client = await open(ownerUrl);
  } catch (error) {
    const setting = config.databaseUrl ? 'DATABASE_URL' : 'the log of the portal';
    return [problem('Database', `${place} cannot be reached: ${reasonOf(error)}. Check ${setting}.`)];
  }
  try {
    const findings = [await checkVersion(client), await checkClock(client, checks.clock), ...(await checkSettings(client))];
    findings.push(...(await checkRoles(client, checks)));
    findings.push(...(await checkContent(client, checks)));
    return findings;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function checkVersion(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ number: string; name: string; bytes: number }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as name,
       pg_database_size(current_database()) as bytes`,
  );
  const { number = '0', name = '', bytes = 0 } = rows[0] ?? {};
  return Number(number) < MINIMUM_VERSION
    ? problem('Database', `PostgreSQL ${name}; 15 or later is needed. Upgrade it.`)
    : ok('Database', `PostgreSQL ${name}, ${sizeOf(bytes)}.`);
}

/** Offset between this machine and the database, less the time of the round trip. */
export async function checkClock(client: pg.Client, clock: Clock): Promise<Finding> {
  const before = clock.now();
  const { rows } = await client.query<{ at: Date }>('select clock_timestamp() as at');
  const after = clock.now();
  const offset = Math.max(0, Math.abs((rows[0]?.at.getTime() ?? 0) - (before + after) / 2) - (after - before) / 2) / 1000;
  const text = `this machine and the database differ by ${offset.toFixed(1)} s`;
  if (offset > 10) return problem('Clock', `${text}. Synchronise both with NTP; sign-in codes and times of events depend on it.`);
  if (offset > 1) return warning('Clock', `${text}. Synchronise both with NTP.`);
  return ok('Clock', `${text}.`);
}

async function checkSettings(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings where name in
      ('max_connections', 'superuser_reserved_connections', 'shared_buffers', 'TimeZone', 'fsync', 'full_page_writes',
       'synchronous_commit', 'server_encoding', 'jit')`,
  );
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
  const { rows: used } = await client.query<{ count: number }>(
    "select count(*) as count from pg_stat_activity where backend_type = 'client backend'",
  );
  return [
    connectionsOf(settings, Number(used[0]?.count ?? 0)),
    buffersOf(Number(settings.get('shared_buffers') ?? 0) * 8192),
    /^(Etc\/)?(UTC|UCT|GMT|Zulu)$/i.test(settings.get('TimeZone') ?? '')
      ? ok('timezone', `${settings.get('TimeZone')}.`)
      : warning('timezone', `${settings.get('TimeZone')}. Set timezone = 'UTC', in which the portal computes days.`),
    ...durabilityOf(settings),
    ...(settings.get('server_encoding') === 'UTF8'
      ? []
      : [problem('Encoding', `${settings.get('server_encoding')}. Create the database with encoding UTF8.`)]),
    ...(settings.get('jit') === 'off' || (await hasJitOff(client))
      ? []
      : [warning('jit', `on: queries with many relations take seconds. Run: alter role ${APP_ROLE} set jit = off;`)]),
  ];
}

async function hasJitOff(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query("select from pg_roles where rolname = $1 and 'jit=off' = any(rolconfig)", [APP_ROLE]);
  return rowCount !== 0;
}

function connectionsOf(settings: Map<string, string>, used: number): Finding {
  const reserved = Number(settings.get('superuser_reserved_connections') ?? 0);
  const usable = Number(settings.get('max_connections') ?? 0) - reserved;
  const text = `${usable} usable, ${used} in use; a process of the portal takes up to ${connectionsOfProcess}`;
  if (usable < connectionsOfProcess) return problem('max_connections', `${text}. Raise it.`);
  if (used > 0.85 * usable || usable < 2 * connectionsOfProcess) return warning('max_connections', `${text}. Raise it.`);
  return ok('max_connections', `${text}.`);
}

const buffersOf = (bytes: number): Finding =>
  bytes < 128 * mib
    ? warning('shared_buffers', `${sizeOf(bytes)}. Set at least 128 MiB, on a machine of its own a quarter of its memory.`)
    : ok('shared_buffers', `${sizeOf(bytes)}.`);

function durabilityOf(settings: Map<string, string>): Finding[] {
  const off = ['fsync', 'full_page_writes', 'synchronous_commit'].filter((name) => settings.get(name) === 'off');
  return off.length === 0
    ? [ok('Durability', 'fsync, full_page_writes and synchronous_commit are on.')]
    : [problem('Durability', `${off.join(', ')} off: a power cut loses acknowledged data. Set on.`)];
}

interface RoleRow {
  name: string;
  isSuper: boolean;
  bypasses: boolean;
  creates: boolean;
  isOwner: boolean;
  isMe: boolean;
}

async function checkRoles(client: pg.Client, { ownerUrl, config }: DatabaseChecks): Promise<Finding[]> {
  const { rows } = await client.query<RoleRow>(
    `select rolname as name, rolsuper as "isSuper", rolbypassrls as bypasses, rolcreaterole as creates, rolname = current_user as "isMe",
       pg_has_role(rolname, (select relowner from pg_class where oid = to_regclass('public.migrations')), 'usage') as "isOwner"
     from pg_roles where rolname in ($1, current_user)`,
    [APP_ROLE],
  );
  const me = rows.find(({ isMe }) => isMe);
  const app = rows.find(({ name }) => name === APP_ROLE);
  const findings: Finding[] = [];
  if (me?.isSuper && config.databaseUrl)
    findings.push(
      warning('Owner’s role', `${me.name} is a superuser, which migrations do not need. Give the database to a role without.`),
    );
  if (!app) {
    const text = `${APP_ROLE} does not exist`;
    findings.push(
      config.appDatabaseUrl
        ? problem('Application’s role', `${text}. Create it: docs/operating.md, APP_DATABASE_URL.`)
        : ok('Application’s role', `${text} yet; the first start creates it.`),
    );
    return findings;
  }
  findings.push(mightOf(app));
  try {
    const url = config.appDatabaseUrl ?? appUrl(ownerUrl);
    await (await open(url)).end();
  } catch (error) {
    findings.push(
      problem('Application’s role', `${APP_ROLE} cannot connect: ${reasonOf(error)}. Check its password and pg_hba.conf.`),
    );
  }
  return findings;
}

function mightOf({ isSuper, bypasses, creates, isOwner, isMe }: RoleRow): Finding {
  const faults = [
    isSuper && 'is a superuser',
    bypasses && 'bypasses row-level security',
    creates && 'may create roles',
    isMe && 'is the owner’s role itself',
    isOwner && !isSuper && 'belongs to the owner of the tables',
  ].filter((fault) => typeof fault === 'string');
  if (faults.length === 0) return ok('Application’s role', `${APP_ROLE} owns nothing and is bound by row-level security.`);
  return problem(
    'Application’s role',
    `${APP_ROLE} ${faults.join(', ')}: tenants are not isolated. Run: alter role ${APP_ROLE} nosuperuser nobypassrls nocreaterole; and revoke its memberships.`,
  );
}

/** Checks of the tables; an empty database has none. */
async function checkContent(client: pg.Client, checks: DatabaseChecks): Promise<Finding[]> {
  const { rows } = await client.query<{ has: boolean }>("select to_regclass('public.migrations') is not null as has");
  if (!rows[0]?.has) return [ok('Migrations', 'none; the first start creates the tables.')];
  const { applied, pending, edited, unknown } = await compareMigrations(client, checks.folder);
  const findings: Finding[] = [];
  if (edited.length > 0)
    findings.push(problem('Migrations', `${edited.join(', ')} differ from those applied. Install the version as released.`));
  if (unknown.length > 0)
    findings.push(
      problem('Migrations', `the database is ahead of this version (${unknown.join(', ')}). Start the newer version.`),
    );
  if (pending.length > 0)
    findings.push(warning('Migrations', `${pending.join(', ')} pending; the next start applies them. Back up before.`));
  // Their checks name columns of this version.
  if (findings.length > 0) return findings;
  findings.push(ok('Migrations', `${applied} applied, none pending.`));
  findings.push(...(await checkMaster(client, checks)));
  findings.push(...(await checkBackups(client, checks)));
  return findings;
}

/** The name of the master key against the one that wraps the newest data key. */
async function checkMaster(client: pg.Client, { config, master }: DatabaseChecks): Promise<Finding[]> {
  const { rows } = await client.query<{ master: string; kinds: number }>(
    `select (select master from data_keys where organisation_id is null order by id desc limit 1) as master,
       (select count(distinct master) from data_keys) as kinds`,
  );
  const inUse = rows[0]?.master;
  if (!inUse || !master) return [];
  if (master.id === inUse)
    return (rows[0]?.kinds ?? 0) > 1
      ? [warning('Data keys', 'some are wrapped by another master key. Run npm run rotate-keys with both keys.')]
      : [ok('Data keys', `wrapped by the master key ${inUse}.`)];
  if (config.formerMasterKey) return [warning('Data keys', `wrapped by the master key ${inUse}; the next start rewraps them.`)];
  return [problem('Data keys', `wrapped by the master key ${inUse}, not by the configured one ${master.id}. Set the right one.`)];
}
