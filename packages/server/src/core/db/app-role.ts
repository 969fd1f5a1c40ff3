/**
 * The role that the application connects as: it owns nothing, makes nothing and cannot pass row-level security. Its password is
 * derived from the owner's, so every process can compute it and none stores it.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** The migrations grant to it by this name. */
export const APP_ROLE = 'parapet_app';

/** Undefined where the owner has none (trust): a derived one would be public. */
function appPassword(ownerUrl: string): string | undefined {
  const { password } = new URL(ownerUrl);
  if (password === '') return undefined;
  return createHmac('sha256', decodeURIComponent(password)).update(APP_ROLE).digest('base64url');
}

/** The application's URL on the same database as the owner's. */
export function appUrl(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  // `postgres:///database?host=/folder` is valid, but a URL without a host takes no user.
  if (url.hostname === '') url.hostname = 'localhost';
  url.username = APP_ROLE;
  url.password = appPassword(ownerUrl) ?? '';
  return url.href;
}

/** A SCRAM-SHA-256 verifier (RFC 5803 as PostgreSQL writes it), so that the password stays out of the server's statement log. */
export function scramVerifier(password: string, salt = randomBytes(16), iterations = 4096): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`;
}

const byHand = `An administrator of the database can make it:
  create role ${APP_ROLE} login nosuperuser nobypassrls nocreatedb nocreaterole password '…';
Then start the portal with APP_DATABASE_URL=postgres://${APP_ROLE}:…@host:port/database beside DATABASE_URL.`;

const codeOf = (error: unknown) => (error as { code?: string }).code ?? '';
const clauseOf = (password: string | undefined) => (password === undefined ? '' : ` password '${scramVerifier(password)}'`);

/**
 * Makes the role (several servers' processes may try at once), gives it its password and entry to the schema. With `givenUrl`
 * it only checks. Throws what an administrator has to do.
 */
export async function ensureAppRole(owner: pg.Client, ownerUrl: string, givenUrl: string | undefined): Promise<void> {
  if (givenUrl && decodeURIComponent(new URL(givenUrl).username) !== APP_ROLE) {
    throw new Error(`APP_DATABASE_URL must connect as ${APP_ROLE}, to which the portal's tables are granted. ${byHand}`);
  }
  const password = appPassword(ownerUrl);
  if (!(await hasRole(owner))) {
    if (givenUrl) throw new Error(`The role ${APP_ROLE} is missing. ${byHand}`);
    await createRole(owner, password);
  }
  await refuseMightyRole(owner);
  await grantEntry(owner);
  await turnJitOff(owner);
  if (givenUrl) await proveEntry(givenUrl, 'APP_DATABASE_URL');
  else await setPasswordUnlessItFits(owner, ownerUrl, password);
}

async function hasRole(owner: pg.Client): Promise<boolean> {
  return (await owner.query('select from pg_roles where rolname = $1', [APP_ROLE])).rowCount === 1;
}

async function createRole(owner: pg.Client, password: string | undefined): Promise<void> {
  const create = `create role ${APP_ROLE} login nosuperuser nobypassrls nocreatedb nocreaterole${clauseOf(password)}`;
  try {
    await owner.query(create);
  } catch (error) {
    // Another process, perhaps on another database of this server, made it just now.
    if (['42710', '23505'].includes(codeOf(error))) return;
    if (codeOf(error) === '42501')
      throw new Error(`The owner's role may not make the application's role ${APP_ROLE}. ${byHand}`, { cause: error });
    throw error;
  }
}

async function refuseMightyRole(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query<{ super: boolean; passes: boolean; makes: boolean; owner: boolean; same: boolean }>(
    `select rolsuper as super, rolbypassrls as passes, rolcreaterole as makes, rolname = current_user as same,
       pg_has_role(rolname, (select relowner from pg_class where oid = to_regclass('public.migrations')), 'usage') as owner
     from pg_roles where rolname = $1`,
    [APP_ROLE],
  );
  const [role] = rows;
  const faults = [
    role?.super && 'is a superuser',
    role?.passes && 'may bypass row-level security',
    role?.makes && 'may make roles',
    role?.same && "is the owner's own role",
    role?.owner && 'is a member of the role that owns the tables',
  ].filter((fault) => typeof fault === 'string');
  if (faults.length > 0) {
    throw new Error(
      `The role ${APP_ROLE} ${faults.join(', ')}, so tenants would not be isolated. Run: alter role ${APP_ROLE} nosuperuser nobypassrls nocreaterole; and revoke its membership in other roles.`,
    );
  }
}

async function grantEntry(owner: pg.Client): Promise<void> {
  await again(owner, `grant usage on schema public to ${APP_ROLE}`);
  // Before PostgreSQL 15 every role may create tables there.
  const { rows } = await owner.query<{ may: boolean }>("select has_schema_privilege($1, 'public', 'create') as may", [APP_ROLE]);
  if (rows[0]?.may) await again(owner, 'revoke create on schema public from public');
  // A temporary table would shadow ours for the next user of the connection.
  await again(
    owner,
    `do $$ begin execute format('revoke temporary on database %I from public, ${APP_ROLE}', current_database()); end $$`,
  );
}

/** Compiling a query with many relations takes seconds, running it milliseconds (docs/decisions/0118-no-jit.md). A default that `doctor` checks, where the owner may not. */
async function turnJitOff(owner: pg.Client): Promise<void> {
  const { rowCount } = await owner.query("select from pg_roles where rolname = $1 and 'jit=off' = any(rolconfig)", [APP_ROLE]);
  if (rowCount !== 0) return;
  await again(owner, `alter role ${APP_ROLE} set jit = off`).catch((error: unknown) => {
    if (codeOf(error) !== '42501') throw error;
  });
}

async function setPasswordUnlessItFits(owner: pg.Client, ownerUrl: string, password: string | undefined): Promise<void> {
  const failure = await tryEntry(appUrl(ownerUrl));
  if (failure === undefined) return;
  if (codeOf(failure) === '28P01' && password !== undefined) {
    try {
      await again(owner, `alter role ${APP_ROLE}${clauseOf(password)}`);
    } catch (error) {
      if (codeOf(error) === '42501') {
        throw new Error(
          `The role ${APP_ROLE} has another password than the one derived from the owner's, and the owner may not change it. ${byHand}`,
          {
            cause: error,
          },
        );
      }
      throw error;
    }
    return proveEntry(appUrl(ownerUrl), 'the derived password');
  }
  throw new Error(`The application's role ${APP_ROLE} cannot enter the database: ${(failure as Error).message}. ${byHand}`, {
    cause: failure,
  });
}

async function proveEntry(url: string, how: string): Promise<void> {
  const failure = await tryEntry(url);
  if (failure)
    throw new Error(`The role ${APP_ROLE} cannot enter the database with ${how}: ${(failure as Error).message}`, {
      cause: failure,
    });
}

async function tryEntry(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, application_name: 'parapet migrate', connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Roles and the schema's rights are shared by all databases of a server, and two changes at once fail one of them. */
async function again(owner: pg.Client, sql: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await owner.query(sql);
      return;
    } catch (error) {
      if (!/tuple concurrently (updated|deleted)/.test((error as Error).message) || attempt === 50) throw error;
      await sleep(20 * Math.random());
    }
  }
}
