/** A portal as a process of its own, which tests kill, limit and start again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '../src/node-flags.ts';
import { secretKey } from './keys.ts';
import { freePort } from './ports.ts';

export interface PortalProcess {
  readonly origin: string;
  readonly port: number;
  /** Of its present life. */
  process(): ChildProcess;
  /** The end of its output. */
  log(): string;
  isRunning(): boolean;
  isReady(): Promise<boolean>;
  /** Starts it, at the same port, and resolves once it is ready. `folder` is the checkout of another version. */
  start(folder?: string): Promise<void>;
  /** Resolves when it has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

export interface PortalOptions {
  env: Record<string, string>;
  /** Node flags besides those of the portal. */
  flags?: readonly string[];
  /** Command of bash before its start, in the same process: a limit. */
  before?: string;
  /** Time for a start, in milliseconds; three minutes by default. */
  startLimitMs?: number;
}

/** Checkout of this version. */
export const ownFolder = fileURLToPath(new URL('../../..', import.meta.url));
const logLength = 8_000;

/** Not started yet. Roles are `api,ingest` unless `env` has others. */
export async function portalProcess({
  env,
  flags = [],
  before = ':',
  startLimitMs = 180_000,
}: PortalOptions): Promise<PortalProcess> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  let log = '';
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  const isReady = () =>
    fetch(`${origin}/readyz`, { headers: { connection: 'close' }, signal: AbortSignal.timeout(10_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  return {
    origin,
    port,
    process: () => child as ChildProcess,
    log: () => log,
    isRunning,
    isReady,
    async start(folder = ownFolder) {
      const program = join(folder, 'packages/server/src/main.ts');
      // `exec` keeps the id of the process.
      child = spawn('bash', ['-c', `${before}; exec "$0" "$@"`, process.execPath, ...nodeFlags, ...flags, program], {
        env: {
          PATH: process.env.PATH,
          PORT: String(port),
          HOST: '127.0.0.1',
          PORTAL_DEMO: '0',
          PORTAL_ROLES: 'api,ingest',
          SECRET_KEY: secretKey,
          LOG_LEVEL: 'warn',
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const stream of [child.stdout!, child.stderr!])
        stream.on('data', (chunk: Buffer) => {
          log = (log + chunk.toString()).slice(-logLength);
        });
      const until = performance.now() + startLimitMs;
      while (isRunning() && performance.now() < until) {
        if (await isReady()) return;
        await pause(50);
      }
      throw new Error(`The portal did not become ready (exit code ${child.exitCode}): ${log}`);
    },
    async end(signal) {
      if (!isRunning()) return;
      const ended = once(child!, 'exit');
      child!.kill(signal);
      await ended;
    },
  };
}
