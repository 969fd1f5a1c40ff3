/**
 * G7: bulk HTTP → parsed → normalised → detected, against Fastify that only parses each line of the same body. Both run in one
 * child process and are compared by processor time per event.
 */

import { seeded } from '../detections/testing/benign/random.ts';
import { startServer } from './cpu.ts';
import { mixedEvent } from './detect.events.ts';
import { median } from './figures.ts';
import type { Result } from './run.ts';

const eventsABody = 2_000;
const rounds = 12;

export async function run(): Promise<Result[]> {
  const random = seeded(7);
  const now = Date.now();
  const lines = Array.from({ length: eventsABody }, (_, i) => {
    const event = { ...mixedEvent(random), '@timestamp': new Date(now - i).toISOString() };
    return `{"create":{}}\n${JSON.stringify(event)}\n`;
  });
  const body = lines.join('');
  const { told: address, stop } = await startServer<string>('./pipeline.server.ts');
  try {
    const cost = async (path: string): Promise<number> => {
      const answer = await fetch(`${address}${path}`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-ndjson', authorization: 'ApiKey pk_bench' },
      });
      if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
      return Number(await (await fetch(`${address}/cpu`)).text());
    };
    const ours: number[] = [];
    const limit: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await fetch(`${address}/cpu`);
      limit.push(await cost('/limit'));
      ours.push(await cost('/ingest/_bulk'));
    }
    const perSecond = (costs: number[]) => (eventsABody / median(costs.slice(2))) * 1e6;
    const [value, top] = [perSecond(ours), perSecond(limit)];
    return [{ name: 'pipeline.bulk', unit: 'events/s', value, limit: top, ratio: value / top }];
  } finally {
    await stop();
  }
}
