/**
 * G9: a page of the alert list over 1,000,000 alerts of 200 organisations, 8 callers, with sign-in and tenant check, against
 * bare Fastify and pg reading the same rows; p95 of each, interleaved. Also the bytes of 50 rows.
 */
import { startServer } from './cpu.ts';
import { median, percentile } from './figures.ts';
import type { Result } from './run.ts';

const callers = 8;
const callsARound = 400;
const rounds = 6;
const maxBytes = 40_000;

export async function run(isCi: boolean): Promise<Result[]> {
  // The size of a page is independent of the total.
  const env = { BENCH_ALERTS: isCi ? '20000' : '1000000' };
  const { handshake, stop } = await startServer<{ ours: string; bare: string; token: string }>('./list.server.ts', env);
  try {
    const headers = { authorization: `Bearer ${handshake.token}` };
    const bytes = (await (await fetch(handshake.ours, { headers })).arrayBuffer()).byteLength;
    const weight: Result = { name: 'list.bytes', unit: 'bytes', value: bytes, limit: maxBytes, ratio: bytes / maxBytes };
    if (isCi) return [weight];

    const p95 = async (url: string): Promise<number> => {
      const times: number[] = [];
      let left = callsARound;
      await Promise.all(
        Array.from({ length: callers }, async () => {
          while (left-- > 0) {
            const started = performance.now();
            const answer = await fetch(url, { headers });
            await answer.arrayBuffer();
            if (!answer.ok) throw new Error(`${url} returned ${answer.status}`);
            times.push(performance.now() - started);
          }
        }),
      );
      return percentile(times, 0.95);
    };
    const lanes = { ours: [] as number[], bare: [] as number[] };
    for (let round = 0; round <= rounds; round++) {
      const bare = await p95(handshake.bare);
      const ours = await p95(handshake.ours);
      // Warm-up round.
      if (round === 0) continue;
      lanes.bare.push(bare);
      lanes.ours.push(ours);
    }
    return [
      {
        name: 'list.p95',
        unit: 'ms',
        value: median(lanes.ours),
        limit: median(lanes.bare),
        ratio: median(lanes.ours.map((value, round) => value / lanes.bare[round]!)),
      },
      weight,
    ];
  } finally {
    await stop();
  }
}
