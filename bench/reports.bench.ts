/**
 * Monthly PDF within five seconds; and PDF, report and reconciliation of all clients over a year with 10,000,000 against
 * 1,000,000 alerts of the same 200 organisations, whose time must not grow. Interleaved medians. BENCH_ALERTS sets the larger
 * number.
 */
import { startServer } from './cpu.ts';
import { median } from './figures.ts';
import type { Result } from './run.ts';

const alertCount = Number(process.env.BENCH_ALERTS ?? 10_000_000);
const rounds = 9;
const warmUp = 2;
const longestMs = 5_000;

interface ServerHandshake {
  token: string;
  pdf: string;
  report: string;
  balance: string;
}
const calls = ['pdf', 'report', 'balance'] as const;

export async function run(): Promise<Result[]> {
  const start = (alerts: number) => startServer<ServerHandshake>('./reports.server.ts', { BENCH_ALERTS: String(alerts) });
  const large = await start(alertCount);
  const small = await start(alertCount / 10).catch(async (error) => {
    await large.stop();
    throw error;
  });
  try {
    const results: Result[] = [];
    for (const call of calls) {
      const lanes = { large: [] as number[], small: [] as number[] };
      for (let round = 0; round < rounds + warmUp; round++) {
        const taken = {
          small: await timeOf(small.handshake[call], small.handshake.token),
          large: await timeOf(large.handshake[call], large.handshake.token),
        };
        if (round < warmUp) continue;
        lanes.small.push(taken.small);
        lanes.large.push(taken.large);
      }
      const [value, before] = [median(lanes.large), median(lanes.small)];
      if (call === 'pdf')
        results.push({
          name: 'reports.pdf.time',
          unit: 'ms',
          value: Math.max(...lanes.large),
          limit: longestMs,
          ratio: Math.max(...lanes.large) / longestMs,
        });
      results.push({ name: `reports.${call}.growth`, unit: 'ms', value, limit: before, ratio: value / before });
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
