/**
 * Slows guessing down: 20 tries a minute an address, and after five wrong passwords a growing pause for that account from that address,
 * so that an attacker elsewhere does not lock the owner out. Bounded memory; each process counts for itself.
 */
import { problem } from '@parapet/contract/problem.ts';
import type { Clock } from '../../core/clock.ts';

const perAddressAMinute = 20;
const freeTries = 5;
const maxEntries = 50_000;

export type Throttle = ReturnType<typeof createThrottle>;

export function createThrottle(clock: Clock) {
  const addresses = new Map<string, { minute: number; tries: number }>();
  const accounts = new Map<string, { wrong: number; until: number }>();
  const keyOf = (email: string, address: string) => `${email.trim().toLowerCase()} ${address}`;

  return {
    /** Counts a try; throws tooManyRequests while the address or the account has to wait. */
    check(email: string, address: string): void {
      const now = clock.now();
      const minute = Math.floor(now / 60_000);
      const entry = addresses.get(address);
      const tries = entry?.minute === minute ? entry.tries + 1 : 1;
      remember(addresses, address, { minute, tries });
      if (tries > perAddressAMinute)
        throw problem.tooManyRequests(
          'Too many sign-ins from this address. Please wait a minute.',
          60 - Math.floor((now / 1000) % 60),
        );
      const account = accounts.get(keyOf(email, address));
      if (account && account.until > now) {
        throw problem.tooManyRequests(
          'Too many wrong passwords. Please wait a moment before you try again.',
          Math.ceil((account.until - now) / 1000),
        );
      }
    },

    failed(email: string, address: string): void {
      const key = keyOf(email, address);
      const wrong = (accounts.get(key)?.wrong ?? 0) + 1;
      const pauseMs = wrong < freeTries ? 0 : Math.min(2 ** (wrong - freeTries) * 1000, 15 * 60_000);
      remember(accounts, key, { wrong, until: clock.now() + pauseMs });
    },

    /** A right password forgets the wrong ones of every address. */
    succeeded(email: string): void {
      const prefix = `${email.trim().toLowerCase()} `;
      for (const key of accounts.keys()) if (key.startsWith(prefix)) accounts.delete(key);
    },
  };
}

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > maxEntries) map.delete(map.keys().next().value as string);
}
