/**
 * F13, short: mail, files (S3), model, single sign-on, a connected vendor, ClickHouse, DNS and the receiver of telemetry are cut off together, then silent
 * together: sixteen failures. Calls that need one of them end within their limits and with no error of the server; everything else is unharmed.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { connectorOf } from '@parapet/connectors/all.ts';
import { authApi } from '@parapet/contract/auth.ts';
import { domainsApi } from '@parapet/contract/domains.ts';
import type { Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { eventsApi } from '@parapet/contract/events.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sapphireApi } from '@parapet/contract/sapphire.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import { sql } from 'kysely';
import { Client } from 'pg';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { publish } from '../src/core/bus.ts';
import { scoped } from '../src/core/db/scope.ts';
import { insertConnection, newConnectionId } from '../src/features/connections/connections.store.ts';
import { type TestApp, type TestUser, testApp } from './app.ts';
import { createLedger, type Ledger, ledgerFaults, quantile } from './reliability.ledger.ts';
import { type FailingPeer, type Failure, failingDns, failingPeer } from './reliability.peers.ts';
import { probeRules } from './reliability.rules.ts';
import { eventRows } from './storedEvents.ts';

/** The longest limit of a call that waits for another system, and of a request beside other work. */
const limitMs = 35_000;
const readLimitMs = 2_000;
const calmMs = 2_000;

const names = ['mail', 'files', 'model', 'sign-on', 'vendor', 'clickhouse', 'dns', 'telemetry'] as const;
type Name = (typeof names)[number];
let peers: Record<Name, FailingPeer>;
let rules: Awaited<ReturnType<typeof probeRules>>;
let t: TestApp;
let client: number;
let admin: TestUser;
let partnerAdmin: TestUser;
let key: string;
let connection: number;
const domain = 'soc.failing.example';

