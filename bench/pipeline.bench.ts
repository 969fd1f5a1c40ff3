/**
 * G7: bulk HTTP → parsed → normalised → detected, against Fastify that only parses each line of the same body. Both run in one
 * child process and are compared by processor time per event. `pipeline.fields` compares it with and without the sampling of fields, before the store.
 */

import { seeded } from '../detections/testing/benign/random.ts';
import { startServer } from './cpu.ts';
import { mixedEvent } from './detect.events.ts';
import { median } from './figures.ts';
import type { Result } from './run.ts';

const eventsABody = 2_000;
const rounds = 24;

export async function run(): Promise<Result[]> {
  const random = seeded(7);
  const now = Date.now();
  const lines = Array.from({ length: eventsABody }, (_, i) => {
    const event = { ...mixedEvent(random), '@timestamp': new Date(now - i).toISOString() };
    return `{"create":{}}\n${JSON.stringify(event)}\n`;
  });
  const body = lines.join('');
  const { handshake: address, stop } = await startServer<string>('./pipeline.server.ts');
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
    const unsampled: number[] = [];
    const limit: number[] = [];
    const switchSampling = async (state: 'on' | 'off') => {
      await (await fetch(`${address}/sampling/${state}`, { method: 'POST', body: '' })).arrayBuffer();
      await (await fetch(`${address}/cpu`)).text();
    };
    for (let round = 0; round < rounds; round++) {
      await fetch(`${address}/cpu`);
      limit.push(await cost('/limit'));
      for (const state of round % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const)) {
        await switchSampling(state);
        (state === 'on' ? ours : unsampled).push(await cost('/ingest/_bulk'));
      }
    }
    const perSecond = (costs: number[]) => (eventsABody / median(costs.slice(2))) * 1e6;
    const [value, top] = [perSecond(ours), perSecond(limit)];
    const without = perSecond(unsampled);
    return [
      { name: 'pipeline.bulk', unit: 'events/s', value, limit: top, ratio: value / top },
      {
        name: 'pipeline.fields',
        unit: 'events/s',
        value,
        limit: without,
        // Round by round: other load weighs on both alike.
        ratio: median(ours.map((each, round) => unsampled[round]! / each).slice(2)),
      },
    ];
  } finally {
    await stop();
  }
}
