/** ClickHouse as a process of its own, which a test may kill: `tools/clickhouse/server.js`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { scratchFolder } from '../../../../tools/scratch.ts';

const program = fileURLToPath(new URL('../../../../tools/clickhouse/server.js', import.meta.url));

export interface Engine {
  readonly url: string;
  /** As by `kill -9`. */
  kill(): Promise<void>;
  /** On the same folder and port as before. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function startEngine(): Promise<Engine> {
  const folder = await scratchFolder('clickhouse-test-');
  let child: ChildProcess;
  let url = '';
  const start = async () => {
    const own = spawn(process.execPath, [program, folder, ...(url ? [new URL(url).port] : [])], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child = own;
    url = await new Promise<string>((resolve, reject) => {
      own.stdout.once('data', (line) => resolve(String(line).trim()));
      own.once('exit', (code) => reject(new Error(`ClickHouse ended with ${code} before it listened.`)));
    });
  };
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  await start();
  return {
    get url() {
      return url;
    },
    kill,
    start,
    async close() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