beforeAll(async () => {
  rules = await probeRules();
  const made = await Promise.all(names.map((name) => (name === 'dns' ? failingDns() : failingPeer())));
  peers = Object.fromEntries(names.map((name, index) => [name, made[index]])) as typeof peers;
  const at = (name: Name) => `http://127.0.0.1:${peers[name].port}`;
  t = await testApp({
    PORTAL_ROLES: 'api,ingest,worker',
    RULES_DIR: rules.folder,
    SMTP_URL: `smtp://127.0.0.1:${peers.mail.port}`,
    S3_ENDPOINT: at('files'),
    S3_BUCKET: 'files',
    S3_ACCESS_KEY_ID: 'a',
    S3_SECRET_ACCESS_KEY: 'b',
    MODEL_URL: `${at('model')}/v1`,
    MODEL_NAME: 'm',
    SSO_ISSUER: at('sign-on'),
    SSO_CLIENT_ID: 'portal',
    SSO_ALLOW_INSECURE: '1',
    CONNECTION_ORIGINS: at('vendor'),
    CLICKHOUSE_URL: `http://a:b@127.0.0.1:${peers.clickhouse.port}/events`,
    DNS_SERVERS: `127.0.0.1:${peers.dns.port}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: at('telemetry'),
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
  });
  const partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  key = await t.ingestKey(client);
  await movedBefore("now() - interval '2 days'");
  await scoped(t.db, 'system', async (tx) => {
    await sql`insert into domains (organisation_id, domain, token) values (${partner}, ${domain}, ${randomUUID()})`.execute(tx);
    connection = await newConnectionId(tx);
    const place = { organisationId: client, column: 'connections.secrets', id: connection } as const;
    const settings = { domain: at('vendor') };
    await insertConnection(tx, {
      id: connection,
      organisationId: client,
      kind: 'okta',
      name: 'Okta',
      account: connectorOf('okta')!.accountOf(settings),
      settings,
      secrets: await t.keys.seal(tx, place, JSON.stringify({ token: 'a'.repeat(42) })),
      mayAct: false,
    });
  });
}, 200_000);
afterAll(async () => {
  await t.close();
  await Promise.all(Object.values(peers).map((peer) => peer.close()));
  await rules.remove();
}, 60_000);

/** As after a move: what is older is in ClickHouse alone. */
async function movedBefore(time: string): Promise<void> {
  const owner = new Client(t.database.ownerUrl);
  await owner.connect();
  await owner.query(`update event_moves_last set trimmed_before = ${time}`);
  await owner.end();
}

interface Answer {
  name: string;
  status: number;
  ms: number;
}

async function timed(name: string, call: () => Promise<{ statusCode: number }>): Promise<Answer> {
  const started = performance.now();
  const { statusCode } = await call();
  return { name, status: statusCode, ms: performance.now() - started };
}
const callOf = <E extends Endpoint>(name: string, endpoint: E, input: InputOf<E>, user?: TestUser) =>
  timed(name, () => t.call(endpoint, input, user));

const search = (name: string, from: number, query: object = {}) => {
  const [start, end] = [Date.now() - from, Date.now() + 1].map((time) => new Date(time).toISOString()) as [string, string];
  return callOf(name, eventsApi.search, { params: { client, start, end }, query } as never, admin);
};

/** Calls that need what fails. */
async function needing(): Promise<Answer[]> {
  const body = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const headers = { authorization: `Bearer ${admin.token}`, 'content-type': 'image/png' };
  const question = { clientRequest: 'how many critical gizmoids this month', conversationUUID: randomUUID() };
  return Promise.all([
    callOf('mail', authApi.forgotPassword, { params: { resetEmail: admin.email } }),
    timed('files', () =>
      t.application.app.inject({ method: 'PUT', url: `/api/v1/user/${admin.id}/picture`, headers, payload: body }),
    ),
    callOf('model', sapphireApi.chat, { body: question }, admin),
    callOf('sign-on', authApi.singleSignOn, { query: {} } as never),
    callOf('dns', domainsApi.check, { params: { id: partnerAdmin.organisationId }, body: { domain } }, partnerAdmin),
    search('clickhouse', 20 * dayMs, { order: 'oldest' }),
  ]);
}

/** Systems that were not reached. The vendor is polled at once, also where its former failure put it off. */
async function unreached(): Promise<Name[]> {
  await scoped(t.db, 'system', async (tx) => {
    const due = { next_at: new Date(0), leased_until: null };
    await tx.updateTable('connections').set(due).where('id', '=', connection).execute();
    await publish(tx, 'connections.due', {});
  });
  return names.filter((name) => peers[name].met() === 0);
}

/** Work that needs none of them, until `isOver`. */
async function others(ledger: Ledger, isOver: () => boolean): Promise<Answer[]> {
  const answers: Answer[] = [];
  const read = () => callOf('read', tagsApi.list, { query: { selectedClientOrgID: client } }, admin);
  const ready = () => timed('ready', () => t.application.app.inject('/readyz'));
  const ship = async () => {
    const marks = Array.from({ length: 20 }, () => ledger.mark());
    const answer = await timed('ship', async () => {
      const sent = await t.send(
        key,
        marks.map((mark) => ({ message: mark, host: { name: 'p' }, logsource: { product: 'probe' }, action: 'work' })),
      );
      if (sent.statusCode === 200) for (const mark of marks) ledger.acknowledged.add(mark);
      return sent;
    });
    return answer;
  };
  await Promise.all(
    [read, ready, ship, () => search('search', 60_000)].map(async (work) => {
      while (!isOver()) {
        answers.push(await work());
        await pause(100);
      }
    }),
  );
  return answers;
}

const faultsOf = (answers: readonly Answer[], limit: number, isGood: (status: number) => boolean): string[] =>
  answers.filter(({ status, ms }) => !isGood(status) || ms > limit).map(({ name, status, ms }) => `${name} ${status} ${ms}`);
/** Refused or unavailable, but no error of the server. */
const isOrderly = (status: number) => status < 500 || status === 503;
const isFine = (status: number) => status === 200;
const slowest = (answers: readonly Answer[], part: number) =>
  quantile(
    answers.map(({ ms }) => ms),
    part,
  );

test('serves the rest while everything beside it is cut off, and while it is silent', { timeout: 200_000 }, async () => {
  const ledger = createLedger('partial');
  const calmUntil = performance.now() + calmMs;
  const calm = slowest(await others(ledger, () => performance.now() > calmUntil), 0.95);
  for (const failure of ['cut off', 'silent'] satisfies Failure[]) {
    for (const peer of Object.values(peers)) peer.failAs(failure);
    let isOver = false;
    const beside = others(ledger, () => isOver);
    const needed = await needing();
    const isReached = async () => (await unreached()).length === 0;
    await vi.waitUntil(isReached, { timeout: limitMs, interval: 500 }).finally(() => {
      isOver = true;
    });
    const rest = await beside;
    console.log(
      `F13, ${failure}: ${needed.map(({ name, status, ms }) => `${name} ${status} after ${ms.toFixed(0)} ms`).join(', ')}; ${rest.length} other requests, p95 ${slowest(rest, 0.95).toFixed(0)} ms (before ${calm.toFixed(0)} ms)`,
    );
    expect(faultsOf(needed, limitMs, isOrderly)).toEqual([]);
    expect(faultsOf(rest, Number.POSITIVE_INFINITY, isFine)).toEqual([]);
    // The machine may be busy: the waits before show it.
    expect(slowest(rest, 0.95)).toBeLessThan(Math.max(readLimitMs, 3 * calm));
  }
  await movedBefore("'-infinity'");
  const texts = (await scoped(t.db, 'system', (tx) => eventRows(tx, client), { statementTimeoutMs: 60_000 })).map(
    ({ text }) => text,
  );
  expect(ledgerFaults(ledger, texts)).toEqual({ lost: [], double: [] });
});

test('notices a planted error, a planted wait and a planted loss', async () => {
  const right = { name: 'read', status: 200, ms: 5 };
  expect(faultsOf([right, { ...right, status: 503 }], limitMs, isOrderly)).toEqual([]);
  expect(faultsOf([right, { ...right, status: 500 }], limitMs, isOrderly)).toEqual(['read 500 5']);
  expect(faultsOf([right, { ...right, status: 503 }], limitMs, isFine)).toEqual(['read 503 5']);
  expect(faultsOf([{ ...right, ms: limitMs + 1 }], limitMs, isFine)).toHaveLength(1);
  const ledger = createLedger('planted');
  ledger.acknowledged.add(ledger.mark());
  expect(ledgerFaults(ledger, []).lost).toHaveLength(1);
});
