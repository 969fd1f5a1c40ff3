/** A fleet upgrade end to end: real signed packages, published by the real server, installed by a running agent that is restarted. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { agentPaths, type CheckIn, type CheckInAnswer } from '@parapet/contract/agentProtocol.ts';
import { agentsApi } from '@parapet/contract/agents.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { buildAgent } from '../../../tools/build-agent.ts';
import { scoped } from '../src/core/db/scope.ts';
import { queueTask } from '../src/features/agents/agents.tasks.ts';
import { enrolmentToken } from './agents.fixture.ts';
import { type TestApp, type TestUser, testApp } from './app.ts';

const keys = generateKeyPairSync('ed25519');
const strangers = generateKeyPairSync('ed25519');
const platform = process.arch === 'arm64' ? 'linux-arm64' : 'linux-x64';

let t: TestApp;
let host: TestUser;
let organisationId: number;
let agentId: number;
let folder: string;
let home: string;
let state: string;

/** Proxy between agent and portal; alters the traffic and shortens check-in intervals to the minimum. */
let between: Server;
let changeOffer: ((offer: CheckInAnswer['upgrade']) => CheckInAnswer['upgrade']) | undefined;
let changePackage: ((bytes: Buffer) => Buffer) | undefined;
/** Version whose traffic is blocked. */
let silenced = '';
const checkIns: CheckIn[] = [];

function startBetween(portal: string): Promise<void> {
  between = createServer(async (request, reply) => {
    try {
      const body = Buffer.concat(await request.toArray());
      const { pathname } = new URL(request.url!, portal);
      const headers = { ...request.headers, connection: 'close' } as unknown as Record<string, string>;
      delete headers['transfer-encoding'];
      delete headers.host;
      if (pathname === agentPaths.checkIn) {
        const checkIn = JSON.parse(body.toString()) as CheckIn;
        if (checkIn.version === silenced) return void reply.writeHead(503).end();
        checkIns.push(checkIn);
      }
      const answer = await fetch(portal + request.url, {
        method: request.method!,
        headers,
        ...(request.method === 'GET' ? {} : { body: new Uint8Array(body) }),
      });
      let bytes: Buffer = Buffer.from(await answer.arrayBuffer());
      if (pathname === agentPaths.checkIn && answer.ok) {
        const { upgrade, ...rest } = JSON.parse(bytes.toString()) as CheckInAnswer;
        bytes = Buffer.from(JSON.stringify({ ...rest, upgrade: changeOffer ? changeOffer(upgrade) : upgrade, nextInSeconds: 5 }));
      }
      if (pathname.startsWith('/agent/packages/') && changePackage) bytes = changePackage(bytes);
      reply.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(bytes);
    } catch {
      reply.destroy();
    }
  });
  return new Promise((resolve) => between.listen(0, '127.0.0.1', resolve));
}

/** Restarts the agent whenever it exits, as the unit does. */
let agent: ChildProcess | undefined;
let isWanted = false;
let starts = 0;
let output = '';
let trialSeconds = 60;
function keepRunning(): void {
  starts++;
  const words = ['run', '--dry', '--state', state, '--trial-seconds', String(trialSeconds)];
  agent = spawn(process.execPath, [join(home, 'current', 'agent.mjs'), ...words]);
  for (const stream of [agent.stdout, agent.stderr]) stream?.on('data', (text) => (output = (output + text).slice(-20_000)));
  agent.once('close', () => void pause(100).then(() => isWanted && keepRunning()));
}

const system = <T>(fn: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', fn);
const row = () => system((tx) => tx.selectFrom('agents').selectAll().where('id', '=', agentId).executeTakeFirstOrThrow());
const current = () => readlinkSync(join(home, 'current'));
const has = (name: string) => existsSync(join(state, name));
/** The version under trial runs as a child of the previous one. */
function childOf(pid = agent?.pid): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ', 1)[0]) || undefined;
  } catch {
    return undefined;
  }
}

