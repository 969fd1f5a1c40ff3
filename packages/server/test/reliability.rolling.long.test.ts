/**
 * F12: two portals of an earlier commit, on data that this commit created, are exchanged for those of this version one after the other, under the load of
 * people, shippers and agents of both versions behind a proxy. No request fails that was not retried, nothing is lost or double, and what one version
 * publishes the other one takes. `FORMER` is the earlier commit, the one before this one by default; `ROLLING_READS` of people pass between two steps.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { agentsApi } from '@parapet/contract/agents.ts';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Database } from '../src/core/db/connect.ts';
import { appUrl } from '../src/core/db/migrate.ts';
import { scoped } from '../src/core/db/scope.ts';
import { dropDatabase, emptyDatabase } from './database.ts';
import { type Balancer, balancer } from './reliability.balancer.ts';
import { type FormerVersion, formerVersion, previousCommit } from './reliability.former.ts';
import { ledgerFaults } from './reliability.ledger.ts';
import { ownFolder, type PortalProcess, portalProcess } from './reliability.portal.ts';
import {
  type Call,
  callerOf,
  client,
  follow,
  type HostAgent,
  hostAgent,
  type Load,
  postAlarm,
  readPaths,
  signIn,
  startLoad,
  tokenOf,
} from './reliability.rolling.load.ts';
import { probeRules } from './reliability.rules.ts';
import { eventRows } from './storedEvents.ts';

const commit = process.env.FORMER ?? previousCommit();
const reads = Number(process.env.ROLLING_READS ?? 300);
const limitMs = 20 * 60_000;
/** A migration waits a second for a lock; statements wait behind it. */
const lockLimitMs = 1_500;

let former: FormerVersion;
let data: { name: string; ownerUrl: string };
let dataDir: string;
let db: Database;
let first: PortalProcess;
let second: PortalProcess;
let proxy: Balancer;
let host: Call;
let key: string;
let rules: Awaited<ReturnType<typeof probeRules>>;
let paths: string[];
let agents: HostAgent[] = [];

beforeAll(async () => {
  if (!commit) return;
  former = await formerVersion(commit);
  data = await emptyDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'parapet-rolling-'));
  const env = {
    ...{ DATABASE_URL: data.ownerUrl, DATA_DIR: dataDir, TRUST_PROXY: '1' },
    ...{ API_CALLS_A_MINUTE: '1000000', API_REFUSALS_A_MINUTE: '1000000' },
  };
  const maker = await portalProcess({
    env: { ...env, PORTAL_ROLES: 'api,ingest,worker', PORTAL_DEMO: '1', PORTAL_DEMO_SCALE: '0.1' },
    startLimitMs: limitMs,
  });
  await maker.start(former.folder);
  await maker.end('SIGTERM');
  rules = await probeRules();
  const exchanged = { env: { ...env, RULES_DIR: rules.folder }, startLimitMs: limitMs };
  [first, second] = [await portalProcess(exchanged), await portalProcess(exchanged)];
  await first.start(former.folder);
  await second.start(former.folder);
  proxy = await balancer([first.port, second.port]);
  db = connect({ url: appUrl(data.ownerUrl), applicationName: 'test', poolSize: 2, statementTimeoutMs: 0 });
  host = await signIn(proxy.origin, 'host');
  key = (await host<{ key: string }>(`/ingestkeys/${client}`, { name: 'rolling' })).body.key;
  const { token } = (
    await host<{ token: string }>(agentsApi.createToken.path.replace(':client', String(client)), { name: 'rolling', maxUses: 2 })
  ).body;
  agents = [
    await hostAgent(former.folder, proxy.origin, token, 'former'),
    await hostAgent(ownFolder, proxy.origin, token, 'present'),
  ];
  // Those that the earlier version has too.
  const all = readPaths();
  const statuses = await Promise.all(all.map(async (path) => (await host(path)).status));
  paths = all.filter((_, index) => statuses[index] === 200);
}, limitMs);
afterAll(async () => {
  for (const agent of agents) await agent.stop();
  await proxy?.close();
  for (const portal of [first, second]) await (portal as PortalProcess | undefined)?.end('SIGTERM');
  await db?.close();
  if (data) await dropDatabase(data.name);
  await former?.remove();
  await rules?.remove();
  if (dataDir) await rm(dataDir, { recursive: true, force: true });
}, 120_000);

