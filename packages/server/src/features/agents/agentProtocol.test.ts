/** Agent protocol: enrolment under attack, check-ins, stolen, foreign and revoked keys. */

import { randomBytes } from 'node:crypto';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { blockParts } from '@parapet/agent/bulk.ts';
import { agentPaths, type Enrolled } from '@parapet/contract/agentProtocol.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { agentOf, checkInOf, enrol, enrolmentToken, free, inventoryOf } from '../../../test/agents.fixture.ts';
import { useTestApp } from '../../../test/app.ts';
import { eventRows } from '../../../test/storedEvents.ts';
import { scoped } from '../../core/db/scope.ts';

const t = useTestApp();
let organisation: number;

beforeAll(async () => {
  organisation = await t.organisation();
});

const system = <T>(fn: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', fn);
const agentRow = (id: number) =>
  system((tx) => tx.selectFrom('agents').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
const revoke = (id: number) =>
  system((tx) => tx.updateTable('agents').set({ revoked_at: new Date() }).where('id', '=', id).execute());
/** Locks an agent’s row; returns the release function. */
async function hold(id: number): Promise<() => Promise<void>> {
  const ending = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const held = system(async (tx) => {
    await tx.selectFrom('agents').select('id').where('id', '=', id).forUpdate().executeTakeFirst();
    locked.resolve();
    await ending.promise;
  });
  await locked.promise;
  return () => {
    ending.resolve();
    return held;
  };
}
const post = (url: string, key: string | undefined, payload: object) =>
  t.application.app.inject({ method: 'POST', url, payload, headers: key ? { authorization: `Bearer ${key}` } : {} });

describe('enrolment', () => {
  test('issues a working key, creates the device, and writes an audit entry', async () => {
    const agent = await agentOf(t, organisation, 'fresh01');
    expect(agent.key).toMatch(/^pa_[\w-]{43}$/);
    expect(await agent.checkIn()).toMatchObject({ nextInSeconds: 5, wantsInventory: true, upgrade: null });
    const device = await system((tx) =>
      tx.selectFrom('devices').selectAll().where('id', '=', agent.deviceId).executeTakeFirstOrThrow(),
    );
    expect(device).toMatchObject({ name: 'fresh01', organisation_id: organisation, agent_version: 'mdr-agent 1.0.0' });
    const audit = await system((tx) =>
      tx.selectFrom('audit').selectAll().where('action', '=', 'agent.enrolled').where('target', '=', String(agent.id)).execute(),
    );
    expect(audit).toHaveLength(1);
    expect(JSON.stringify(audit)).not.toContain(agent.key);
    const row = await agentRow(agent.id);
    expect(row.key_hash.toString('hex')).not.toBe(Buffer.from(agent.key).toString('hex'));
  });

  test('limits a token to its number of hosts under concurrency', async () => {
    const token = await enrolmentToken(t, organisation, { maxUses: 3 });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => enrol(t, { token, name: `flood${n}` })));
    expect(answers.filter((answer) => answer.statusCode === 200)).toHaveLength(3);
    expect(answers.filter((answer) => answer.statusCode === 401)).toHaveLength(9);
  });

  test('creates one agent and consumes one use for concurrent enrolments of one host', async () => {
    const token = await enrolmentToken(t, organisation);
    const machineId = randomBytes(16).toString('hex');
    const answers = await Promise.all(Array.from({ length: 8 }, () => enrol(t, { token, name: 'twice01', machineId })));
    expect(answers.map((answer) => answer.statusCode).sort()).toEqual([200, ...Array(7).fill(409)]);
    const { uses } = await system((tx) =>
      tx.selectFrom('enrolment_tokens').select('uses').where('prefix', '=', token.slice(0, 9)).executeTakeFirstOrThrow(),
    );
    expect(uses).toBe(1);
    const tokens = await Promise.all([1, 2, 3].map(() => enrolmentToken(t, organisation)));
    const again = randomBytes(16).toString('hex');
    const named = await Promise.all(tokens.map((each, n) => enrol(t, { token: each, name: `alias${n}`, machineId: again })));
    expect(named.map((answer) => answer.statusCode).sort()).toEqual([200, 409, 409]);
  });

  test('rejects unknown, expired, revoked and exhausted tokens, and those of a closed organisation, alike', async () => {
    const closed = await t.organisation();
    const ofClosed = await enrolmentToken(t, closed);
    await system((tx) => tx.updateTable('organisations').set({ deactivated_at: new Date() }).where('id', '=', closed).execute());
    const revoked = await enrolmentToken(t, organisation);
    await system((tx) =>
      tx.updateTable('enrolment_tokens').set({ revoked_at: new Date() }).where('prefix', '=', revoked.slice(0, 9)).execute(),
    );
    const tokens = [
      'pe_nonsense',
      ofClosed,
      revoked,
      await enrolmentToken(t, organisation, { expiresAt: new Date(Date.now() - 1) }),
      await enrolmentToken(t, organisation, { maxUses: 0 }),
    ];
    const answers = await Promise.all(tokens.map((token) => enrol(t, { token, name: 'refused01' })));
    expect(answers.map((answer) => answer.statusCode)).toEqual([401, 401, 401, 401, 401]);
    expect(new Set(answers.map((answer) => answer.json<{ error: string }>().error)).size).toBe(1);
  });

  test('replaces an existing agent only with that agent’s key; its numbers continue', async () => {
    const agent = await agentOf(t, organisation, 'owned01');
    const { machine_id: machineId } = await agentRow(agent.id);
    const token = await enrolmentToken(t, organisation);
    const stranger = await agentOf(t, organisation, 'stranger01');
    // By its name and by its machine, without a key and with another agent’s.
    for (const body of [
      { token, name: 'owned01' },
      { token, name: 'OWNED01' },
      { token, name: 'other01', machineId },
      { token, name: 'owned01', previousKey: stranger.key },
      { token, name: 'owned01', previousKey: 'pa_nonsense' },
    ]) {
      const refused = await enrol(t, body);
      expect(refused.statusCode).toBe(409);
      expect(refused.json<{ error: string }>().error).toMatch(/has an agent already/);
    }
    const again = await enrol(t, { token, name: 'owned01', machineId, previousKey: agent.key });
    expect(again.statusCode).toBe(200);
    expect(again.json<Enrolled>().agentId).toBe(agent.id);
    expect((await post(agentPaths.checkIn, agent.key, checkInOf())).statusCode).toBe(401);
    expect((await post(agentPaths.checkIn, again.json<Enrolled>().key, checkInOf())).statusCode).toBe(200);
  });

  test('allows a host to enrol again after a revocation', async () => {
    const agent = await agentOf(t, organisation, 'renewed01');
    await revoke(agent.id);
    const answer = await enrol(t, { token: await enrolmentToken(t, organisation), name: 'renewed01' });
    expect(answer.statusCode).toBe(200);
    expect(answer.json<Enrolled>().agentId).not.toBe(agent.id);
  });

  test('throttles a flood from one address without affecting others', async () => {
    const answers = await Promise.all(
      Array.from({ length: 320 }, () => enrol(t, { token: 'pe_guess' }, '198.51.100.1').then((answer) => answer.statusCode)),
    );
    expect(answers).toContain(429);
    expect((await enrol(t, { token: 'pe_guess' }, '198.51.100.2')).statusCode).toBe(401);
  });
});

