import { alertsApi } from '@parapet/contract/alerts.ts';
import { type CheckInDay, type DeviceDetail, devicesApi } from '@parapet/contract/devices.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { agentOf, inventoryOf } from '../../../test/agents.fixture.ts';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { seedAlerts, seedCase, seedRule } from '../../../test/seed.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { addDeviceDays, addDeviceHours } from '../../domain/deviceCounts.ts';
import { dateOf } from '../../domain/ranges.ts';

const now = Date.now();
const thisHour = Math.floor(now / hourMs) * hourMs;
const today = dateOf(now);

const t = useTestApp();
let client: number;
let sibling: number;
let admin: TestUser;
let analyst: TestUser;
let partnerAdmin: TestUser;
let rule: Awaited<ReturnType<typeof seedRule>>;

const own = <T>(read: (tx: Tx) => Promise<T>, id = client) => scoped(t.db, { organisationIds: [id] }, read);
const insert = async (name: string, more: object = {}, organisationId = client): Promise<string> => {
  const values = { organisation_id: organisationId, name, device_type: 'server', last_event_at: new Date(now - hourMs), ...more };
  return (await own((tx) => tx.insertInto('devices').values(values).returning('id').executeTakeFirstOrThrow(), organisationId))
    .id;
};
const hours = (name: string, from: number, to: number, events: number) =>
  own((tx) =>
    addDeviceHours(
      tx,
      Array.from({ length: Math.round((to - from) / hourMs) }, (_, at) => ({
        organisationId: client,
        name,
        hour: from + at * hourMs,
        events,
      })),
    ),
  );
const list = async (query: object = {}, user = analyst, id = client) => {
  const params = { client: id, start: new Date(now - 30 * dayMs).toISOString(), end: new Date(now + hourMs).toISOString() };
  return (await t.call(devicesApi.list, { params, query } as never, user)).json();
};
const one = async (text: string) => (await list({ text })).results[0];
const get = (name: string, user = analyst, id = client) => t.call(devicesApi.get, { params: { client: id, name } }, user);
const detail = async (name: string): Promise<DeviceDetail> => devicesApi.get.answer.parse((await get(name)).json());
const timeline = async (name: string, before?: string) =>
  (
    await t.call(devicesApi.timeline, { params: { client, name }, query: before === undefined ? {} : { before } }, analyst)
  ).json();
const merge = (target: string, duplicates: string[], isMerged = true, user = admin) =>
  t.call(devicesApi.merge, { body: { target, duplicates, isMerged } }, user);

