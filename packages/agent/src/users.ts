/** Blocks local accounts: no password, no key, no session. Saves the previous state first, so that unblocking restores it. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '@parapet/contract/rules/clock.ts';
import { type Account, firstPersonUid, isExpired, isPasswordLocked, protectedBecause, readAccounts } from './accounts.ts';
import { readJson, readText, writeDurably } from './files.ts';

const run = promisify(execFile);

interface SavedAccount {
  wasLocked: boolean;
  expiresOn: number | null;
}

export interface Users {
  block(name: string): Promise<string>;
  unblock(name: string): Promise<string>;
  isBlocked(name: string): { holds: boolean; detail: string };
  isUnblocked(name: string): { holds: boolean; detail: string };
  /** Accounts blocked by the agent and still blocked. */
  blocked(): string[];
}

export function createUsers(state: string, clock: Clock): Users {
  const file = join(state, 'blocked.json');
  const before = () => readJson<Record<string, SavedAccount>>(file) ?? {};
  const find = (name: string): Account | undefined => readAccounts().find((account) => account.name === name);
  const isShut = (account: Account | undefined): boolean =>
    account !== undefined && isPasswordLocked(account) && isExpired(account, clock.now());

  function isBlocked(name: string) {
    const account = find(name);
    if (!account) return { holds: false, detail: 'There is no such account on this host.' };
    const running = processesOf(account.uid).length;
    if (!isShut(account)) return { holds: false, detail: 'The account is not locked.' };
    if (running > 0) return { holds: false, detail: `The account is locked, but ${running} of its processes still run.` };
    return { holds: true, detail: 'The account is locked and expired, and nothing runs as it.' };
  }

  return {
    async block(name) {
      const account = find(name);
      const reason = protectedBecause(account, process.getuid?.() ?? 0, firstPersonUid());
      if (reason || !account) throw new Error(`${name} is not blocked. ${reason}`);
      const saved = before();
      if (!isShut(account) || !saved[name]) {
        const was = isShut(account)
          ? { wasLocked: false, expiresOn: null }
          : { wasLocked: isPasswordLocked(account), expiresOn: account.expiresOn };
        await writeDurably(file, JSON.stringify({ ...saved, [name]: was }));
      }
      // Lock: no password login. Expiry on 2 January 1970: no key login either.
      await usermod('-L', '-e', '1', '--', name);
      const ended = await endSessions(account);
      return `Locked and expired; ${ended} of its processes ended.`;
    },
    async unblock(name) {
      const account = find(name);
      if (!account) throw new Error('There is no such account on this host.');
      const { [name]: saved, ...others } = before();
      if (!saved && !isShut(account)) return 'The account was not blocked.';
      const was = saved ?? { wasLocked: false, expiresOn: null };
      await usermod('-e', was.expiresOn === null ? '' : String(was.expiresOn), '--', name);
      // Never unlock an account without a password: it would allow login without one.
      const hasPassword = account.secret.replace(/^!+/, '') !== '';
      if (!was.wasLocked && isPasswordLocked(account) && hasPassword) await usermod('-U', '--', name);
      await writeDurably(file, JSON.stringify(others));
      return hasPassword || was.wasLocked
        ? 'The account is as it was before.'
        : 'The account is no longer expired; it never had a password.';
    },
    isBlocked,
    isUnblocked(name) {
      const account = find(name);
      if (!account) return { holds: false, detail: 'There is no such account on this host.' };
      const holds = !isShut(account) && !before()[name];
      return { holds, detail: holds ? 'The account is not blocked.' : 'The account is still locked.' };
    },
    blocked: () => Object.keys(before()).filter((name) => isShut(find(name))),
  };
}

async function usermod(...args: string[]): Promise<void> {
  try {
    await run('usermod', args, { timeout: 20_000 });
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') throw new Error('usermod is not installed. Install the package passwd (on Alpine: shadow).');
    throw new Error(`usermod refused: ${(stderr || String(error)).trim().slice(0, 300)}`);
  }
}

/** Live processes with the account in any of their four UIDs. */
function processesOf(uid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const status = readText(`/proc/${pid}/status`);
      const ids = /^Uid:\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)/m.exec(status)?.slice(1).map(Number) ?? [];
      return ids.includes(uid) && !/^State:\s+[ZX]/m.test(status);
    });
}

async function endSessions({ name, uid }: Account): Promise<number> {
  // Without logind, a session is only its processes.
  await run('loginctl', ['terminate-user', name], { timeout: 10_000 }).catch(() => {});
  const ended = new Set<number>();
  // Repeat, since processes may fork while they are being killed.
  for (let round = 0; round < 20; round++) {
    const left = processesOf(uid).filter((pid) => pid !== process.pid);
    if (left.length === 0) break;
    for (const pid of left) {
      ended.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Already ended.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return ended.size;
}
