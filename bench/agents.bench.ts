/**
 * 10,000 agents with one check-in per minute and open long polls, plus 1,000 events per second, on the complete server.
 * Compares check-ins with those of 100 agents, and memory, event-loop stalls and task latency with the budgets.
 */
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { agentPaths, type CheckIn } from '@parapet/contract/agentProtocol.ts';
import { scoped } from '@parapet/server/core/db/scope.ts';
import { hashOfToken, newToken } from '@parapet/server/core/secrets.ts';
import { queueTask } from '@parapet/server/features/agents/agents.tasks.ts';
import { createIngestKeysService } from '@parapet/server/features/ingest-keys/ingest-keys.service.ts';
import { sql } from 'kysely';
import { fleet } from './events.ts';
import { percentile } from './figures.ts';
import { type Portal, startPortal } from './portal.ts';
import type { Result } from './run.ts';

const everyMs = 60_000;
const fewAgents = 100;
const manyAgents = 10_000;
const organisations = 20;
const eventsPerSecond = 1_000;
const tasks = 200;
const maxMemory = 700 * 2 ** 20;
const longestStallMs = 50;
const longestWayMs = 2_000;

interface Known {
  id: number;
  organisationId: number;
  key: string;
}

export async function run(): Promise<Result[]> {
  const portal = await startPortal();
  try {
    const agents = await prepare(portal);
    const stopEvents = await sendEvents(portal);
    const few = await live(portal, agents.slice(0, fewAgents), false);
    const many = await live(portal, agents, true);
    await stopEvents();
    const ratio = (name: string, unit: string, value: number, limit: number) => ({
      name,
      unit,
      value,
      limit,
      ratio: value / limit,
    });
    return [
      ratio('agents.check-in', 'ms p95', percentile(many.checkIns, 0.95), percentile(few.checkIns, 0.95)),
      ratio('agents.memory', 'MiB', many.memory / 2 ** 20, maxMemory / 2 ** 20),
      ratio('agents.stall', 'ms p99', many.stallMs, longestStallMs),
      ratio('agents.task', 'ms p95', percentile(many.ways, 0.95), longestWayMs),
    ];
  } finally {
    await portal.stop();
  }
}

/** Inserted as enrolled and seen; enrolment is not measured. */
async function prepare({ db }: Portal): Promise<Known[]> {
  const made = Array.from({ length: manyAgents }, (_, n) => ({
    n,
    key: `pa_${newToken()}`,
    machine: randomBytes(16).toString('hex'),
  }));
  return scoped(
    db,
    'system',
    async (tx) => {
      await sql`insert into organisations (id, name, is_partner) select 5000 + n, 'Bench ' || n, false from generate_series(0, ${organisations - 1}) n`.execute(
        tx,
      );
      const rows = made.map(({ n, key, machine }) => ({ n, hash: hashOfToken(key).toString('hex'), machine }));
      const { rows: agents } = await sql<{ n: number; id: number; organisationId: number }>`
        with given as (
          select 5000 + n % ${organisations}::integer as organisation_id, n, hash, machine, gen_random_uuid() as device
          from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g (n integer, hash text, machine text)
        ), hosts as (
          insert into devices (id, organisation_id, name, device_type, agent_version)
          select device, organisation_id, 'host-' || n, 'server', 'mdr-agent 1.0.0' from given returning id
        )
        insert into agents (organisation_id, device_id, machine_id, key_hash, platform, version, inventory_hash, last_check_in_at)
        select organisation_id, device, machine, decode(hash, 'hex'), 'linux-x64', '1.0.0', 'same', now() from given where exists (select from hosts)
        returning (select n from given where given.device = device_id) as n, id, organisation_id as "organisationId"`.execute(tx);
      const keys = new Map(made.map(({ n, key }) => [n, key]));
      return agents.map(({ n, id, organisationId }) => ({ id, organisationId, key: keys.get(n) as string }));
    },
    { statementTimeoutMs: 0 },
  );
}

const checkInBody: CheckIn = {
  version: '1.0.0',
  inventoryHash: 'same',
  holding: { isIsolated: false, releaseInSeconds: null, blockedUsers: [] },
  buffer: { bytes: 12_345, limitBytes: 256 * 2 ** 20, isFull: false, events: 17 },
  shipped: 123_456,
  dropped: { 'too large': 3 },
  errors: ['2026-11-21T10:00:00Z The portal returned 503: it was being restarted.'],
  lastSequence: 0,
};

