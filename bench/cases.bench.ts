/**
 * Cases with 1,000,000 alerts, 50,000 cases and 200 organisations, 8 callers, against bare Fastify and pg reading the same
 * rows: first list pages, page 200 against page 1, a case with 2,000 alerts, a status change, and closing 10,000 cases under
 * load.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { startServer } from './cpu.ts';
import { median, percentile } from './figures.ts';
import type { Result } from './run.ts';

const callers = 8;
const callsARound = 160;
const rounds = 4;

interface ServerHandshake {
  ours: string;
  bare: string;
  client: number;
  cases: number;
  start: string;
  end: string;
  token: string;
}

export async function run(): Promise<Result[]> {
  const { handshake, stop } = await startServer<ServerHandshake>('./cases.server.ts');
  try {
    const headers = { authorization: `Bearer ${handshake.token}`, 'content-type': 'application/json' };
    const call = async (url: string, body?: unknown): Promise<unknown> => {
      const answer = await fetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${url} returned ${answer.status}: ${text.slice(0, 300)}`);
      return JSON.parse(text);
    };
    const p95 = async (request: (n: number) => Promise<unknown>, calls = callsARound): Promise<number> => {
      const times: number[] = [];
      let left = calls;
      await Promise.all(
        Array.from({ length: callers }, async () => {
          while (left-- > 0) {
            const started = performance.now();
            await request(left);
            times.push(performance.now() - started);
          }
        }),
      );
      return percentile(times, 0.95);
    };
    const compare = async (
      name: string,
      ours: (n: number) => Promise<unknown>,
      limit: (n: number) => Promise<unknown>,
    ): Promise<Result> => {
      const lanes = { ours: [] as number[], limit: [] as number[] };
      for (let round = 0; round <= rounds; round++) {
        const bare = await p95(limit);
        const own = await p95(ours);
        if (round === 0) continue;
        lanes.limit.push(bare);
        lanes.ours.push(own);
      }
      return {
        name,
        unit: 'ms',
        value: median(lanes.ours),
        limit: median(lanes.limit),
        ratio: median(lanes.ours.map((value, round) => value / lanes.limit[round]!)),
      };
    };
    const { start, end, client } = handshake;
    const list = (more: object) =>
      call(`${handshake.ours}/case/caseList/`, { selectedClientOrganizationID: client, start, end, ...more });
    const bareList = (more: object) => call(`${handshake.bare}/list`, { client, offset: 0, ...more });

    const results = [
      await compare(
        'cases.list',
        () => list({}),
        () => bareList({}),
      ),
      await compare(
        'cases.list-all',
        () => list({ selectedClientOrganizationID: 0 }),
        () => bareList({ client: 0 }),
      ),
      await compare(
        'cases.list-filtered',
        () => list({ filters: { status: ['escalated'] } }),
        () => bareList({ status: 'escalated' }),
      ),
      await compare(
        'cases.page-200',
        () => list({ selectedClientOrganizationID: 0, page: 200 }),
        () => list({ selectedClientOrganizationID: 0, page: 1 }),
      ),
      await compare(
        'cases.detail',
        () => call(`${handshake.ours}/casedetails/1/${client}`),
        () => call(`${handshake.bare}/detail`),
      ),
    ];

    // Open cases of many clients, two requests per change: back and forth, so that each is a real change.
    const open = (await list({
      selectedClientOrganizationID: 0,
      filters: { status: ['investigating', 'assigned'] },
      pageSize: 200,
    })) as {
      results: { id: number; status: string }[];
    };
    const statusOf = new Map(open.results.map(({ id, status }) => [id, status]));
    const ids = [...statusOf.keys()];
    const other = (id: number) => {
      const next = statusOf.get(id) === 'assigned' ? 'investigating' : 'assigned';
      statusOf.set(id, next);
      return next;
    };
    results.push(
      await compare(
        'cases.status',
        (n) =>
          call(`${handshake.ours}/caseDetails/caseStatusChange`, {
            incidentID: ids[n % ids.length],
            caseStatus: other(ids[n % ids.length]!),
          }),
        (n) => call(`${handshake.bare}/status`, { id: ids[n % ids.length], status: statusOf.get(ids[n % ids.length]!) }),
      ),
    );

    // Closes 10,000 cases in one call and measures the effect on other calls.
    const others = async (until: () => boolean): Promise<number> => {
      const times: number[] = [];
      while (!until()) {
        const started = performance.now();
        await list({});
        times.push(performance.now() - started);
        await pause(10);
      }
      return percentile(times, 0.95);
    };
    const calm = performance.now() + 3_000;
    const idle = await others(() => performance.now() > calm);
    const begun = performance.now();
    const job = (await call(`${handshake.ours}/bulk/cases`, {
      which: { selectedClientOrganizationID: 0, start, end, filters: { status: ['open', 'assigned'] } },
      change: { do: 'status', caseStatus: 'closed' },
    })) as { id: number };
    let state = { state: 'waiting', changed: 0, skipped: 0, total: 0 };
    let isDone = false;
    const watching = (async () => {
      while (performance.now() - begun < 120_000) {
        state = (await call(`${handshake.ours}/bulk/${job.id}`)) as typeof state;
        if (state.state === 'done' || state.state === 'failed') break;
        await pause(100);
      }
      isDone = true;
    })();
    const underLoad = await others(() => isDone);
    await watching;
    if (state.state !== 'done') throw new Error(`Closing ended as ${JSON.stringify(state)}`);
    const seconds = (performance.now() - begun) / 1000;
    results.push(
      {
        name: 'cases.bulk-close',
        unit: 's a 10,000',
        value: (seconds * 10_000) / state.changed,
        limit: 20,
        ratio: (seconds * 10_000) / state.changed / 20,
      },
      { name: 'cases.bulk-others', unit: 'ms', value: underLoad, limit: idle, ratio: underLoad / idle },
    );
    return results;
  } finally {
    await stop();
  }
}
