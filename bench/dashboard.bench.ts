/**
 * G10: dashboard calls over all clients and a year, with 10,000,000 against 1,000,000 alerts of the same 200 organisations, and
 * each against its bare statements on the rollups; interleaved medians. BENCH_ALERTS sets the larger number.
 */
import { startServer } from './cpu.ts';
import { median } from './figures.ts';
import type { Result } from './run.ts';

const alertCount = Number(process.env.BENCH_ALERTS ?? 10_000_000);
const rounds = 15;
const warmUp = 3;

interface ServerHandshake {
  token: string;
  calls: { name: string; ours: string; bare: string }[];
}

export async function run(): Promise<Result[]> {
  const start = (alerts: number) => startServer<ServerHandshake>('./dashboard.server.ts', { BENCH_ALERTS: String(alerts) });
  const large = await start(alertCount);
  const small = await start(alertCount / 10).catch(async (error) => {
    await large.stop();
    throw error;
  });
  try {
    const results: Result[] = [];
    for (const [index, call] of large.handshake.calls.entries()) {
      const lanes = { large: [] as number[], small: [] as number[], bare: [] as number[] };
      for (let round = 0; round < rounds + warmUp; round++) {
        const taken = {
          bare: await timeOf(call.bare, large.handshake.token),
          small: await timeOf(small.handshake.calls[index]!.ours, small.handshake.token),
          large: await timeOf(call.ours, large.handshake.token),
        };
        if (round < warmUp) continue;
        for (const lane of ['large', 'small', 'bare'] as const) lanes[lane].push(taken[lane]);
      }
      const [value, before, bare] = [median(lanes.large), median(lanes.small), median(lanes.bare)];
      results.push(
        { name: `dashboard.${call.name}.growth`, unit: 'ms', value, limit: before, ratio: value / before },
        { name: `dashboard.${call.name}.bare`, unit: 'ms', value, limit: bare, ratio: value / bare },
      );
    }
    return results;
  } finally {
    await small.stop();
    await large.stop();
  }
}

async function timeOf(url: string, token: string): Promise<number> {
  const started = performance.now();
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${url} returned ${answer.status}`);
  return performance.now() - started;
}
