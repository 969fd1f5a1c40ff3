/** Processor time of a benchmark's server, independent of other load and of the sender's speed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';

/** `/cpu` returns the µs of processor time since the last call. */
export function cpuRoute(app: FastifyInstance): void {
  let before = process.cpuUsage();
  app.get('/cpu', async () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    return String(user + system);
  });
}

/** Starts a file of this folder as a child process and returns its JSON handshake. */
export async function startServer<T>(
  file: string,
  env: Record<string, string> = {},
): Promise<{ handshake: T; stop(): Promise<void> }> {
  const child: ChildProcess = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit');
  const line = await Promise.race([once(createInterface({ input: child.stdout! }), 'line'), ended.then(() => undefined)]);
  if (!line) throw new Error(`${file} ended before it was ready`);
  return {
    handshake: JSON.parse(String(line[0])) as T,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