/** Measures one minute after half a minute of warm-up. */
async function live(portal: Portal, agents: readonly Known[], hasTasks: boolean) {
  const checkIns: number[] = [];
  const ways: number[] = [];
  const stalls: number[] = [];
  let memory = 0;
  const sentAt = new Map<number, number>();
  // A shared signal for 20,000 requests would scan its listener list for each.
  let isOver = false;
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const send = (path: string, key: string, body?: object) =>
    new Promise<string | undefined>((resolve, reject) => {
      const text = body && JSON.stringify(body);
      const call = request(
        portal.url + path,
        {
          method: text ? 'POST' : 'GET',
          agent,
          headers: {
            authorization: `Bearer ${key}`,
            ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          },
        },
        (answer) => {
          let got = '';
          answer.setEncoding('utf8');
          answer.on('data', (part: string) => {
            got += part;
          });
          answer.on('end', () => {
            if (answer.statusCode === 200) resolve(got);
            // Busy: agents retry, and the delay counts.
            else if (answer.statusCode === 429 || answer.statusCode === 503) resolve(undefined);
            else reject(new Error(`${path} returned ${answer.statusCode}: ${got.slice(0, 200)}`));
          });
          answer.on('error', reject);
        },
      );
      call.on('error', reject);
      call.end(text);
    });
  let isMeasured = false;
  let failure: Error | undefined;
  const quietly = (error: Error) => {
    if (!isOver) failure ??= error;
  };
  const checkIn = async ({ key }: Known, first: number) => {
    await pause(first);
    while (!isOver) {
      const started = performance.now();
      while ((await send(agentPaths.checkIn, key, checkInBody)) === undefined) await pause(500);
      if (isMeasured) checkIns.push(performance.now() - started);
      await pause(Math.max(0, everyMs - (performance.now() - started)), undefined, { ref: false });
    }
  };
  const wait = async ({ key }: Known, first: number) => {
    await pause(first);
    for (let after = 0; !isOver; ) {
      const answer = await send(`${agentPaths.tasks}?after=${after}&wait=50`, key);
      if (answer === undefined) {
        await pause(500);
        continue;
      }
      const { tasks: given } = JSON.parse(answer) as { tasks: { id: number; sequence: number }[] };
      for (const { id, sequence } of given) {
        after = Math.max(after, sequence);
        const sent = sentAt.get(id);
        if (sent !== undefined) ways.push(performance.now() - sent);
      }
    }
  };
  // All start within half a minute; each checks in once in every following minute.
  for (const [n, each] of agents.entries()) {
    checkIn(each, (n / agents.length) * everyMs).catch(quietly);
    wait(each, (n / agents.length) * (everyMs / 2)).catch(quietly);
  }
  await pause(everyMs / 2);
  isMeasured = true;
  const until = performance.now() + everyMs;
  for (let n = 0; performance.now() < until; n++) {
    const now = await portal.figures();
    memory = Math.max(memory, now.memory);
    if (n > 0) stalls.push(now.stallMs);
    if (hasTasks)
      for (let each = 0; each < Math.ceil((tasks * 1_000) / everyMs); each++) {
        const { id: agentId, organisationId } = agents[Math.floor(Math.random() * agents.length)] as Known;
        const started = performance.now();
        const id = await scoped(portal.db, 'system', (tx) =>
          queueTask(tx, {
            organisationId,
            agentId,
            responseId: null,
            action: 'killProcess',
            target: '1',
            createdAt: new Date(),
            expiresAt: new Date(Date.now() + 3_600_000),
          }),
        );
        if (id !== undefined) sentAt.set(id, started);
      }
    await pause(1_000);
  }
  isOver = true;
  agent.destroy();
  if (failure) throw failure;
  return { checkIns, ways, memory, stallMs: percentile(stalls, 0.5) };
}

/** Sends shipper-sized batches for one organisation after another; returns a function that stops it. */
async function sendEvents({ url, db }: Portal): Promise<() => Promise<void>> {
  const take = await fleet();
  const keys = await Promise.all(
    Array.from({ length: organisations }, (_, n) => createIngestKeysService({ db }).createUnattended(5000 + n, 'bench')),
  );
  let isDone = false;
  const sending = (async () => {
    const started = performance.now();
    for (let batch = 0; !isDone; batch++) {
      const lines = take(100, Date.now() - 2_000).map(
        ({ id, index, line }) => `{"create":{"_index":"${index}","_id":"${id}"}}\n${line}\n`,
      );
      const answer = await fetch(`${url}/ingest/_bulk`, {
        method: 'POST',
        body: lines.join(''),
        headers: { authorization: `ApiKey ${keys[batch % keys.length]}`, 'content-type': 'application/x-ndjson' },
      });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`the intake returned ${answer.status}`);
      await pause(Math.max(0, ((batch + 1) * 100_000) / eventsPerSecond - (performance.now() - started)));
    }
  })();
  sending.catch(() => {});
  return async () => {
    isDone = true;
    await sending;
  };
}