async function until<T>(read: () => Promise<T> | T, holds: (value: T) => boolean, ms = 20_000): Promise<T> {
  for (const end = Date.now() + ms; ; await pause(30)) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > end) throw new Error(`Timed out at ${JSON.stringify(value)?.slice(0, 500)}; ${current()}\n${output}`);
  }
}

const packageFile = (version: string) => join(folder, 'packages', `${version}.mjs`);
function signed(version: string, bytes: Buffer, key = keys.privateKey) {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const signature = sign(null, Buffer.from(`${version} ${platform} ${sha256} ${bytes.length}`), key).toString('base64url');
  return { version, platform, sha256, size: bytes.length, signature } as NonNullable<CheckInAnswer['upgrade']>;
}
const give = (version: string, key = keys.privateKey) => {
  const payload = readFileSync(packageFile(version));
  return t.application.app.inject({
    method: 'POST',
    url: `/api/v1/agentreleases/${version}/${platform}`,
    query: { signature: signed(version, payload, key).signature },
    headers: { authorization: `Bearer ${host.token}`, 'content-type': 'application/octet-stream' },
    payload,
  });
};
async function offer(version: string): Promise<void> {
  if (!existsSync(packageFile(version))) await buildAgent(version, packageFile(version));
  const given = await give(version);
  expect([200, 201, 409]).toContain(given.statusCode);
  const answer = await t.call(agentsApi.rollout, { params: { client: organisationId }, body: { version, percent: 100 } }, host);
  expect(answer.statusCode).toBe(200);
  await checkInNow();
}
/** Restarts the agent, which then checks in at once. */
async function checkInNow(): Promise<void> {
  const before = starts;
  agent?.kill('SIGKILL');
  await until(
    () => starts,
    (now) => now > before,
  );
}
/** Queues a task, after which the agent checks in at once; waits until both have happened. */
async function completesTask(): Promise<void> {
  const count = checkIns.length;
  const times = { createdAt: new Date(), expiresAt: new Date(Date.now() + 600_000) };
  const id = await system((tx) =>
    queueTask(tx, { organisationId, agentId, responseId: null, action: 'unisolate', target: '', ...times }),
  );
  await until(
    () => system((tx) => tx.selectFrom('agent_tasks').select('state').where('id', '=', id!).executeTakeFirstOrThrow()),
    ({ state }) => state === 'verified',
  );
  await until(
    () => checkIns.length,
    (now) => now > count,
  );
}
const arrives = (version: string) => until(row, (now) => now.version === version && now.upgrade_state === 'done');
/** The portal records a version at its first check-in; the agent switches to it after the response. */
const becomesCurrent = (version: string) => until(current, (now) => now === `releases/${version}`);
async function fails(version: string) {
  await until(
    () => has('upgrade.json'),
    (is) => is,
  );
  await checkInNow();
  return until(row, (now) => now.upgrade_version === version && now.upgrade_state === 'failed');
}
const refusals = (version: string) => checkIns.map(({ upgrade }) => upgrade).filter((each) => each?.version === version);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-fleet-'));
  home = join(folder, 'home');
  state = join(folder, 'state');
  t = await testApp({
    DATA_DIR: join(folder, 'data'),
    AGENT_RELEASE_KEY: keys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  });
  await t.organisation({ id: 1, isPartner: true });
  host = await t.user({ organisationId: 1, role: 'Host' });
  organisationId = await t.organisation();
  await startBetween(await t.application.app.listen({ port: 0, host: '127.0.0.1' }));

  // The layout of install.sh.
  const script = join(home, 'releases', '1.0.0', 'agent.mjs');
  mkdirSync(dirname(script), { recursive: true });
  await buildAgent('1.0.0', script);
  symlinkSync('releases/1.0.0', join(home, 'current'));
  writeFileSync(join(folder, 'machine-id'), 'e'.repeat(32));
  writeFileSync(join(folder, 'log'), '');
  const server = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
  const words = ['enrol', '--server', server, '--token', await enrolmentToken(t, organisationId), '--state', state];
  const own = ['--name', 'fleet01', '--machine-id', join(folder, 'machine-id'), '--no-journal', '--file', join(folder, 'log')];
  const enrolling = spawn(process.execPath, [join(home, 'current', 'agent.mjs'), ...words, ...own]);
  const answer = Buffer.concat(await enrolling.stdout.toArray()).toString();
  agentId = Number(/agent (\d+)/.exec(answer)?.[1]);
  expect(agentId).toBeGreaterThan(0);
  isWanted = true;
  keepRunning();
  await until(row, ({ last_check_in_at }) => last_check_in_at !== null);
}, 60_000);
afterAll(async () => {
  isWanted = false;
  if (agent?.exitCode === null) {
    const ended = new Promise((resolve) => agent?.once('close', resolve));
    agent.kill('SIGKILL');
    await ended;
  }
  between?.closeAllConnections();
  between?.close();
  await t?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
afterEach(() => {
  changeOffer = undefined;
  changePackage = undefined;
  silenced = '';
  trialSeconds = 60;
});

test('installs a newer package, restarts and reports the new version', { timeout: 60_000 }, async () => {
  await offer('1.1.0');
  const before = starts;
  expect(await arrives('1.1.0')).toMatchObject({ upgrade_version: '1.1.0' });
  await becomesCurrent('1.1.0');
  await until(
    () => starts,
    (now) => now === before + 1,
  );
  await until(
    () => refusals('1.1.0'),
    (all) => all.some((each) => each?.state === 'installed'),
  );
  expect(has('trial.json')).toBe(false);
  expect(readFileSync(join(home, 'releases', '1.1.0', 'agent.mjs'))).toEqual(readFileSync(packageFile('1.1.0')));
  expect(spawnSync(process.execPath, [join(home, 'current', 'agent.mjs'), '--version'], { encoding: 'utf8' }).stdout).toBe(
    '1.1.0\n',
  );
});

test('rejects forged packages in the portal and in the agent', { timeout: 60_000 }, async () => {
  await buildAgent('1.2.0', packageFile('1.2.0'));
  expect((await give('1.2.0', strangers.privateKey)).statusCode).toBe(400);
  changeOffer = (each) => each && signed('1.2.0', readFileSync(packageFile('1.2.0')), strangers.privateKey);
  await offer('1.2.0');
  expect((await fails('1.2.0')).upgrade_detail).toMatch(/signature/);
  expect(current()).toBe('releases/1.1.0');
});

test('refuses an older signed package, reports it once and keeps running', {
  timeout: 60_000,
}, async () => {
  const bytes = readFileSync(join(home, 'releases', '1.0.0', 'agent.mjs'));
  const older = signed('1.0.0', bytes);
  changeOffer = () => older;
  await checkInNow();
  await until(
    () => refusals('1.0.0'),
    (all) => all.length > 0,
  );
  await completesTask();
  expect(refusals('1.0.0')).toEqual([{ version: '1.0.0', state: 'refused', detail: 'It is not newer than 1.1.0.' }]);
  expect(JSON.stringify((await row()).said)).toContain('1.0.0 was refused');
  expect(current()).toBe('releases/1.1.0');
});

test.each([
  ['with a changed byte', '1.3.1', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -1), Buffer.from('!')])],
  ['too short', '1.3.2', (bytes: Buffer) => bytes.subarray(0, -100)],
  ['too long', '1.3.3', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(1_000_000, ' ')])],
])('reports and does not install a package %s', { timeout: 60_000 }, async (_, version, change) => {
  changePackage = change;
  await offer(version);
  expect((await fails(version)).upgrade_detail).toMatch(/not the package that was signed|more than/);
  expect(current()).toBe('releases/1.1.0');
  expect(existsSync(join(home, 'releases', version, 'agent.mjs'))).toBe(false);
});

