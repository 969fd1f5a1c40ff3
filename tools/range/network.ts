/** The range’s own network: a namespace with a bridge and no way out. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { hosts, portal, stranger, workplace } from './addresses.ts';
import { must } from './image.ts';

export interface RangeNetwork {
  name: string;
  tapOf(host: keyof typeof hosts): string;
  /** Starts a program inside. */
  spawn(command: string, args: readonly string[], options?: Parameters<typeof spawn>[2]): ChildProcess;
  close(): void;
}

const bridge = 'range0';

/** Opens the network; its own addresses are the portal’s, the stranger’s and the workplaces’. */
export function openRangeNetwork(): RangeNetwork {
  const name = `range${process.pid}`;
  const inside = (...args: string[]) => must('ip', '-n', name, ...args);
  must('ip', 'netns', 'add', name);
  try {
    inside('link', 'set', 'lo', 'up');
    inside('link', 'add', bridge, 'type', 'bridge');
    for (const address of [`${portal}/16`, `${stranger}/24`, `${workplace}/24`, '198.51.100.21/24', '203.0.113.80/24'])
      inside('addr', 'add', address, 'dev', bridge);
    inside('link', 'set', bridge, 'up');
    // The default source address is the stranger’s.
    inside('route', 'replace', '10.20.1.0/24', 'dev', bridge, 'src', stranger);
    for (const host of Object.keys(hosts)) {
      inside('tuntap', 'add', `tap-${host}`, 'mode', 'tap');
      inside('link', 'set', `tap-${host}`, 'master', bridge, 'up');
    }
  } catch (error) {
    spawnSync('ip', ['netns', 'del', name]);
    throw error;
  }
  return {
    name,
    tapOf: (host) => `tap-${host}`,
    spawn: (command, args, options = {}) => spawn('ip', ['netns', 'exec', name, command, ...args], options),
    close: () => void spawnSync('ip', ['netns', 'del', name]),
  };
}

/** Removes the networks of runs that were killed. */
export function sweepNetworks(): void {
  const listed = spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' }).stdout;
  const running = new Set(readdirSync('/proc'));
  for (const [, name, pid] of listed.matchAll(/^(range(\d+))\b/gm))
    if (!running.has(pid!)) spawnSync('ip', ['netns', 'del', name!]);
}
