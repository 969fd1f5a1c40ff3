/** Task execution on the host: real, or simulated (`--dry`) for demonstrations on a machine that must not change. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type AgentTask, accountName, type Holding } from '@parapet/contract/agentProtocol.ts';
import type { Clock } from '@parapet/contract/rules/clock.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { collectFile } from './evidence.ts';
import type { Host } from './executor.ts';
import { readJson, writeDurably } from './files.ts';
import type { Isolation } from './isolation.ts';
import { isKilled, killProcess } from './processes.ts';
import { createUsers } from './users.ts';

export interface AgentHost extends Host {
  holding(): Promise<Holding>;
  /** Enforces active measures and ends expired ones. */
  keep(): Promise<void>;
}

/** The removal follows the report, which needs the agent’s key. */
const leavingText = 'The agent removes itself once the portal has this report.';
/** Automatic release when the task sets none. */
const defaultReleaseSeconds = dayMs / 1_000;
const releaseOf = (task: AgentTask) => task.releaseInSeconds ?? defaultReleaseSeconds;

function checkedAccount(name: string): string {
  if (!accountName.safeParse(name).success) throw new Error('This is no name of an account.');
  return name;
}

export function linuxHost({
  state,
  isolation,
  clock,
  collectable = [],
}: {
  state: string;
  isolation: Isolation;
  clock: Clock;
  /** Real paths exempt from the deny list by this host's configuration. */
  collectable?: readonly string[] | undefined;
}): AgentHost {
  const users = createUsers(state, clock);
  return {
    async act(task) {
      switch (task.action) {
        case 'isolate':
          return { detail: await isolation.isolate(releaseOf(task)) };
        case 'unisolate':
          return { detail: await isolation.release() };
        case 'blockUser':
          return { detail: await users.block(checkedAccount(task.target)) };
        case 'unblockUser':
          return { detail: await users.unblock(checkedAccount(task.target)) };
        case 'killProcess':
          return { detail: await killProcess(task.target, task.expectedName) };
        case 'collectFile': {
          const collected = await collectFile(state, task.id, task.target, task.maxBytes, collectable);
          return { detail: `Copied ${collected.file.size} bytes of ${collected.file.path}.`, ...collected };
        }
        case 'leave':
          return { detail: leavingText };
      }
    },
    async look(task) {
      switch (task.action) {
        case 'isolate':
        case 'unisolate': {
          const { isIsolated, releaseInSeconds } = await isolation.observe();
          const detail = isIsolated
            ? `The host is isolated; it is released in ${releaseInSeconds} seconds at most.`
            : 'The host is not isolated.';
          return { holds: isIsolated === (task.action === 'isolate'), detail };
        }
        case 'blockUser':
          return users.isBlocked(task.target);
        case 'unblockUser':
          return users.isUnblocked(task.target);
        case 'killProcess':
          return isKilled(task.target, task.expectedName);
        case 'collectFile':
          return { holds: false, detail: 'The file was not collected.' };
        case 'leave':
          return { holds: true, detail: leavingText };
      }
    },
    forget: (upload) => rm(upload, { force: true }),
    async holding() {
      return { ...(await isolation.observe()), blockedUsers: users.blocked().slice(0, 1_000) };
    },
    keep: () => isolation.keep(),
  };
}

interface Simulated {
  /** Milliseconds since 1970; null: not isolated. */
  isolatedUntil: number | null;
  blockedUsers: string[];
}

/** Simulated host: changes only its own state file. Files are collected for real, since reading changes nothing. */
export function dryHost(state: string, clock: Clock, collectable: readonly string[] = []): AgentHost {
  const file = join(state, 'simulated.json');
  const read = (): Simulated => {
    const saved = readJson<Simulated>(file) ?? { isolatedUntil: null, blockedUsers: [] };
    return saved.isolatedUntil !== null && saved.isolatedUntil <= clock.now() ? { ...saved, isolatedUntil: null } : saved;
  };
  const change = (changes: Partial<Simulated>) => writeDurably(file, JSON.stringify({ ...read(), ...changes }));
  const simulated = (text: string) => ({ detail: `Simulated: ${text}` });
  return {
    async act(task) {
      switch (task.action) {
        case 'isolate':
          await change({ isolatedUntil: clock.now() + releaseOf(task) * 1000 });
          return simulated('isolated.');
        case 'unisolate':
          await change({ isolatedUntil: null });
          return simulated('released.');
        case 'blockUser':
          await change({ blockedUsers: [...new Set([...read().blockedUsers, checkedAccount(task.target)])] });
          return simulated('blocked.');
        case 'unblockUser':
          await change({ blockedUsers: read().blockedUsers.filter((name) => name !== task.target) });
          return simulated('unblocked.');
        case 'killProcess':
          return simulated('killed.');
        case 'collectFile': {
          const collected = await collectFile(state, task.id, task.target, task.maxBytes, collectable);
          return { ...simulated('copied.'), ...collected };
        }
        case 'leave':
          return simulated('left.');
      }
    },
    async look(task) {
      const { isolatedUntil, blockedUsers } = read();
      const isBlocked = blockedUsers.includes(task.target);
      const holds = {
        isolate: isolatedUntil !== null,
        unisolate: isolatedUntil === null,
        blockUser: isBlocked,
        unblockUser: !isBlocked,
        killProcess: true,
        collectFile: false,
        leave: true,
      }[task.action];
      return { holds, ...simulated(holds ? 'it is so.' : 'it is not so.') };
    },
    forget: (upload) => rm(upload, { force: true }),
    async holding() {
      const { isolatedUntil, blockedUsers } = read();
      return {
        isIsolated: isolatedUntil !== null,
        releaseInSeconds: isolatedUntil === null ? null : Math.max(0, Math.round((isolatedUntil - clock.now()) / 1000)),
        blockedUsers,
      };
    },
    keep: async () => {},
  };
}
