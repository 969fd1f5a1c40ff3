/**
 * Sign-ins a second over HTTP against bare argon2id verifications at the stated cost, in turns in one run; what other calls notice of it (p95
 * meanwhile against p95 before); and that more people than can be served are told 429, while those within the bound get in.
 */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { startServer } from './cpu.ts';
import { median, percentile } from './figures.ts';
import type { Result } from './run.ts';

const rounds = 5;
const signInsARound = 120;
/** People who sign in at once, within the bound. */
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
  const { told, stop } = await startServer<ServerHandshake>('./sign-in.server.ts');
  const agent = new Agent({ keepAlive: true });
  try {
    let next = 0;
    /** Each person from an address of their own, as behind a proxy. Not by `fetch`: the sender shares the machine, and is not what is measured. */
    const signIn = async (): Promise<number> => {
      const n = next++;
      const asked = request(told.signIn, {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}` },
      }).end(JSON.stringify({ email: `person${n % told.people}@bench.example`, password: told.password }));
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
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
            if (status !== 200) throw new Error(`A sign-in was answered ${status}.`);
          }
        }),
      );
      return count / ((performance.now() - started) / 1000);
    };
    /** p95 of another call, asked every few milliseconds until `until`. */
    const others = async (until: () => boolean): Promise<number> => {
      const times: number[] = [];
      while (!until()) {
        const started = performance.now();
        const answer = await fetch(told.other, { headers: { authorization: `Bearer ${told.token}` } });
        await answer.arrayBuffer();
        if (!answer.ok) throw new Error(`The other call was answered ${answer.status}.`);
        times.push(performance.now() - started);
        await pause(5);
      }
      return percentile(times, 0.95);
    };

    const lanes = { bare: [] as number[], ours: [] as number[], idle: [] as number[], meanwhile: [] as number[] };
    for (let round = 0; round <= rounds; round++) {
      const bare = Number(await (await fetch(`${told.bare}/bare/${signInsARound}`)).text());
      const ours = await signIns(signInsARound);
      const end = performance.now() + 1500;
      const idle = await others(() => performance.now() > end);
      let isDone = false;
      const signing = signIns(signInsARound).finally(() => {
        isDone = true;
      });
      const meanwhile = await others(() => isDone);
      await signing;
      // The first round warms caches and compiles.
      if (round === 0) continue;
      lanes.bare.push(bare);
      lanes.ours.push(ours);
      lanes.idle.push(idle);
      lanes.meanwhile.push(meanwhile);
    }
    const ratio = (values: number[], limits: number[]) => median(values.map((value, round) => value / limits[round]!));

    const statuses = await Promise.all(Array.from({ length: flood }, signIn));
    const strange = statuses.filter((status) => status !== 200 && status !== 429);
    if (strange.length > 0) throw new Error(`A flood of sign-ins was answered ${[...new Set(strange)].join(', ')}.`);
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
        value: median(lanes.meanwhile),
        limit: median(lanes.idle),
        ratio: ratio(lanes.meanwhile, lanes.idle),
      },
      // Beyond the bound: some are refused at once, and whoever is within it gets in.
      { name: 'sign-in.flood', unit: 'refused', value: refused, limit: 1, ratio: Math.min(refused, flood - refused) },
    ];
  } finally {
    agent.destroy();
    await stop();
  }
}
