/**
 * G11: a JSON route through the complete hook chain (and through sign-in with its database) against bare Fastify, in one server
 * process: requests per second of processor time, interleaved.
 */
import autocannon from 'autocannon';
import { startServer } from './cpu.ts';
import { median } from './figures.ts';
import type { Result } from './run.ts';

const rounds = 5;
const requestsARound = 12_000;

export async function run(): Promise<Result[]> {
  const { handshake, stop } = await startServer<{ ours: string; bare: string; token: string }>('./chain.server.ts');
  try {
    const load = async (url: string, headers: Record<string, string> = {}): Promise<number> => {
      await fetch(`${handshake.bare}/cpu`);
      const result = await autocannon({ url, connections: 16, amount: requestsARound, headers });
      if (result.non2xx > 0 || result.errors > 0)
        throw new Error(`${url}: ${result.non2xx + result.errors} responses were not 2xx`);
      return requestsARound / (Number(await (await fetch(`${handshake.bare}/cpu`)).text()) / 1e6);
    };
    const lanes = { bare: [] as number[], open: [] as number[], own: [] as number[] };
    for (let round = 0; round <= rounds; round++) {
      const bare = await load(`${handshake.bare}/bare`);
      const open = await load(`${handshake.ours}/api/v1/bench.open`);
      const own = await load(`${handshake.ours}/api/v1/bench.own`, { authorization: `Bearer ${handshake.token}` });
      // Warm-up round.
      if (round === 0) continue;
      lanes.bare.push(bare);
      lanes.open.push(open);
      lanes.own.push(own);
    }
    const limit = median(lanes.bare);
    const result = (name: string, values: number[]): Result => ({
      name,
      unit: 'req/cpu-s',
      value: median(values),
      limit,
      ratio: median(values.map((value, round) => value / lanes.bare[round]!)),
    });
    return [result('chain.open', lanes.open), result('chain.signed-in', lanes.own)];
  } finally {
    await stop();
  }
}
