/**
 * Sign-ins per second over HTTP against bare argon2id verifications at the same cost, interleaved; their effect on other calls
 * (p95 under load against idle p95); and 429 for sign-ins beyond the concurrency limit, while those within it succeed.
 */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { startServer } from './cpu.ts';
import { median, percentile } from './figures.ts';
import type { Result } from './run.ts';

const rounds = 5;
const signInsARound = 120;
/** Concurrent sign-ins within the limit. */
const atOnce = 8;
const flood = 150;

interface ServerHandshake {
  signIn: string;
  other: string;
  bare: string;
  token: string;
  password: string;
  people: number;
}

export async function run(): Promise<Result[]> {
  const { handshake, stop } = await startServer<ServerHandshake>('./sign-in.server.ts');
  const agent = new Agent({ keepAlive: true });
  try {
    let next = 0;
    /** Each user has an own address, as behind a proxy. Not `fetch`: the sender shares the machine and must be cheap. */
    const signIn = async (): Promise<number> => {
      const n = next++;
      const call = request(handshake.signIn, {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}` },
      }).end(JSON.stringify({ email: `person${n % handshake.people}@bench.example`, password: handshake.password }));
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      await once(answer.resume(), 'end');
      return answer.statusCode ?? 0;
    };
    const signIns = async (count: number): Promise<number> => {
      let left = count;
      const started = performance.now();
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          while (left-- > 0) {
            const status = await signIn();
            if (status !== 200) throw new Error(`A sign-in returned ${status}.`);
          }
        }),
      );
      return count / ((performance.now() - started) / 1000);
    };
    /** p95 of another call, repeated every few milliseconds until `until`. */
    const others = async (until: () => boolean): Promise<number> => {
      const times: number[] = [];
      while (!until()) {
        const started = performance.now();
        const answer = await fetch(handshake.other, { headers: { authorization: `Bearer ${handshake.token}` } });
        await answer.arrayBuffer();
        if (!answer.ok) throw new Error(`The other call returned ${answer.status}.`);
        times.push(performance.now() - started);
        await pause(5);
      }
      return percentile(times, 0.95);
    };

    const lanes = { bare: [] as number[], ours: [] as number[], idle: [] as number[], underLoad: [] as number[] };
    for (let round = 0; round <= rounds; round++) {
      const bare = Number(await (await fetch(`${handshake.bare}/bare/${signInsARound}`)).text());
      const ours = await signIns(signInsARound);
      const end = performance.now() + 1500;
      const idle = await others(() => performance.now() > end);
      let isDone = false;
      const signing = signIns(signInsARound).finally(() => {
        isDone = true;
      });
      const underLoad = await others(() => isDone);
      await signing;
      // Warm-up round.
      if (round === 0) continue;
      lanes.bare.push(bare);
      lanes.ours.push(ours);
      lanes.idle.push(idle);
      lanes.underLoad.push(underLoad);
    }
    const ratio = (values: number[], limits: number[]) => median(values.map((value, round) => value / limits[round]!));

    const statuses = await Promise.all(Array.from({ length: flood }, signIn));
    const strange = statuses.filter((status) => status !== 200 && status !== 429);
    if (strange.length > 0) throw new Error(`A flood of sign-ins returned ${[...new Set(strange)].join(', ')}.`);
    const refused = statuses.filter((status) => status === 429).length;
    return [
      {
        name: 'sign-in.rate',
        unit: 'a second',
        value: median(lanes.ours),
        limit: median(lanes.bare),
        ratio: ratio(lanes.ours, lanes.bare),
      },
      {
        name: 'sign-in.others-p95',
        unit: 'ms',
        value: median(lanes.underLoad),
        limit: median(lanes.idle),
        ratio: ratio(lanes.underLoad, lanes.idle),
      },
      // Beyond the limit some are refused at once, and those within it succeed.
      { name: 'sign-in.flood', unit: 'refused', value: refused, limit: 1, ratio: Math.min(refused, flood - refused) },
    ];
  } finally {
    agent.destroy();
    await stop();
  }
}
