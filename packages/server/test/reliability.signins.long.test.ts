/**
 * F9: a storm of sign-ins, ten times as many as the portal can verify. Each is signed in or gets 429 within seconds, sessions keep working, shippers lose
 * nothing, and afterwards a sign-in takes as long as before. `STORM_SECONDS` lengthens a run.
 */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { hashPassword } from '../src/core/passwords.ts';
import { type TestApp, type TestUser, testApp } from './app.ts';
import { createLedger, ledgerFaults, quantile } from './reliability.ledger.ts';
import { type PortalProcess, portalProcess } from './reliability.portal.ts';
import { probeRules } from './reliability.rules.ts';
import { eventRows } from './storedEvents.ts';

const seconds = Number(process.env.STORM_SECONDS ?? 5);
const times = 10;
/** More than can wait at once, also where other work leaves the portal little of the processors. */
const minPerSecond = 60;
const people = 200;
const password = 'Correct-Horse-9-Battery';
/** Of a sign-in, also of one that gets 429, on processors that are free. */
const limitMs = 15_000;
/** As many wait for a verification at once (core/passwords.ts), and are verified in twice the time at most. */
const waiting = 42;

let t: TestApp;
let rules: Awaited<ReturnType<typeof probeRules>>;
let portal: PortalProcess;
let client: number;
let reader: TestUser;
let key: string;
const agent = new Agent({ keepAlive: true, maxSockets: 500 });

beforeAll(async () => {
  rules = await probeRules();
  t = await testApp({ RULES_DIR: rules.folder });
  client = await t.organisation();
  reader = await t.user({ organisationId: client, role: 'Analyst' });
  key = await t.ingestKey(client);
  const passwordHash = await hashPassword(password);
  const users = Array.from({ length: people }, (_, number) => ({
    organisation_id: client,
    email: `storm${number}@test.example`,
    first_name: 'Storm',
    last_name: String(number),
    role: 'Analyst',
    password_hash: passwordHash,
  }));
  await scoped(t.db, 'system', (tx) => tx.insertInto('users').values(users).execute());
  portal = await portalProcess({
    env: {
      RULES_DIR: rules.folder,
      DATABASE_URL: t.database.ownerUrl,
      TRUST_PROXY: '1',
      API_CALLS_A_MINUTE: '1000000',
      API_REFUSALS_A_MINUTE: '1000000',
    },
  });
  await portal.start();
}, 300_000);
afterAll(async () => {
  agent.destroy();
  await portal.end('SIGTERM');
  await t.close();
  await rules.remove();
}, 60_000);

interface Answer {
  status: number;
  ms: number;
  body: string;
}

async function send(path: string, { headers = {}, body }: { headers?: Record<string, string>; body?: string }): Promise<Answer> {
  const started = performance.now();
  const call = request(portal.origin + path, { method: body === undefined ? 'GET' : 'POST', agent, headers }).end(body);
  try {
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    let text = '';
    for await (const part of answer) text += part;
    return { status: answer.statusCode ?? 0, ms: performance.now() - started, body: text };
  } catch (error) {
    return { status: 0, ms: performance.now() - started, body: (error as Error).message };
  }
}