/** Watches how long portals wait for locks of tables; returns the longest wait in milliseconds. */
async function watchLocks(): Promise<() => Promise<number>> {
  const watcher = new pg.Client({ connectionString: data.ownerUrl });
  watcher.on('error', () => {});
  await watcher.connect();
  let [isOver, longest] = [false, 0];
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await watcher.query<{ ms: number }>(
        `select coalesce(max(extract(epoch from clock_timestamp() - l.waitstart)) * 1000, 0)::float8 as ms
          from pg_locks l join pg_stat_activity a using (pid)
          where not l.granted and l.locktype = 'relation' and a.datname = current_database() and a.application_name like 'portal%'`,
      );
      longest = Math.max(longest, rows[0]?.ms ?? 0);
      await pause(20);
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    await watcher.end();
    return longest;
  };
}

/** Exchanges one portal, and returns the seconds without it. */
async function exchange(portal: PortalProcess): Promise<number> {
  const started = performance.now();
  await portal.end('SIGTERM');
  await portal.start();
  return (performance.now() - started) / 1_000;
}

/** Resolves once people have read some more. */
async function underLoad(load: Load): Promise<void> {
  const until = load.reads + reads;
  await expect.poll(() => load.reads, { timeout: limitMs, interval: 100 }).toBeGreaterThanOrEqual(until);
}

const within = { timeout: 120_000, interval: 100 };

/** An alert that one portal takes reaches the streams of both; a session that one ends is over at both. */
async function talk(from: PortalProcess, to: PortalProcess): Promise<void> {
  const token = tokenOf(host);
  const streams = [follow(from.origin, token), follow(to.origin, token)];
  await Promise.all(streams.map(({ opened }) => opened));
  const device = `talk-${from.port}`;
  expect(await postAlarm(from.origin, key, device)).toBe(true);
  for (const { devices } of streams) await expect.poll(() => [...devices], within).toContain(device);
  await Promise.all(streams.map((stream) => stream.close()));

  const person = await signIn(from.origin, 'manager');
  const elsewhere = callerOf(to.origin, tokenOf(person));
  expect((await elsewhere(`/tags?selectedClientOrgID=${client}`)).status).toBe(200);
  await person('/auth/logout', {});
  await expect.poll(async () => (await elsewhere(`/tags?selectedClientOrgID=${client}`)).status, within).toBe(401);
}

/** Isolates the host of each agent at one portal and ends it at the other, which the agents report wherever their request waits. */
async function act(from: PortalProcess, to: PortalProcess): Promise<void> {
  const callers = [from, to].map(({ origin }) => callerOf(origin, tokenOf(host))) as [Call, Call];
  const verified = async (path: string, body: object, caller: Call) => {
    const request = await caller<{ id: number }>(path, body);
    expect(request).toEqual({ status: 200, body: expect.objectContaining({ id: expect.any(Number) }) });
    const { id } = request.body;
    await expect.poll(async () => (await caller<{ state: string }>(`/response/${id}`)).body.state, within).toBe('verified');
    return id;
  };
  for (const { name } of agents) {
    const id = await verified('/response', { clientOrganizationID: client, action: 'isolate', target: name }, callers[0]);
    await verified(`/response/${id}/undo`, {}, callers[1]);
  }
}