describe('keys', () => {
  test('rejects missing, wrong, revoked and ingest keys and users’ tokens below /agent', async () => {
    const agent = await agentOf(t, organisation, 'keys01');
    await revoke(agent.id);
    const person = await t.user({ organisationId: organisation, role: 'Administrator' });
    const keys = [undefined, agent.key, `pa_${'x'.repeat(43)}`, await t.ingestKey(organisation), person.token];
    const calls = [
      ['POST', agentPaths.checkIn],
      ['GET', agentPaths.tasks],
      ['POST', agentPaths.result(1)],
      ['PUT', agentPaths.file(1)],
      ['GET', agentPaths.package('1.0.0', 'linux-x64')],
    ] as const;
    const answers = await Promise.all(
      keys.flatMap((key) =>
        calls.map(([method, url]) =>
          t.application.app.inject({
            method,
            url,
            headers: key ? { authorization: `Bearer ${key}` } : {},
            ...(method === 'POST' && { payload: checkInOf() }),
          }),
        ),
      ),
    );
    expect(new Set(answers.map((answer) => answer.statusCode))).toEqual(new Set([401]));
  });

  test('accept events for the agent’s organisation and open no user endpoint', async () => {
    const agent = await agentOf(t, organisation, 'ships01');
    const event = { '@timestamp': new Date().toISOString(), host: { name: 'ships01' }, message: 'hello' };
    const bulk = (authorization: string) =>
      t.application.app.inject({
        method: 'POST',
        url: agentPaths.bulk,
        headers: { authorization, 'content-type': 'application/x-ndjson' },
        payload: `{"create":{}}\n${JSON.stringify(event)}\n`,
      });
    expect((await bulk(`Bearer ${agent.key}`)).statusCode).toBe(200);
    expect((await bulk(`ApiKey ${agent.key}`)).statusCode).toBe(200);
    const stored = (await system((tx) => eventRows(tx))).filter((row) => row.device_name === 'ships01');
    expect(stored.map((row) => row.organisation_id)).toEqual([organisation]);
    // Events are attributed to the key’s device whatever they claim.
    const forged = { ...event, host: { name: 'dc01' }, message: 'forged' };
    await t.application.app.inject({
      method: 'POST',
      url: agentPaths.bulk,
      headers: { authorization: `Bearer ${agent.key}`, 'content-type': 'application/x-ndjson' },
      payload: `{"create":{}}\n${JSON.stringify(forged)}\n`,
    });
    const withText = async (text: string) =>
      (await system((tx) => eventRows(tx, organisation))).filter((row) => row.text.includes(text));
    const ofForged = await withText('forged');
    expect(ofForged).toMatchObject([{ device_name: 'ships01', document: { host: { name: 'dc01' } } }]);
    // Lines of its files, unchanged; duplicates are recognised when sent again.
    const lines = { stream: 'st', offset: 0, bytes: Buffer.from('first line\n\nsecond line\n'), count: 2 };
    const about = { '@timestamp': event['@timestamp'], host: { name: 'dc01' }, log: { file: { path: '/var/log/syslog' } } };
    const send = (key: string) =>
      t.application.app.inject({
        method: 'POST',
        url: agentPaths.bulk,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson', 'content-encoding': 'zstd' },
        payload: zstdCompressSync(Buffer.concat(blockParts(lines, about))),
      });
    const statuses = async () =>
      (await send(agent.key)).json().items.map((item: { create: { status: number } }) => item.create.status);
    expect(await statuses()).toEqual([201, 201]);
    expect(await statuses()).toEqual([200, 200]);
    const ofLines = await withText('second line');
    expect(ofLines).toMatchObject([{ device_name: 'ships01', document: { message: 'second line', log: { offset: 12 } } }]);
    const people = await t.application.app.inject({
      url: `/api/v1/agents/${organisation}`,
      headers: { authorization: `Bearer ${agent.key}` },
    });
    expect(people.statusCode).toBe(401);
    await revoke(agent.id);
    expect((await bulk(`Bearer ${agent.key}`)).statusCode).toBe(401);
  });

  test('reject every key of a closed organisation', async () => {
    const closing = await t.organisation();
    const agent = await agentOf(t, closing, 'closing01');
    await system((tx) => tx.updateTable('organisations').set({ deactivated_at: new Date() }).where('id', '=', closing).execute());
    expect((await post(agentPaths.checkIn, agent.key, checkInOf())).statusCode).toBe(401);
  });
});