let next = 0;
/** Each from an address of its own, as behind a proxy. */
function signIn(): Promise<Answer> {
  const number = next++;
  return send('/api/v1/Auth/authenticate', {
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.1.${(number >> 8) & 255}.${number & 255}` },
    body: JSON.stringify({ email: `storm${number % people}@test.example`, password }),
  });
}
const readAs = (token: string) =>
  send(`/api/v1/tags?selectedClientOrgID=${client}`, { headers: { authorization: `Bearer ${token}` } });

/** Sign-ins a second, two at a time. */
async function capacity(): Promise<number> {
  const until = performance.now() + 2_000;
  let count = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: 2 }, async () => {
      while (performance.now() < until) {
        expect((await signIn()).status).toBe(200);
        count++;
      }
    }),
  );
  return count / ((performance.now() - started) / 1_000);
}

/** Faults among the responses to a storm. */
function faultsOf(answers: readonly Answer[], limit = limitMs): string[] {
  const others = answers.filter(({ status }) => status !== 200 && status !== 429).map(({ status, body }) => `${status} ${body}`);
  const late = answers.filter(({ ms }) => ms > limit).map(({ status, ms }) => `${status} after ${ms.toFixed(0)} ms`);
  return [...others, ...late].slice(0, 10);
}

async function repeatedly(isOver: () => boolean, work: () => Promise<Answer>, everyMs: number): Promise<Answer[]> {
  const all: Answer[] = [];
  while (!isOver()) {
    all.push(await work());
    await pause(everyMs);
  }
  return all;
}

const tokenIn = (body: string): string => (JSON.parse(body) as { user: { accessToken: string } }).user.accessToken;

test('signs in or refuses each of ten times as many sign-ins, and serves the others', {
  timeout: 180_000 + seconds * 20_000,
}, async () => {
  const before = await capacity();
  const ledger = createLedger('storm');
  const ship = async () => {
    const marks = Array.from({ length: 50 }, () => ledger.mark());
    const body = marks.map((mark) => `{"create":{}}\n${JSON.stringify({ message: `${mark} storm` })}\n`).join('');
    const answer = await send('/ingest/_bulk', { headers: { authorization: `ApiKey ${key}` }, body });
    if (answer.status === 200) for (const mark of marks) ledger.acknowledged.add(mark);
    return answer;
  };
  const calmUntil = performance.now() + 1_000;
  const calm = await repeatedly(
    () => performance.now() > calmUntil,
    () => readAs(reader.token),
    20,
  );
  let isOver = false;
  const others = [
    repeatedly(
      () => isOver,
      () => readAs(reader.token),
      20,
    ),
    repeatedly(() => isOver, ship, 100),
  ] as const;
  const perSecond = Math.max(minPerSecond, Math.ceil(before * times));
  const started = performance.now();
  const storm: Promise<Answer>[] = [];
  // On its schedule, regardless of the responses.
  for (let number = 0; number < perSecond * seconds; number++) {
    await pause(Math.max(0, started + (number * 1_000) / perSecond - performance.now()));
    storm.push(signIn());
  }
  const answers = await Promise.all(storm);
  isOver = true;
  const [reads, batches] = await Promise.all(others);
  const after = await signIn();
  const counts = Map.groupBy(answers, ({ status }) => status);
  const waits = (list: readonly Answer[], part: number) =>
    quantile(
      list.map(({ ms }) => ms),
      part,
    ).toFixed(0);
  console.log(
    `F9: ${before.toFixed(1)} sign-ins a second before; ${answers.length} in ${seconds} s: ${[...counts].map(([status, { length }]) => `${length} × ${status}`).join(', ')}; longest ${waits(answers, 1)} ms; reads p95 ${waits(reads, 0.95)} ms (before ${waits(calm, 0.95)} ms), batches p95 ${waits(batches, 0.95)} ms; a sign-in afterwards ${after.ms.toFixed(0)} ms`,
  );
  expect(faultsOf(answers, Math.max(limitMs, (2_000 * waiting) / before))).toEqual([]);
  expect(counts.get(200)?.length ?? 0).toBeGreaterThan(0);
  expect(counts.get(429)?.length ?? 0).toBeGreaterThan(0);
  expect(faultsOf([...reads, ...batches])).toEqual([]);
  expect([...reads, ...batches].filter(({ status }) => status !== 200)).toEqual([]);
  expect(after).toMatchObject({ status: 200 });
  expect(after.ms).toBeLessThan(limitMs / 3);
  // Each session that was handed out works.
  const tokens = counts
    .get(200)!
    .slice(0, 50)
    .map(({ body }) => tokenIn(body));
  expect((await Promise.all(tokens.map(readAs))).filter(({ status }) => status !== 200)).toEqual([]);
  const texts = (await scoped(t.db, 'system', (tx) => eventRows(tx, client), { statementTimeoutMs: 60_000 })).map(
    ({ text }) => text,
  );
  expect(ledgerFaults(ledger, texts)).toEqual({ lost: [], double: [] });
});

test('notices a planted error, a planted stall and a session that does not work', async () => {
  const right = { status: 200, ms: 5, body: '' };
  expect(faultsOf([right, { status: 429, ms: 5, body: '' }])).toEqual([]);
  expect(faultsOf([right, { status: 503, ms: 5, body: 'busy' }])).toEqual(['503 busy']);
  expect(faultsOf([right, { ...right, ms: limitMs + 1 }])).toEqual([`200 after ${limitMs + 1} ms`]);
  expect((await readAs(`${reader.token}x`)).status).toBe(401);
});
