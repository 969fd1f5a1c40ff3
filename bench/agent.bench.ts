/**
 * The packaged agent against a stub portal: idle cost, and throughput of file lines relative to its line reader alone. Measured
 * in lines per second of processor time, so that other load has no effect.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import { type Block, eventsOf } from '@parapet/agent/bulk.ts';
import { createTail } from '@parapet/agent/tail.ts';
import { linesOf } from '../packages/agent/test/lines.ts';
import { agentBundle, buildAgentWhenNeeded } from '../tools/build-agent.ts';
import { median } from './figures.ts';
import type { Result } from './run.ts';

const lines = 300_000;
const rounds = 3;
const settleMs = 15_000;
const idleMs = 30_000;
const maxMemoryMiB = 80;
const maxCpu = 0.01;

export async function run(): Promise<Result[]> {
  await buildAgentWhenNeeded();
  const folder = mkdtempSync(join(tmpdir(), 'mdr-agent-bench-'));
  const portal = await startPortal();
  const log = join(folder, 'auth.log');
  const agent = (...words: string[]) =>
    spawn(process.execPath, [...serviceFlags(), agentBundle, ...words, '--state', join(folder, 'state')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  let running: ChildProcess | undefined;
  try {
    const [code] = await once(agent('enrol', '--server', portal.url, '--token', 'bench', '--no-journal', '--file', log), 'exit');
    if (code !== 0) throw new Error('the agent failed to enrol');
    running = agent('run');
    const pid = running.pid as number;
    await pause(settleMs);
    const idle = await watchIdle(pid);

    const text = Array.from({ length: lines }, (_, n) => lineOf(n)).join('');
    const read: number[] = [];
    const found: number[] = [];
    const shipped: number[] = [];
    for (let round = -1; round < rounds; round++) {
      const file = join(folder, `lines-${round}`);
      const limit = lines / (await readSeconds(file, text, true));
      const ends = lines / (await readSeconds(file, text, false));
      // Atomic rename, so that it is read as a new file.
      writeFileSync(file, text);
      const before = { events: portal.events(), ticks: ticksOf(pid) };
      renameSync(file, log);
      while (portal.events() - before.events < lines) await pause(5);
      const value = lines / ((ticksOf(pid) - before.ticks) / ticksASecond);
      if (round < 0) continue;
      read.push(limit);
      found.push(ends);
      shipped.push(value);
    }
    const limit = median(read);
    const value = median(shipped);
    return [
      { name: 'agent.memory', unit: 'MiB', value: idle.memory, limit: maxMemoryMiB, ratio: idle.memory / maxMemoryMiB },
      { name: 'agent.cpu', unit: 'of a core', value: idle.cpu, limit: maxCpu, ratio: idle.cpu / maxCpu },
      { name: 'agent.ship', unit: 'lines/CPU s', value, limit, ratio: value / limit },
      { name: 'agent.ship.ends', unit: 'lines/CPU s', value, limit: median(found), ratio: value / median(found) },
    ];
  } finally {
    running?.kill('SIGKILL');
    portal.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Node flags of the systemd service. */
function serviceFlags(): string[] {
  const script = readFileSync(new URL('../packages/agent/install.sh', import.meta.url), 'utf8');
  const flags = /^ExecStart=\$node (--.*) \$home/m.exec(script)?.[1];
  if (!flags) throw new Error('install.sh has no service command line in the expected form');
  return flags.split(' ');
}

const ticksASecond = 100;
/** Processor time of a process in all threads, user and system mode. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

const lineOf = (n: number) =>
  `Nov 21 10:${String(n % 60).padStart(2, '0')}:00 bench sshd[${1000 + (n % 9000)}]: Failed password for invalid user admin${n} from 203.0.113.${n % 250} port ${20_000 + (n % 40_000)} ssh2\n`;

/** Processor seconds for reading and discarding all lines: as texts, or only their boundaries. */
async function readSeconds(file: string, text: string, asTexts: boolean): Promise<number> {
  writeFileSync(file, '');
  const tail = createTail(file, undefined);
  let count = 0;
  let length = 0;
  const take = async (blocks: Block[]) => {
    for (const block of blocks) {
      if (!asTexts) {
        count += block.count;
        length += block.bytes.length;
        continue;
      }
      for (const line of linesOf(block)) {
        count++;
        length += line.text.length + 1;
      }
    }
  };
  await tail.poll(take);
  writeFileSync(file, text);
  const before = process.cpuUsage();
  await tail.poll(take);
  const { user, system } = process.cpuUsage(before);
  await tail.close();
  if (count !== lines || length !== text.length) throw new Error(`the reader read ${count} of ${lines} lines`);
  return (user + system) / 1e6;
}

async function watchIdle(pid: number): Promise<{ memory: number; cpu: number }> {
  const before = ticksOf(pid);
  await pause(idleMs);
  const cpu = (ticksOf(pid) - before) / ticksASecond / (idleMs / 1000);
  const memory = Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  return { memory, cpu };
}

async function startPortal(): Promise<{ url: string; events(): number; close(): void }> {
  let events = 0;
  const bodyOf = (request: IncomingMessage) => buffer(request);
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const answer = (value: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    const path = request.url?.split('?', 1)[0];
    if (path === '/ingest/_bulk') {
      const taken = eventsOf(zstdDecompressSync(body)).length;
      events += taken;
      answer({ errors: false, items: Array.from({ length: taken }, () => ({ create: { status: 201 } })) });
    } else if (path === '/agent/tasks') setTimeout(() => answer({ tasks: [] }), 50_000).unref();
    else if (path === '/agent/check-in') answer({ nextInSeconds: 60, wantsInventory: false, upgrade: null });
    else answer({ agentId: 1, key: 'pa_bench', organisationName: 'Bench', releaseKey: '' });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    events: () => events,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