beforeAll(async () => {
  const partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  sibling = await t.organisation({ parentId: partner });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
  analyst = await t.user({ organisationId: client, role: 'Analyst' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  rule = await seedRule(t.db);
});

describe('device list', () => {
  test('shows the state', async () => {
    const at = (hoursAgo: number) => new Date(now - hoursAgo * hourMs);
    const quiet = (hoursAgo: number, more: object) => ({ last_event_at: at(hoursAgo), quiet_from: at(hoursAgo), ...more });
    await insert('state-reporting', quiet(2, { stale_at: new Date(now + hourMs) }));
    await insert('state-stale', quiet(5.26, { stale_at: at(1), silent_at: new Date(now + hourMs) }));
    await insert('state-silent', quiet(30, { stale_at: at(20), silent_at: at(10), silent_since: at(30) }));
    await insert('state-never', { last_event_at: null });
    // One sent since it was measured; one was not measured yet.
    await insert('state-back', { last_event_at: at(0.2), quiet_from: at(30), stale_at: at(20), silent_at: at(10) });
    await insert('state-old', { last_event_at: at(25) });
    const { results } = await list({ text: 'state-' });
    expect(Object.fromEntries(results.map((row: { name: string; state: string }) => [row.name.slice(6), row.state]))).toEqual({
      reporting: 'reporting',
      stale: 'stale',
      silent: 'silent',
      never: 'never',
      back: 'reporting',
      old: 'stale',
    });
    expect(await one('state-stale')).toMatchObject({ silenceHours: 5.3 });
    expect(await one('state-never')).toMatchObject({ silenceHours: null, lastEventAt: null });
    const cut = await list({ text: 'state-', state: 'silent,never' });
    expect([cut.total, cut.results.map((row: { name: string }) => row.name)]).toEqual([2, ['state-never', 'state-silent']]);
    expect(
      (
        await t.call(
          devicesApi.list,
          { params: { client, start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' }, query: { state: 'odd' } } as never,
          analyst,
        )
      ).statusCode,
    ).toBe(400);
  });

  test('shows daily volume and baseline once available', async () => {
    for (const [name, days, expected] of [
      ['usual-weeks', 20, 240],
      ['usual-days', 4, 240],
      ['usual-new', 1.5, null],
    ] as const) {
      await insert(name);
      await hours(name, thisHour - Math.round(days * 24) * hourMs, thisHour - 23 * hourMs, 10);
      await hours(name, thisHour - 23 * hourMs, thisHour + hourMs, 4);
      expect(await one(name)).toMatchObject({ events24h: 96, expected24h: expected });
    }
  });

  test('shows agent and isolation', async () => {
    const id = await insert('agent-1');
    await insert('agent-2');
    await own((tx) =>
      sql`insert into agents (organisation_id, device_id, machine_id, key_hash, platform, version, is_isolated)
        values (${client}, ${id}, 'm1', '\\x01', 'linux-x64', '1.0.0', true)`.execute(tx),
    );
    expect(await one('agent-1')).toMatchObject({ hasAgent: true, isIsolated: true });
    expect(await one('agent-2')).toMatchObject({ hasAgent: false, isIsolated: false });
    const { agent, inventory } = await detail('agent-1');
    expect(agent).toMatchObject({ version: '1.0.0', state: 'online', isIsolated: true, blockedUsers: [], bufferBytes: 0 });
    expect(inventory).toBeNull();
    await own((tx) => sql`update agents set revoked_at = now() where device_id = ${id}`.execute(tx));
    expect((await detail('agent-1')).agent).toMatchObject({ state: 'revoked' });
    expect(await one('agent-1')).toMatchObject({ hasAgent: false, isIsolated: false });
  });
});

test('shows an agent’s complete inventory, with the packages of its last one', async () => {
  const agent = await agentOf(t, client, 'inventory-1');
  await agent.checkIn({ inventoryHash: 'a', inventory: inventoryOf([{ name: 'gone', version: '1' }]) });
  const packages = [
    { name: 'bash', version: '5.2.15' },
    { name: 'openssl', version: '3.0.11-1' },
  ];
  await agent.checkIn({ inventoryHash: 'b', inventory: inventoryOf(packages) });
  const { inventory } = await detail('inventory-1');
  expect(inventory?.system).toContainEqual({ label: 'Host name', value: 'web01' });
  expect(inventory?.packages.map(({ name, version }) => ({ name, version }))).toEqual(packages);
});

describe('check-ins by day', () => {
  const list = async (from: number, to: number, user = analyst, id = client): Promise<CheckInDay[]> => {
    const params = { client: id, start: new Date(from).toISOString(), end: new Date(to).toISOString() };
    return (await t.call(devicesApi.checkIns, { params }, user)).json().results;
  };
  test('count each device once a day by type, including empty days, without future days, newest first of many', async () => {
    await insert('day-1');
    await insert('day-2', { device_type: 'workstation' });
    await insert('day-elsewhere', {}, sibling);
    const at = now - 40 * dayMs;
    await own((tx) =>
      addDeviceDays(tx, client, [
        { name: 'day-1', at },
        { name: 'day-1', at },
        { name: 'day-2', at },
        { name: 'day-1', at: at + 2 * dayMs },
      ]),
    );
    await own((tx) => addDeviceDays(tx, sibling, [{ name: 'day-elsewhere', at }]), sibling);
    const first = Math.floor(at / dayMs) * dayMs;
    const days = await list(first + hourMs, first + 2 * dayMs + 1);
    expect(
      days.map(({ date, serverCount, workstationCount, totalCount }) => [date, serverCount, workstationCount, totalCount]),
    ).toEqual([
      [dateOf(first), 1, 1, 2],
      [dateOf(first + dayMs), 0, 0, 0],
      [dateOf(first + 2 * dayMs), 1, 0, 1],
    ]);
    expect((await list(first, first + dayMs, partnerAdmin, 0))[0]).toMatchObject({ serverCount: 2, totalCount: 3 });
    const long = await list(now - 25 * 365 * dayMs, now + 30 * dayMs);
    expect([long.length, long.at(-1)!.date]).toEqual([800, today]);
    expect(await list(now + 2 * dayMs, now + 3 * dayMs)).toEqual([]);
  });
});

describe('device detail', () => {
  test('resolves names in any case and uuids of its tenant, with alerts, cases, users and programs', async () => {
    const uuid = await insert('Detail-1', { created_at: new Date(now - 9 * dayMs) });
    await insert('Detail-1', {}, sibling);
    await seedAlerts(t.db, client, [
      { at: now - 3 * hourMs, rule, device: 'Detail-1' },
      { at: now - 29 * dayMs, rule, device: 'Detail-1' },
      { at: now - 31 * dayMs, rule, device: 'Detail-1' },
      { at: now, rule, device: 'detail-1b' },
    ]);
    const key = await t.ingestKey(client);
    const line = (user: string, name: string) => ({
      '@timestamp': new Date(now - 60_000).toISOString(),
      message: `${user} ${name}`,
      host: { name: 'Detail-1' },
      user: { name: user },
      process: { name },
    });
    await t.send(key, [line('ada', 'bash'), line('ada', 'vim'), line('ben', 'bash')]);
    const answer = await detail('DETAIL-1');
    expect(answer).toMatchObject({
      uuid,
      name: 'Detail-1',
      alertCount: 2,
      severities: [{ count: 2 }],
      openCases: 0,
      firstSeenAt: new Date(now - 9 * dayMs).toISOString(),
      aliases: [],
      agent: null,
    });
    expect(answer.users.map(({ name, count }) => [name, count])).toEqual([
      ['ada', 2],
      ['ben', 1],
    ]);
    expect(answer.processes.map(({ name, count }) => [name, count])).toEqual([
      ['bash', 2],
      ['vim', 1],
    ]);
    expect(answer.hours).toHaveLength(168);
    expect((await detail(uuid)).name).toBe('Detail-1');
    expect((await get('no-such')).statusCode).toBe(404);
    expect((await get("x' or true --")).statusCode).toBe(404);
    expect((await get('Detail-1', analyst, sibling)).statusCode).toBe(403);
    const foreign = await own(
      (tx) => tx.selectFrom('devices').select('id').where('name', '=', 'Detail-1').executeTakeFirstOrThrow(),
      sibling,
    );
    expect((await get(foreign.id)).statusCode).toBe(404);
    expect((await t.call(devicesApi.get, { params: { client, name: 'Detail-1' } })).statusCode).toBe(401);
  });

  test('pages through the timeline, newest first, without a gap', async () => {
    const uuid = await insert('told-1', { last_event_at: new Date(now - dayMs) });
    const times = Array.from({ length: 230 }, (_, at) => now - (at + 1) * 60_000);
    // Many at one moment, across the edge of a page.
    for (let at = 95; at < 104; at++) times[at] = times[95]!;
    await seedAlerts(
      t.db,
      client,
      times.map((at) => ({ at, rule, device: 'told-1' })),
    );
    await own(async (tx) => {
      await sql`insert into device_silences (organisation_id, device_id, since, ended_at)
        values (${client}, ${uuid}, ${new Date(now - 10 * dayMs)}, ${new Date(now - 9.5 * dayMs)})`.execute(tx);
      await sql`insert into device_versions (organisation_id, device_id, version, seen_at)
        values (${client}, ${uuid}, 'filebeat 8.1', ${new Date(now - 20 * dayMs)})`.execute(tx);
    });
    const id = (await t.call(tagsApi.saveNew, { body: { clientOrganizationID: client, name: 'told' } }, admin)).json()
      .id as number;
    await t.call(tagsApi.tagDevices, { body: { devices: [uuid], tags: [{ id, isDeleted: false }] } }, admin);
    const moments: { time: string; kind: string; text: string; alertID: number | null }[] = [];
    let before: string | undefined;
    for (let page = 0; page < 10; page++) {
      const answer = devicesApi.timeline.answer.parse(await timeline('told-1', before));
      moments.push(...answer.results);
      before = answer.results.at(-1)?.time;
      if (!answer.hasMore) break;
    }
    expect(new Set(moments.flatMap(({ alertID }) => alertID ?? [])).size).toBe(230);
    expect(moments).toHaveLength(230 + 4);
    expect(moments.map(({ time }) => time)).toEqual(
      moments
        .map(({ time }) => time)
        .sort()
        .reverse(),
    );
    expect(moments.filter(({ kind }) => kind !== 'alert').map(({ kind, text }) => [kind, text])).toEqual([
      ['tag', 'Tagged: told'],
      ['silence', 'Sends again, after 12.0 hours'],
      ['silence', 'Fell silent'],
      ['version', 'Collector: filebeat 8.1'],
    ]);
    expect(
      (await t.call(devicesApi.timeline, { params: { client: sibling, name: 'told-1' }, query: {} }, analyst)).statusCode,
    ).toBe(403);
  });
});

test('lists versions by collector, newest first, counting each device for its last', async () => {
  const other = await t.organisation();
  const key = await t.ingestKey(other);
  const reader = await t.user({ organisationId: other, role: 'Analyst' });
  const statement = (name: string, type: string, version: string, minutesAgo = 10) => ({
    '@timestamp': new Date(now - minutesAgo * 60_000).toISOString(),
    message: `${name} ${type} ${version}`,
    host: { name },
    agent: { type, version },
  });
  await t.send(key, [statement('v1', 'filebeat', '8.9.1', 20)]);
  await t.send(key, [
    statement('v1', 'filebeat', '8.17.0'),
    statement('v2', 'filebeat', '8.9.1'),
    statement('v3', 'winlogbeat', '8.2.0'),
  ]);
  await t.send(key, [statement('v1', 'auditbeat', '8.17.0', 5)]);
  const { agentVersions } = (await t.call(devicesApi.agentVersions, { params: { id: other } }, reader)).json();
  expect(agentVersions).toEqual([
    { version: 'auditbeat 8.17.0', kind: 'auditbeat', deviceCount: 1, isNewest: true },
    { version: 'filebeat 8.17.0', kind: 'filebeat', deviceCount: 1, isNewest: true },
    { version: 'filebeat 8.9.1', kind: 'filebeat', deviceCount: 1, isNewest: false },
    { version: 'winlogbeat 8.2.0', kind: 'winlogbeat', deviceCount: 1, isNewest: true },
  ]);
  expect((await t.call(devicesApi.agentVersions, { params: { id: other } }, analyst)).statusCode).toBe(403);
});

describe('duplicates', () => {
  test('become names of one device with their alerts, tags, cases and events, and can be unmerged', async () => {
    const [target, old, older] = [
      await insert('dup', { last_event_at: null }),
      await insert('dup-old'),
      await insert('dup-older'),
    ];
    await seedAlerts(t.db, client, [
      { at: now - hourMs, rule, device: 'dup' },
      { at: now - 2 * hourMs, rule, device: 'dup-old' },
      { at: now - 3 * hourMs, rule, device: 'dup-older' },
    ]);
    const tag = (await t.call(tagsApi.saveNew, { body: { clientOrganizationID: client, name: 'dup' } }, admin)).json()
      .id as number;
    await t.call(tagsApi.tagDevices, { body: { devices: [old], tags: [{ id: tag, isDeleted: false }] } }, admin);
    await hours('dup-old', thisHour, thisHour + hourMs, 7);
    expect((await merge(old, [older])).json()).toEqual({ uuid: old, aliases: 1 });
    // Duplicates of a duplicate move along.
    expect((await merge(target, [old])).json()).toEqual({ uuid: target, aliases: 2 });
    expect((await merge(target, [old, older])).json()).toEqual({ uuid: target, aliases: 2 });
    const { total, results } = await list({ text: 'dup' });
    expect(total).toBe(1);
    expect(results[0]).toMatchObject({
      uuid: target,
      alertCount: 3,
      events24h: 7,
      state: 'reporting',
      deviceTags: [{ id: tag }],
    });
    for (const name of ['dup', 'DUP-OLD', older]) expect(await detail(name)).toMatchObject({ uuid: target, alertCount: 3 });
    expect((await detail('dup')).aliases.map(({ name }) => name)).toEqual(['dup-old', 'dup-older']);
    // The linked list has the same number, by any of its names.
    for (const name of ['dup', 'dup-old']) {
      const range = { client, start: new Date(now - 86_400_000).toISOString(), end: new Date(now + 60_000).toISOString() };
      expect((await t.call(alertsApi.list, { params: range, query: { device: name } }, analyst)).json()).toMatchObject({
        total: 3,
      });
    }
    expect((await timeline('dup')).results.filter(({ kind }: { kind: string }) => kind === 'alert')).toHaveLength(3);

    expect((await merge(old, ['00000000-0000-4000-8000-000000000000'])).statusCode).toBe(404);
    expect((await merge(old, [await insert('dup-other')])).statusCode).toBe(409);
    expect((await merge(target, [target])).statusCode).toBe(400);
    expect((await merge(target, [old], false)).json()).toEqual({ uuid: target, aliases: 1 });
    expect((await list({ text: 'dup-old' })).results.map((row: { name: string }) => row.name)).toEqual(['dup', 'dup-old']);
    expect(await detail('dup-old')).toMatchObject({ uuid: old, alertCount: 1, deviceTags: [{ id: tag }] });
    const audits = await own((tx) =>
      tx
        .selectFrom('audit')
        .select(['action', 'target'])
        .where('action', 'like', 'devices.%d')
        .where('target', 'in', [old, target])
        .where('action', '!=', 'devices.tagged')
        .orderBy('id')
        .execute(),
    );
    expect(audits).toEqual([
      { action: 'devices.merged', target: old },
      { action: 'devices.merged', target },
      { action: 'devices.separated', target },
    ]);
  });

  test('require one organisation and at most one agent, otherwise changing nothing', async () => {
    const [one, two, three] = [await insert('mix-1'), await insert('mix-2'), await insert('mix-3', {}, sibling)];
    expect((await merge(one, [three])).statusCode).toBe(404);
    const mixed = await merge(one, [two, three], true, partnerAdmin);
    expect([mixed.statusCode, mixed.json().errors]).toEqual([
      400,
      { duplicates: [expect.stringContaining('one client organisation')] },
    ]);
    await own((tx) =>
      sql`insert into agents (organisation_id, device_id, machine_id, key_hash, platform, version)
        values (${client}, ${one}, 'm2', '\\x02', 'linux-x64', '1.0.0'), (${client}, ${two}, 'm3', '\\x03', 'linux-x64', '1.0.0')`.execute(
        tx,
      ),
    );
    expect((await merge(one, [two])).statusCode).toBe(409);
    expect((await merge(one, [two], true, analyst)).statusCode).toBe(403);
    expect((await list({ text: 'mix-' })).total).toBe(2);
  });

  test('keep one visible when merged into each other concurrently', async () => {
    const [left, right] = [await insert('race-1'), await insert('race-2')];
    for (let round = 0; round < 5; round++) {
      await Promise.all([merge(left, [right]), merge(right, [left])]);
      expect((await list({ text: 'race-' })).total).toBe(1);
      await Promise.all([merge(left, [right], false), merge(right, [left], false)]);
      expect((await list({ text: 'race-' })).total).toBe(2);
    }
  });

  test('count open cases under any of their names', async () => {
    const [target, other] = [await insert('cased'), await insert('cased-old')];
    await seedCase(t.db, { organisationId: client, alerts: [{ at: now - hourMs, rule, device: 'cased-old' }] } as never);
    await merge(target, [other]);
    expect((await detail('cased')).openCases).toBe(1);
  });
});
