/**
 * Rate limits on guessing. Attempts per address are counted per process, in bounded memory. Attempts per account are rows, shared
 * by all processes: each is counted before it is verified, under a lock on its key, so concurrency gains nothing.
 */
import { createHash } from 'node:crypto';
import { problem } from '@parapet/contract/problem.ts';
import { sql } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { Tx } from '../core/db/scope.ts';
import { netOf } from '../core/http/addresses.ts';

const attemptsPerAddressPerMinute = 20;
const freeAttempts = 5;
const longestPauseMs = 15 * 60_000;
/** Failed passwords per account from all addresses within the longest pause; beyond it only addresses that signed in before may try. */
const maxFromAllAddresses = 100;
const maxEntries = 50_000;

export type AddressThrottle = ReturnType<typeof createAddressThrottle>;

export function createAddressThrottle(clock: Clock, maxPerMinute = attemptsPerAddressPerMinute) {
  const addresses = new Map<string, { minute: number; tries: number }>();
  /** Counts an attempt; throws tooManyRequests while the address has to wait. */
  return (action: string, address: string): void => {
    const now = clock.now();
    const minute = Math.floor(now / 60_000);
    const key = `${action} ${netOf(address)}`;
    const entry = addresses.get(key);
    const tries = entry?.minute === minute ? entry.tries + 1 : 1;
    addresses.delete(key);
    addresses.set(key, { minute, tries });
    if (addresses.size > maxEntries) addresses.delete(addresses.keys().next().value as string);
    if (tries > maxPerMinute)
      throw problem.tooManyRequests(
        'Too many attempts from this address. Try again in a minute.',
        60 - Math.floor((now / 1000) % 60),
      );
  };
}

type Kind =
  | 'password'
  | 'password.everywhere'
  | 'password.known'
  | 'password.notice'
  | 'code'
  | 'reset'
  | 'register'
  | 'sapphire'
  | 'domain';

const keyOf = (...parts: (string | number)[]): Buffer =>
  createHash('sha256')
    .update(parts.map((part) => String(part).trim().toLowerCase()).join('\n'))
    .digest();

const lock = (tx: Tx, kind: Kind, key: Buffer) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`${kind} ${key.toString('hex')}`}, 0))`.execute(tx);

const insert = (tx: Tx, ...rows: { kind: Kind; key: Buffer }[]) => tx.insertInto('attempts').values(rows).execute();

/** Counts one of `most` attempts in `minutes`; throws tooManyRequests with `text` when none is left. */
export async function consumeAttempt(
  tx: Tx,
  kind: Kind,
  of: string | number,
  { max, minutes, text }: { max: number; minutes: number; text: string },
): Promise<void> {
  const key = keyOf(of);
  await lock(tx, kind, key);
  const { rows } = await sql<{ tries: number; wait: number }>`
    select count(*)::integer as tries, ceil(extract(epoch from min(at) + make_interval(mins => ${minutes}) - now()))::integer as wait
    from (select at from attempts where kind = ${kind} and key = ${key} and at > now() - make_interval(mins => ${minutes})
      order by at desc limit ${max}) latest`.execute(tx);
  const { tries = 0, wait = 1 } = rows[0] ?? {};
  if (tries >= max) throw problem.tooManyRequests(text, Math.max(wait, 1));
  await insert(tx, { kind, key });
}

export const clearAttempts = async (tx: Tx, kind: Kind, of: string | number): Promise<void> => {
  await tx.deleteFrom('attempts').where('kind', '=', kind).where('key', '=', keyOf(of)).execute();
};

/**
 * Counts a password attempt: five are free, then each waits longer, per account and address, so that an attacker elsewhere can’t
 * lock the owner out. Runs the same statements for known and unknown accounts.
 */
export async function consumePasswordAttempt(tx: Tx, email: string, address: string): Promise<void> {
  const { rows } = await sql<{
    wait: number;
  }>`select take_password_try(${keyOf(email, netOf(address))}, ${keyOf(email)}, ${freeAttempts}::integer,
    ${longestPauseMs}::integer, ${maxFromAllAddresses}::integer) as wait`.execute(tx);
  const { wait = 0 } = rows[0] ?? {};
  if (wait > 0)
    throw problem.tooManyRequests('Too many wrong passwords. Wait a moment before you try again.', Math.ceil(wait / 1000));
}

/** Clears the failed passwords from this address and marks it as known; those from other addresses stay counted. */
export async function clearPasswordAttempts(tx: Tx, email: string, address: string): Promise<void> {
  const here = keyOf(email, netOf(address));
  await sql`with forgotten as (delete from attempts where kind in ('password', 'password.known') and key = ${here}),
    own as (delete from attempts where ctid in (select ctid from attempts where kind = 'password.everywhere' and key = ${keyOf(email)}
      order by at desc limit 1))
    insert into attempts (kind, key) values ('password.known', ${here})`.execute(tx);
}

/** Returns true, at most once a day, when the failed passwords of an account within `minutes` reach `min`. */
export async function claimBurstNotice(
  tx: Tx,
  email: string,
  { min, minutes }: { min: number; minutes: number },
): Promise<boolean> {
  const key = keyOf(email);
  const { rows } = await sql<{ isBurst: boolean }>`select count(*) >= ${min} as "isBurst" from attempts
    where kind = 'password.everywhere' and key = ${key} and at > now() - make_interval(mins => ${minutes})`.execute(tx);
  if (!rows[0]?.isBurst) return false;
  await lock(tx, 'password.notice', key);
  const { numAffectedRows } = await sql`insert into attempts (kind, key) select 'password.notice', ${key} where not exists
    (select from attempts where kind = 'password.notice' and key = ${key} and at > now() - interval '1 day')`.execute(tx);
  return numAffectedRows === 1n;
}
