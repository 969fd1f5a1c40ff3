/**
 * Matching 100,000 findings against 50,000 advisories may take at most 12 times as long as 10,000 findings, both initially and
 * without changes. Also the calls over these findings against their minimal statements; interleaved medians. BENCH_FINDINGS and
 * BENCH_ADVISORIES reduce the volume.
 */
import { startServer } from './cpu.ts';
import { median } from './figures.ts';
import type { Result } from './run.ts';

const rounds = 15;
const warmUp = 3;

interface ServerHandshake {
  token: string;
  imported: number;
  matching: { small: number; large: number; smallAgain: number; largeAgain: number };
  calls: { name: string; ours: string; bare: string }[];
}

export async function run(): Promise<Result[]> {
  const { handshake, stop } = await startServer<ServerHandshake>('./vulnerabilities.server.ts');
  try {
    const { small, large, smallAgain, largeAgain } = handshake.matching;
    const results: Result[] = [
      { name: 'vulnerabilities.match', unit: 'ms', value: large, limit: small, ratio: large / small },
      { name: 'vulnerabilities.match-again', unit: 'ms', value: largeAgain, limit: smallAgain, ratio: largeAgain / smallAgain },
    ];
    for (const call of handshake.calls) {
      const lanes = { ours: [] as number[], bare: [] as number[] };
      for (let round = 0; round < rounds + warmUp; round++) {
        const taken = { bare: await timeOf(call.bare, handshake.token), ours: await timeOf(call.ours, handshake.token) };
        if (round < warmUp) continue;
        for (const lane of ['ours', 'bare'] as const) lanes[lane].push(taken[lane]);
      }
      const [value, limit] = [median(lanes.ours), median(lanes.bare)];
      results.push({ name: `vulnerabilities.${call.name}`, unit: 'ms', value, limit, ratio: value / limit });
    }
    return results;
  } finally {
    await stop();
  }
}

async function timeOf(url: string, token: string): Promise<number> {
  const started = performance.now();
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${url} returned ${answer.status}`);
  return performance.now() - started;
}
