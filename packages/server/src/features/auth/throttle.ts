/**
 * Slows guessing down. Tries of one address are counted by each process for itself, in bounded memory. Tries of one account are rows, so that
 * all processes count together: a try is taken before it is judged, under a lock of its key, so that many at once gain nothing.
 */
import { createHash } from 'node:crypto';
import { problem } from '@parapet/contract/problem.ts';
import { sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { Tx } from '../../core/db/scope.ts';

const perAddressAMinute = 20;
const freeTries = 5;
const longestPauseMs = 15 * 60_000;
/** Wrong passwords of one account from everywhere, in the longest pause; beyond it only addresses that got in before may go on. */
const mostFromEverywhere = 100;
const maxEntries = 50_000;

/** What one person has: an address of IPv4, or the whole net that every line of IPv6 comes with (/64). */
export function netOf(address: string): string {
  const inside = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (inside) return inside;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.toLowerCase().split('::') ?? [];
  const [front, back] = [head, tail ?? ''].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const groups = [...front, ...Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0'), ...back];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

export type AddressThrottle = ReturnType<typeof createAddressThrottle>;

export function createAddressThrottle(clock: Clock, mostAMinute = perAddressAMinute) {
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
    if (tries > mostAMinute)
      throw problem.tooManyRequests(
        'Too many tries from this address. Please wait a minute.',
        60 - Math.floor((now / 1000) % 60),
      );
  };
}

type Kind = 'password' | 'password.everywhere' | 'password.known' | 'code' | 'reset' | 'register' | 'sapphire';

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
    ${longestPauseMs}::integer, ${mostFromEverywhere}::integer) as wait`.execute(tx);
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
