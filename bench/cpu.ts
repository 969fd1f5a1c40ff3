/** Processor time is what a benchmark's server is charged with: it does not matter who else runs on the machine, nor how fast the sender is. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';

/** `/cpu` answers the µs that this process used since it was last asked. */
export function cpuRoute(app: FastifyInstance): void {
  let before = process.cpuUsage();
  app.get('/cpu', async () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    return String(user + system);
  });
}

/** Starts a file of this folder as a process of its own; answers the one line of JSON that it tells of itself. */
export async function startServer<T>(
  file: string,
  env: Record<string, string> = {},
): Promise<{ told: T; stop(): Promise<void> }> {
  const child: ChildProcess = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit');
  const line = await Promise.race([once(createInterface({ input: child.stdout! }), 'line'), ended.then(() => undefined)]);
  if (!line) throw new Error(`${file} ended before it was ready`);
  return {
    told: JSON.parse(String(line[0])) as T,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
