/**
 * Slows guessing down. Tries of one address are counted by each process for itself, in bounded memory. Tries of one account are rows, so that
 * all processes count together: a try is taken before it is judged, under a lock of its key, so that many at once gain nothing.
 */
import { createHash } from 'node:crypto';
import { problem } from '@parapet/contract/problem.ts';
import { sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { Tx } from '../../core/db/scope.ts';
import { netOf } from '../../core/http/addresses.ts';

const perAddressAMinute = 20;
const freeTries = 5;
const longestPauseMs = 15 * 60_000;
/** Wrong passwords of one account from everywhere, in the longest pause; beyond it only addresses that got in before may go on. */
const maxFromEverywhere = 100;
const maxEntries = 50_000;

export type AddressThrottle = ReturnType<typeof createAddressThrottle>;

export function createAddressThrottle(clock: Clock, maxAMinute = perAddressAMinute) {
  const addresses = new Map<string, { minute: number; tries: number }>();
  /** Counts a try; throws tooManyRequests while the address has to wait. */
  return (what: string, address: string): void => {
    const now = clock.now();
    const minute = Math.floor(now / 60_000);
    const key = `${what} ${netOf(address)}`;
    const entry = addresses.get(key);
    const tries = entry?.minute === minute ? entry.tries + 1 : 1;
    addresses.delete(key);
    addresses.set(key, { minute, tries });
    if (addresses.size > maxEntries) addresses.delete(addresses.keys().next().value as string);
    if (tries > maxAMinute)
      throw problem.tooManyRequests(
        'Too many tries from this address. Please wait a minute.',
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

/** Takes one try of `most` in so many minutes; throws tooManyRequests when there is none left. */
export async function takeTry(
  tx: Tx,
  kind: Kind,
  of: string | number,
  { most, minutes, text }: { most: number; minutes: number; text: string },
): Promise<void> {
  const key = keyOf(of);
  await lock(tx, kind, key);
  const { rows } = await sql<{ tries: number; wait: number }>`
    select count(*)::integer as tries, ceil(extract(epoch from min(at) + make_interval(mins => ${minutes}) - now()))::integer as wait
    from (select at from attempts where kind = ${kind} and key = ${key} and at > now() - make_interval(mins => ${minutes})
      order by at desc limit ${most}) latest`.execute(tx);
  const { tries = 0, wait = 1 } = rows[0] ?? {};
  if (tries >= most) throw problem.tooManyRequests(text, Math.max(wait, 1));
  await insert(tx, { kind, key });
}

export const forgetTries = async (tx: Tx, kind: Kind, of: string | number): Promise<void> => {
  await tx.deleteFrom('attempts').where('kind', '=', kind).where('key', '=', keyOf(of)).execute();
};

/**
 * Takes a try at a password: five are free, then each has to wait longer, for that account from that address, so that an attacker elsewhere does
 * not lock the owner out. The same statements for known and unknown accounts.
 */
export async function takePasswordTry(tx: Tx, email: string, address: string): Promise<void> {
  const { rows } = await sql<{
    wait: number;
  }>`select take_password_try(${keyOf(email, netOf(address))}, ${keyOf(email)}, ${freeTries}::integer,
    ${longestPauseMs}::integer, ${maxFromEverywhere}::integer) as wait`.execute(tx);
  const { wait = 0 } = rows[0] ?? {};
  if (wait > 0)
    throw problem.tooManyRequests('Too many wrong passwords. Please wait a moment before you try again.', Math.ceil(wait / 1000));
}

/** A right password forgets the wrong ones from its address, which is known from now on; those from elsewhere stay counted. */
export async function forgetPasswordTries(tx: Tx, email: string, address: string): Promise<void> {
  const here = keyOf(email, netOf(address));
  await sql`with forgotten as (delete from attempts where kind in ('password', 'password.known') and key = ${here}),
    own as (delete from attempts where ctid in (select ctid from attempts where kind = 'password.everywhere' and key = ${keyOf(email)}
      order by at desc limit 1))
    insert into attempts (kind, key) values ('password.known', ${here})`.execute(tx);
}

/** Whether so many wrong passwords of one account make a burst that its owner is to know of: true at most once a day. */
export async function takeBurstNotice(
  tx: Tx,
  email: string,
  { most, minutes }: { most: number; minutes: number },
): Promise<boolean> {
  const key = keyOf(email);
  const { rows } = await sql<{ isBurst: boolean }>`select count(*) >= ${most} as "isBurst" from attempts
    where kind = 'password.everywhere' and key = ${key} and at > now() - make_interval(mins => ${minutes})`.execute(tx);
  if (!rows[0]?.isBurst) return false;
  await lock(tx, 'password.notice', key);
  const { numAffectedRows } = await sql`insert into attempts (kind, key) select 'password.notice', ${key} where not exists
    (select from attempts where kind = 'password.notice' and key = ${key} and at > now() - interval '1 day')`.execute(tx);
  return numAffectedRows === 1n;
}