test('survives kills during download, before and after the switch, and completes the upgrade', {
  timeout: 60_000,
}, async () => {
  const moments = [
    () => existsSync(join(home, 'releases', '1.4.0', 'agent.mjs')),
    () => has('trial.json'),
    () => current() === 'releases/1.4.0',
  ];
  await buildAgent('1.4.0', packageFile('1.4.0'));
  await offer('1.4.0');
  for (const isNow of moments) {
    const before = starts;
    for (const end = Date.now() + 20_000; !isNow(); await turn()) if (Date.now() > end) throw new Error(`Timed out.\n${output}`);
    agent?.kill('SIGKILL');
    // Starts whatever version is in place.
    await until(
      () => starts,
      (now) => now > before,
    );
    expect(spawnSync(process.execPath, [join(home, 'current', 'agent.mjs'), '--version'], { encoding: 'utf8' }).status).toBe(0);
  }
  await arrives('1.4.0');
  await becomesCurrent('1.4.0');
  await until(
    () => has('trial.json'),
    (is) => !is,
  );
});

test('rolls back a version that never reaches the portal and reports it', { timeout: 60_000 }, async () => {
  silenced = '1.5.0';
  trialSeconds = 24;
  await offer('1.5.0');
  for (let round = 1; round <= 3; round++) {
    const starting = () =>
      has('trial.json') && (JSON.parse(readFileSync(join(state, 'trial.json'), 'utf8')) as { starts: number }).starts;
    await until(starting, (now) => now === round);
    const child = await until(childOf, (pid) => pid !== undefined);
    expect(current()).toBe('releases/1.4.0');
    // Sometimes only the child dies, sometimes both.
    process.kill(round === 2 ? agent!.pid! : child!, 'SIGKILL');
  }
  expect((await fails('1.5.0')).upgrade_detail).toMatch(/started 3 times.*1\.4\.0 is back/);
  await worksOn();
});

