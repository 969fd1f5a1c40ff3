/** Local accounts from /etc/passwd and /etc/shadow. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { readText } from './files.ts';

export interface Account {
  name: string;
  uid: number;
  shell: string;
  /** Password field of /etc/shadow; empty when unreadable. */
  secret: string;
  /** Expiry in days since 1970; null: never expires. */
  expiresOn: number | null;
}

export function readAccounts(passwd = readText('/etc/passwd'), shadow = readText('/etc/shadow')): Account[] {
  const secrets = new Map(shadow.split('\n').map((line) => [line.split(':', 1)[0] ?? '', line.split(':')]));
  return passwd.split('\n').flatMap((line) => {
    const [name, , uid, , , , shell] = line.split(':');
    if (!name || !/^\d{1,10}$/.test(uid ?? '')) return [];
    const secret = secrets.get(name);
    return [
      {
        name,
        uid: Number(uid),
        shell: shell ?? '',
        secret: secret?.[1] ?? '',
        expiresOn: /^\d+$/.test(secret?.[7] ?? '') ? Number(secret?.[7]) : null,
      },
    ];
  });
}

export const isPasswordLocked = ({ secret }: Account): boolean => secret.startsWith('!');
/** @param now milliseconds since 1970 */
export const isExpired = ({ expiresOn }: Account, now: number): boolean =>
  expiresOn !== null && expiresOn <= Math.floor(now / dayMs);
/** No password login is possible, or the account has expired. */
export const isLockedOut = (account: Account, now: number): boolean =>
  isPasswordLocked(account) || account.secret.startsWith('*') || isExpired(account, now);

/** Lowest UID of regular users (UID_MIN of /etc/login.defs). */
export const firstPersonUid = (): number => Number(/^\s*UID_MIN\s+(\d+)/m.exec(readText('/etc/login.defs'))?.[1] ?? 1000);

/** Reason that the account must not be blocked; undefined if blocking is allowed. */
export function protectedBecause(account: Account | undefined, ownUid: number, firstUserUid: number): string | undefined {
  if (!account) return 'There is no such account on this host. Block directory accounts in the directory.';
  if (account.uid === 0) return 'This is root: a host without it could not be repaired.';
  if (account.uid === ownUid) return 'The agent runs as this account.';
  if (account.uid < firstUserUid || (account.uid >= 65_534 && account.uid <= 65_535))
    return 'This is an account of the system: services run as it.';
  return undefined;
}
