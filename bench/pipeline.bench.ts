/**
 * G7: bulk HTTP → parsed → normalised → detected, against Fastify that only parses every line of the same body. Both run in one child process;
 * what counts is the processor time that each takes for an event, so that who sends does not matter.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { generatedEvents } from './detect.bench.ts';
import type { Result } from './run.ts';

const eventsABody = 2_000;
const rounds = 12;

export async function run(): Promise<Result[]> {
  const lines = generatedEvents(eventsABody).map((event) => `{"create":{}}\n${JSON.stringify(event)}\n`);
  const body = lines.join('');
  const child = spawn(process.execPath, [fileURLToPath(new URL('./pipeline.server.ts', import.meta.url))], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const port = await new Promise<number>((resolve) => createInterface({ input: child.stdout }).once('line', (line) => resolve(Number(line))));
    const cost = async (path: string): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, headers: { 'content-type': 'application/x-ndjson', authorization: 'ApiKey pk_bench' } });
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
      return Number(await (await fetch(`http://127.0.0.1:${port}/cpu`)).text());
    };
    const ours: number[] = [];
    const limit: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await fetch(`http://127.0.0.1:${port}/cpu`);
      limit.push(await cost('/limit'));
      ours.push(await cost('/ingest/_bulk'));
    }
    const perSecond = (costs: number[]) => {
      const sorted = costs.slice(2).sort((a, b) => a - b);
      return (eventsABody / (sorted[Math.floor(sorted.length / 2)] as number)) * 1e6;
    };
    const [value, top] = [perSecond(ours), perSecond(limit)];
    return [{ name: 'pipeline.bulk', unit: 'events/s', value, limit: top, ratio: value / top }];
  } finally {
    child.kill();
  }
}