describe('check-in', () => {
  test('stores the report, requests an inventory once it changes, and stores that completely', async () => {
    const agent = await agentOf(t, organisation, 'check01');
    const packages = [
      { name: 'openssl', version: '3.0.11-1' },
      { name: 'bash', version: '5.2.15' },
    ];
    expect((await agent.checkIn({ inventoryHash: 'a' })).wantsInventory).toBe(true);
    const answer = await agent.checkIn({
      inventoryHash: 'a',
      inventory: inventoryOf(packages),
      dropped: { 'buffer full': 3 },
      errors: ['no journald'],
    });
    expect(answer).toEqual({ nextInSeconds: 60, wantsInventory: false, upgrade: null });
    expect((await agent.checkIn({ inventoryHash: 'a' })).wantsInventory).toBe(false);
    const row = await agentRow(agent.id);
    expect(row.said).toMatchObject({ holding: free, dropped: {}, errors: [] });
    expect(row.inventory).toMatchObject({ system: { hostname: 'web01' }, packages: [] });
    const listed = () =>
      system((tx) =>
        tx.selectFrom('agent_packages').select(['name', 'version']).where('agent_id', '=', agent.id).orderBy('name').execute(),
      );
    expect(await listed()).toEqual([packages[1], packages[0]]);
    await agent.checkIn({ inventoryHash: 'b', inventory: inventoryOf([{ name: 'openssl', version: '3.0.15-1' }]) });
    expect(await listed()).toEqual([{ name: 'openssl', version: '3.0.15-1' }]);
  });

  test('shows a new version on the device, and counts the day once', async () => {
    const own = await t.organisation();
    const agent = await agentOf(t, own, 'day01');
    await Promise.all([agent.checkIn(), agent.checkIn(), agent.checkIn()]);
    await agent.checkIn({ version: '1.1.0' });
    const [device, days, counts, versions] = await system(async (tx) => [
      await tx.selectFrom('devices').select('agent_version').where('id', '=', agent.deviceId).executeTakeFirstOrThrow(),
      await tx.selectFrom('device_days').selectAll().where('organisation_id', '=', own).execute(),
      await tx.selectFrom('device_day_counts').selectAll().where('organisation_id', '=', own).execute(),
      await tx.selectFrom('device_versions').select('version').where('device_id', '=', agent.deviceId).orderBy('id').execute(),
    ]);
    expect(device.agent_version).toBe('mdr-agent 1.1.0');
    expect(days).toHaveLength(1);
    expect(counts).toMatchObject([{ device_type: 'server', devices: 1 }]);
    expect(versions.map(({ version }) => version)).toEqual(['mdr-agent 1.0.0', 'mdr-agent 1.1.0']);
  });

  test('reports isolation and blocked users with their start', async () => {
    const agent = await agentOf(t, organisation, 'holds01');
    await agent.checkIn({ holding: { isIsolated: true, releaseInSeconds: 600, blockedUsers: ['mallory'] } });
    const row = await agentRow(agent.id);
    expect(row).toMatchObject({ is_isolated: true, said: { holding: { blockedUsers: ['mallory'] } } });
    expect(row.release_at!.getTime() - Date.now()).toBeGreaterThan(590_000);
    await agent.checkIn({ holding: { isIsolated: true, releaseInSeconds: 60, blockedUsers: ['mallory'] } });
    expect((await agentRow(agent.id)).release_at!.getTime() - Date.now()).toBeLessThan(61_000);
    await agent.checkIn({ holding: free });
    expect(await agentRow(agent.id)).toMatchObject({ is_isolated: false, release_at: null });
  });

  test('counts a hundred concurrent check-ins; one whose row is locked waits', async () => {
    const agents = await Promise.all(Array.from({ length: 20 }, (_, n) => agentOf(t, organisation, `host${n}`)));
    const blocked = agents[0]!;
    const letGo = await hold(blocked.id);
    const held = [blocked.checkIn(), blocked.checkIn()];
    const others = agents.slice(1);
    const answers = await Promise.all([...others, ...others].map((agent) => agent.checkIn()));
    await letGo();
    expect([...answers, ...(await Promise.all(held))]).toHaveLength(40);
    // Locked for long, it is sent away to retry: never with "unknown key", at which an agent stops.
    const end = await hold(blocked.id);
    const late = await post(agentPaths.checkIn, blocked.key, checkInOf());
    expect([late.statusCode, late.headers['retry-after']]).toEqual([503, '2']);
    await end();
    for (const agent of agents) expect((await agentRow(agent.id)).last_check_in_at).not.toBeNull();
  });

  test('isolates an excessive report from other agents’ check-ins', async () => {
    const agents = await Promise.all(Array.from({ length: 6 }, (_, n) => agentOf(t, organisation, `measure${n}`)));
    const dropped = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`reason ${n}`, Number.MAX_SAFE_INTEGER]));
    const wild = {
      holding: { isIsolated: true, releaseInSeconds: Number.MAX_SAFE_INTEGER, blockedUsers: [] },
      lastSequence: Number.MAX_SAFE_INTEGER,
      shipped: Number.MAX_SAFE_INTEGER,
      dropped,
    };
    for (let round = 0; round < 3; round++)
      expect(await Promise.all(agents.map((agent, n) => agent.checkIn(n % 2 ? wild : {})))).toHaveLength(6);
    const row = await agentRow(agents[1]!.id);
    expect(Object.keys(row.said.dropped ?? {})).toHaveLength(50);
    expect(row.last_sequence).toBe(2_000_000_000);
  });

  test('continues above the numbers that agents know after a restore of the portal', async () => {
    const agent = await agentOf(t, organisation, 'restored01');
    await agent.checkIn({ lastSequence: 17 });
    expect((await agentRow(agent.id)).last_sequence).toBe(17);
    await agent.checkIn({ lastSequence: 3 });
    expect((await agentRow(agent.id)).last_sequence).toBe(17);
  });

  test('reads compressed bodies and rejects malformed and oversized ones and decompression bombs', async () => {
    const agent = await agentOf(t, organisation, 'packed01');
    const send = (payload: Buffer, more: Record<string, string> = {}) =>
      t.application.app.inject({
        method: 'POST',
        url: agentPaths.checkIn,
        headers: {
          authorization: `Bearer ${agent.key}`,
          'content-type': 'application/json',
          'content-encoding': 'gzip',
          ...more,
        },
        payload,
      });
    expect((await send(gzipSync(JSON.stringify(checkInOf())))).statusCode).toBe(200);
    expect((await send(gzipSync(Buffer.alloc(40 * 1024 * 1024, ' ')))).statusCode).toBe(413);
    expect((await send(Buffer.from('no gzip'))).statusCode).toBe(400);
    for (const bad of [
      {},
      checkInOf({ version: 'x'.repeat(41) }),
      { ...checkInOf(), holding: { isIsolated: true } },
      checkInOf({ holding: { isIsolated: false, releaseInSeconds: null, blockedUsers: ['-rf /'] } }),
      checkInOf({ errors: ['a\u0000b'] }),
    ])
      expect((await post(agentPaths.checkIn, agent.key, bad)).statusCode).toBe(400);
  });
});

test('returns JSON errors below /agent, never a page', async () => {
  for (const url of ['/agent', '/agent/', '/agent/nothing', '/agent/runtime/plan9-x64']) {
    const answer = await t.application.app.inject({ url });
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toMatch(/json/);
  }
});