/** Acknowledged things that are lost or double, by kind. */
async function faultsOf({ ledgers }: Load): Promise<string[]> {
  const { events, devices, tags } = await scoped(db, { organisationIds: [client] }, async (tx) => ({
    events: (await eventRows(tx, client)).map(({ text, document }) => `${text} ${JSON.stringify(document)}`),
    devices: (await tx.selectFrom('alerts').select('device_name').where('device_name', 'like', 'alarm%').execute()).map(
      (row) => row.device_name ?? '',
    ),
    tags: (await tx.selectFrom('tags').select('name').where('name', 'like', 'tag%').execute()).map(({ name }) => name),
  }));
  const kinds = [
    ['tags', ledgers.tags, tags],
    ['alarms', ledgers.alarms, devices],
    ...[ledgers.events, ...agents.map(({ ledger }) => ledger)].map(
      (ledger, index) => [`events ${index}`, ledger, events] as const,
    ),
  ] as const;
  return kinds.flatMap(([kind, ledger, stored]) => {
    const { lost, double } = ledgerFaults(ledger, stored);
    return [...lost.map((mark) => `${kind} lost ${mark}`), ...double.map((mark) => `${kind} double ${mark}`)];
  });
}

test.skipIf(!commit)('fails no request while two portals are exchanged, and loses nothing', { timeout: limitMs }, async () => {
  const rule = { action: 'isolate', deviceType: 'server', hours: 'always', approvers: 'nobody' };
  expect((await host(`/approvalrules/${client}`, rule)).status).toBe(200);
  expect(paths.length).toBeGreaterThan(50);
  const stream = follow(proxy.origin, tokenOf(host));
  await stream.opened;
  const load = startLoad({ origin: proxy.origin, person: host, key, paths, agents });
  const locks = await watchLocks();
  await underLoad(load);
  const waits = [await exchange(first)];
  await talk(first, second);
  await talk(second, first);
  await act(first, second);
  await act(second, first);
  await underLoad(load);
  waits.push(await exchange(second));
  await underLoad(load);
  await load.stop();
  const longestLock = await locks();
  const isSettled = async () => (await faultsOf(load)).slice(0, 10);
  await expect.poll(isSettled, { timeout: 120_000, interval: 1_000 }).toEqual([]);
  await expect.poll(() => [...load.ledgers.alarms.acknowledged].filter((mark) => !stream.devices.has(mark)), within).toEqual([]);
  await stream.close();
  const { ledgers, faults, resent } = load;
  console.log(
    `F12 from ${former.commit} (${former.migrations.length} migrations): ${proxy.answered} requests (${load.reads} reads of ${paths.length} paths), ` +
      `${ledgers.tags.acknowledged.size} tags, ${ledgers.events.acknowledged.size} events, ${ledgers.alarms.acknowledged.size} alerts, ` +
      `${agents.map(({ name, ledger }) => `${ledger.acknowledged.size} lines of the ${name} agent`).join(', ')}; ` +
      `retried ${JSON.stringify(proxy.retried)}, resent ${resent}, failed ${proxy.failed.length}; ` +
      `longest response ${proxy.longestMs.toFixed(0)} ms, longest wait for a lock ${longestLock.toFixed(0)} ms; ` +
      `without a portal ${waits.map((wait) => wait.toFixed(1)).join(' and ')} s`,
  );
  expect(proxy.failed.slice(0, 20)).toEqual([]);
  expect(faults.slice(0, 20)).toEqual([]);
  expect(longestLock).toBeLessThan(lockLimitMs);
  for (const portal of [first, second]) expect(portal.log()).not.toMatch(/a listener failed|could not be read/);
});

test.skipIf(!commit)('notices a portal that is killed instead of stopped', { timeout: limitMs }, async () => {
  const before = proxy.failed.length;
  const load = startLoad({ origin: proxy.origin, person: host, key, paths, agents: [] });
  await expect.poll(() => load.ledgers.tags.acknowledged.size, within).toBeGreaterThan(5);
  await second.end('SIGKILL');
  await expect.poll(() => proxy.failed.length, within).toBeGreaterThan(before);
  await load.stop();
});