async function worksOn(): Promise<void> {
  silenced = '';
  await completesTask();
  expect([current(), (await row()).version]).toEqual(['releases/1.4.0', '1.4.0']);
  await until(
    () => has('trial.json'),
    (is) => !is,
  );
  expect(childOf()).toBe(undefined);
}

/** Signed and with a valid version; running it leaves no chance for the agent’s code. */
const knowsItsName = (version: string) => `if (process.argv.includes('--version')) {
  console.log('${version}');
  process.exit();
}
(await import('node:fs')).appendFileSync(process.env.STARTS, '${version}\\n');
`;
test.each([
  ['throws at import', '1.6.1', 'throw new Error("broken");\n', '', /broken/, 0],
  ['throws when run', '1.6.2', '', 'throw new Error("broken");', /started 3 times/, 3],
  ['exits at once', '1.6.3', '', 'process.exit(1);', /started 3 times/, 3],
  ['hangs and ignores signals', '1.6.5', '', "process.on('SIGTERM', () => {}); for (;;);", /did not reach the portal/, 1],
  ['never finishes', '1.6.6', '', 'setInterval(() => {}, 1000);', /did not reach the portal/, 1],
])(
  'rolls back a signed version that %s and reports it as failed',
  { timeout: 60_000 },
  async (_, version, first, then, why, most) => {
    writeFileSync(packageFile(version), `${first}${knowsItsName(version)}${then}\n`);
    trialSeconds = most === 1 ? 2 : 12;
    process.env.STARTS = join(folder, `starts-${version}`);
    await offer(version);
    expect((await fails(version)).upgrade_detail).toMatch(why);
    // The portal offers it again with each check-in; the agent does not start it again.
    await worksOn();
    const count = existsSync(process.env.STARTS) ? readFileSync(process.env.STARTS, 'utf8').trim().split('\n').length : 0;
    expect(count).toBe(most);
    expect(refusals(version).map((each) => each?.state)).toEqual(['failed']);
  },
);
