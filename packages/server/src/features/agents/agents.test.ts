/** Agents and shippers as shown to users, enrolment tokens, packages and their rollout. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentPaths } from '@parapet/contract/agentProtocol.ts';
import { agentsApi, type Collector } from '@parapet/contract/agents.ts';
import { devicesApi } from '@parapet/contract/devices.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentOf, enrol, type TestAgent } from '../../../test/agents.fixture.ts';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';
import { hashOfBytes } from '../../core/secrets.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const dataDir = join(tmpdir(), `mdr-agents-${process.pid}`);
let t: TestApp;
let host: TestUser;
let next = 0;

beforeAll(async () => {
  t = await testApp({
    DATA_DIR: dataDir,
    AGENT_RELEASE_KEY: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  });
  await t.organisation({ id: 1, isPartner: true });
  host = await t.user({ organisationId: 1, role: 'Host' });
});
afterAll(async () => {
  await t.close();
  await rm(dataDir, { recursive: true, force: true });
});

const system = <T>(fn: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', fn);
const fresh = async () => {
  const organisation = await t.organisation();
  return { organisation, admin: await t.user({ organisationId: organisation, role: 'Administrator' }) };
};
const list = async (user: TestUser, client: number, query: Record<string, string> = {}) => {
  const answer = await t.call(agentsApi.list, { params: { client }, query: query as never }, user);
  expect(answer.statusCode).toBe(200);
  return answer.json<AnswerOf<typeof agentsApi.list>>();
};
const device = (organisation: number, name: string, more: object = {}) =>
  system((tx) =>
    tx
      .insertInto('devices')
      .values({ organisation_id: organisation, name, device_type: 'server', last_event_at: new Date(), ...more })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
const checkedInAgo = (agent: TestAgent, ms: number) =>
  system((tx) =>
    tx
      .updateTable('agents')
      .set({ last_check_in_at: new Date(Date.now() - ms) })
      .where('id', '=', agent.id)
      .execute(),
  );
const give = (version: string, bytes: Buffer, { platform = 'linux-x64', user = host, signature = '' } = {}) => {
  const text = `${version} ${platform} ${hashOfBytes(bytes)} ${bytes.length}`;
  return t.application.app.inject({
    method: 'POST',
    url: `/api/v1/agentreleases/${version}/${platform}`,
    query: { signature: signature || sign(null, Buffer.from(text), privateKey).toString('base64url') },
    headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/octet-stream' },
    payload: bytes,
  });
};

describe('list', () => {
  test('shows agents and shippers with their health, problems first', async () => {
    const { organisation, admin } = await fresh();
    const [good, late, gone, revoked] = (await Promise.all(
      ['a-good', 'b-late', 'c-gone', 'd-revoked'].map((name) => agentOf(t, organisation, name)),
    )) as [TestAgent, TestAgent, TestAgent, TestAgent];
    await good.checkIn({
      buffer: { bytes: 77, limitBytes: 100, isFull: true, events: 3 },
      dropped: { 'too large': 2 },
      errors: ['journald is away'],
    });
    await checkedInAgo(late, 10 * 60_000);
    await checkedInAgo(gone, 2 * 86_400_000);
    await t.call(agentsApi.revoke, { params: { client: organisation, agent: revoked.id } }, admin);
    await device(organisation, 'e-beat', { agent_version: 'winlogbeat 8.15.0', device_type: 'workstation' });
    await device(organisation, 'f-beat', { agent_version: 'winlogbeat 8.17.1', device_type: 'workstation' });
    await device(organisation, 'g-syslog');
    await device(organisation, 'h-cloud', { device_type: 'cloudApp', silent_since: new Date() });
    await device(organisation, 'i-spoken-of', { last_event_at: null });
    const { results, total, states } = await list(admin, organisation);
    const row = (name: string) => results.find(({ deviceName }) => deviceName === name) as Collector;
    expect(results.map(({ deviceName, kind, state }) => [deviceName, kind, state])).toEqual([
      ['c-gone', 'agent', 'silent'],
      ['h-cloud', 'other', 'silent'],
      ['b-late', 'agent', 'stale'],
      ['d-revoked', 'agent', 'revoked'],
      ['a-good', 'agent', 'online'],
      ['e-beat', 'beat', 'online'],
      ['f-beat', 'beat', 'online'],
      ['g-syslog', 'syslog', 'online'],
    ]);
    expect(total).toBe(8);
    expect(Object.fromEntries(states.map(({ state, count }) => [state, count]))).toEqual({
      online: 4,
      revoked: 1,
      silent: 2,
      stale: 1,
    });
    expect(row('a-good')).toMatchObject({
      version: 'mdr-agent 1.0.0',
      bufferBytes: 77,
      isBufferFull: true,
      dropped: [{ reason: 'too large', count: 2 }],
      errors: ['journald is away'],
      agentID: good.id,
      isOutdated: false,
    });
    expect(row('e-beat')).toMatchObject({ isOutdated: true, agentID: null, bufferBytes: null });
    expect(row('f-beat').isOutdated).toBe(false);
    const filtered = await list(admin, organisation, { kind: 'agent', state: 'online,stale', text: 'GOO' });
    expect(filtered.results.map(({ deviceName }) => deviceName)).toEqual(['a-good']);
    expect(filtered.total).toBe(1);
    const second = await list(admin, organisation, { page: '2', pageSize: '5' });
    expect(second.results.map(({ deviceName }) => deviceName)).toEqual(['e-beat', 'f-beat', 'g-syslog']);
  });

  test('shows the agent of a merged device under its target', async () => {
    const { organisation, admin } = await fresh();
    const agent = await agentOf(t, organisation, 'old-name');
    const { id } = await device(organisation, 'new-name');
    await system((tx) => tx.updateTable('devices').set({ merged_into: id }).where('id', '=', agent.deviceId).execute());
    const { results } = await list(admin, organisation);
    expect(results.map(({ deviceName, agentID }) => [deviceName, agentID])).toEqual([['new-name', agent.id]]);
  });

  test('hides other tenants’ agents and rejects their revocation', async () => {
    const [mine, theirs] = [await fresh(), await fresh()];
    const agent = await agentOf(t, theirs.organisation, 'theirs');
    expect((await list(mine.admin, mine.organisation)).total).toBe(0);
    const revoke = (client: number) => t.call(agentsApi.revoke, { params: { client, agent: agent.id } }, mine.admin);
    expect((await revoke(theirs.organisation)).statusCode).toBe(403);
    expect((await revoke(mine.organisation)).statusCode).toBe(404);
    expect((await agent.pollTasks()).statusCode).toBe(200);
  });
});

describe('enrolment tokens', () => {
  test('appear once, work, and stop working when revoked', async () => {
    const { organisation, admin } = await fresh();
    const made = await t.call(
      agentsApi.createToken,
      { params: { client: organisation }, body: { name: 'Web servers', maxUses: 2, hours: 1 } },
      admin,
    );
    expect(made.statusCode).toBe(200);
    const { token, ...shown } = made.json<AnswerOf<typeof agentsApi.createToken>>();
    expect(shown).toMatchObject({ name: 'Web servers', maxUses: 2, uses: 0, revokedAt: null });
    expect((await enrol(t, { token, name: `token${next++}` })).statusCode).toBe(200);
    const listed = (await t.call(agentsApi.listTokens, { params: { client: organisation } }, admin)).json<
      AnswerOf<typeof agentsApi.listTokens>
    >();
    expect(listed.results).toEqual([{ ...shown, uses: 1 }]);
    expect(JSON.stringify(listed)).not.toContain(token);
    const revoke = () => t.call(agentsApi.revokeToken, { params: { client: organisation, token: shown.id } }, admin);
    expect((await revoke()).statusCode).toBe(200);
    expect((await revoke()).statusCode).toBe(404);
    expect((await enrol(t, { token, name: `token${next++}` })).statusCode).toBe(401);
    const audit = await system((tx) =>
      tx.selectFrom('audit').select(['action', 'after']).where('organisation_id', '=', organisation).orderBy('id').execute(),
    );
    expect(audit.map(({ action }) => action)).toEqual(['enrolmentToken.created', 'agent.enrolled', 'enrolmentToken.revoked']);
    expect(JSON.stringify(audit)).not.toContain(token);
  });
});

describe('packages', () => {
  test('accept signed uploads only, each version once, and deliver identical bytes to agents', async () => {
    const bytes = Buffer.from('console.log("1.0.1")');
    const { organisation, admin } = await fresh();
    expect((await give('1.0.1', bytes, { user: admin })).statusCode).toBe(403);
    const foreign = sign(null, Buffer.from('x'), generateKeyPairSync('ed25519').privateKey).toString('base64url');
    const ofOther = sign(null, Buffer.from(`1.0.9 linux-x64 ${hashOfBytes(bytes)} ${bytes.length}`), privateKey).toString(
      'base64url',
    );
    for (const signature of [foreign, ofOther, 'nonsense', '!'])
      expect((await give('1.0.1', bytes, { signature })).statusCode).toBe(400);
    expect((await give('1.0.1', bytes)).statusCode).toBe(200);
    expect((await give('1.0.1', Buffer.from('other'))).statusCode).toBe(409);
    const listed = (await t.call(agentsApi.listReleases, {}, admin)).json<AnswerOf<typeof agentsApi.listReleases>>();
    expect(listed.results).toMatchObject([
      { version: '1.0.1', platform: 'linux-x64', size: bytes.length, sha256: hashOfBytes(bytes) },
    ]);
    const agent = await agentOf(t, organisation, `package${next++}`);
    const load = (version: string, key: string) =>
      t.application.app.inject({ url: agentPaths.package(version, 'linux-x64'), headers: { authorization: `Bearer ${key}` } });
    expect((await load('1.0.1', agent.key)).rawPayload).toEqual(bytes);
    expect((await load('9.9.9', agent.key)).statusCode).toBe(404);
    expect((await load('1.0.1', 'pa_x')).statusCode).toBe(401);
  });

  test('reach 1, 10 and 100 of 100, the same ones first; a failed one only after a new decision', async () => {
    await give('1.1.0', Buffer.from('1.1.0'));
    const { organisation, admin } = await fresh();
    const agents = await Promise.all(Array.from({ length: 21 }, () => agentOf(t, organisation, `fleet${next++}`)));
    const roll = async (version: string, percent: 0 | 1 | 10 | 100) => {
      const answer = await t.call(agentsApi.rollout, { params: { client: organisation }, body: { version, percent } }, admin);
      return answer.statusCode === 200 ? answer.json<AnswerOf<typeof agentsApi.rollout>>().agents : answer.statusCode;
    };
    const offered = async (version = '1.0.0') => {
      const answers = await Promise.all(
        agents.map(async (agent) => ((await agent.checkIn({ version })).upgrade?.version === '1.1.0' ? agent.id : undefined)),
      );
      return new Set(answers.filter((id) => id !== undefined));
    };
    expect(await roll('9.9.9', 1)).toBe(400);
    expect(await offered()).toEqual(new Set());
    expect(await roll('1.1.0', 1)).toBe(1);
    const first = await offered();
    expect(first.size).toBe(1);
    expect(await roll('1.1.0', 10)).toBe(3);
    const second = await offered();
    expect(second.size).toBe(3);
    expect([...first].every((id) => second.has(id))).toBe(true);
    expect(await roll('1.1.0', 100)).toBe(21);
    expect((await offered()).size).toBe(21);
    await roll('1.1.0', 10);
    expect(await offered()).toEqual(second);
    await roll('1.1.0', 0);
    expect((await offered()).size).toBe(0);
    await roll('1.1.0', 100);
    expect((await offered()).size).toBe(21);
    // Agents with this version or a newer one are offered nothing.
    expect((await offered('1.1.0')).size).toBe(0);
    expect((await offered('2.0.0')).size).toBe(0);
    const [one] = agents as [TestAgent];
    await one.checkIn({ upgrade: { version: '1.0.5', state: 'failed', detail: 'Long ago.' } });
    expect((await one.checkIn()).upgrade).toMatchObject({ version: '1.1.0' });
    const failed = await one.checkIn({ upgrade: { version: '1.1.0', state: 'failed', detail: 'It did not start.' } });
    expect(failed.upgrade).toBeNull();
    expect((await one.checkIn()).upgrade).toBeNull();
    const shown = (await t.call(agentsApi.getRollout, { params: { client: organisation } }, admin)).json();
    expect(shown).toEqual({ version: '1.1.0', percent: 100, agents: 21, done: 20, failed: 1 });
    await roll('1.1.0', 100);
    expect((await one.checkIn()).upgrade).toMatchObject({ version: '1.1.0', platform: 'linux-x64' });
    await one.checkIn({ version: '1.1.0' });
    const { results } = await list(admin, organisation, { kind: 'agent' });
    expect(results.find(({ agentID }) => agentID === one.id)).toMatchObject({
      version: 'mdr-agent 1.1.0',
      upgrade: { version: '1.1.0', state: 'done' },
    });
    expect(await roll('1.1.0', 0)).toBe(0);
    expect((await offered('0.9.0')).size).toBe(0);
  });
});

describe('Devices/upgrade', () => {
  test('offers the package to agents, creates instructions for other collectors, and reports current ones', async () => {
    await give('3.0.0', Buffer.from('3.0.0'));
    const { organisation, admin } = await fresh();
    const agent = await agentOf(t, organisation, `upgrade${next++}`);
    const current = await agentOf(t, organisation, `upgrade${next++}`, '3.0.0');
    const old = await device(organisation, 'old-beat', { agent_version: 'filebeat 8.9.0' });
    const newest = await device(organisation, 'new-beat', { agent_version: 'filebeat 8.17.1' });
    const mute = await device(organisation, 'mute');
    const requestUpgrade = (user: TestUser, ...devices: string[]) => t.call(devicesApi.upgrade, { body: { devices } }, user);
    const answer = await requestUpgrade(admin, agent.deviceId, current.deviceId, old.id, newest.id, mute.id, old.id);
    expect(answer.statusCode).toBe(200);
    const { results } = answer.json<AnswerOf<typeof devicesApi.upgrade>>();
    expect(results).toHaveLength(5);
    expect(Object.fromEntries(results.map(({ uuid, outcome }) => [uuid, outcome]))).toEqual({
      [agent.deviceId]: 'offered',
      [current.deviceId]: 'current',
      [old.id]: 'instructed',
      [newest.id]: 'current',
      [mute.id]: 'instructed',
    });
    expect((await agent.checkIn()).upgrade).toMatchObject({ version: '3.0.0' });
    const rows = await list(admin, organisation);
    const upgradeOf = (name: string) => rows.results.find(({ deviceName }) => deviceName === name)?.upgrade;
    expect(upgradeOf('old-beat')).toMatchObject({ version: '8.17.1', state: 'instructed' });
    expect(upgradeOf('old-beat')?.detail).toMatch(/from 8\.9\.0 to 8\.17\.1/);
    await system((tx) => tx.updateTable('devices').set({ agent_version: 'filebeat 8.17.1' }).where('id', '=', old.id).execute());
    const after = await list(admin, organisation);
    expect(after.results.find(({ deviceName }) => deviceName === 'old-beat')?.upgrade?.state).toBe('done');
    const stranger = (await fresh()).admin;
    expect((await requestUpgrade(stranger, agent.deviceId)).statusCode).toBe(404);
    const reader = await t.user({ organisationId: organisation, role: 'Analyst' });
    expect((await requestUpgrade(reader, agent.deviceId)).statusCode).toBe(403);
  });
});
