import { pastSearchesApi } from '@parapet/contract/pastSearches.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { runAs } from '../../../test/database.ts';
import { builtInOf } from '../../../test/rules.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { queuePastSearch } from '../../domain/pastSearches.ts';
import { createDetector } from '../../pipeline/detector.ts';
import type { PastSearchDeps } from './pastSearches.slices.ts';
import * as store from './pastSearches.store.ts';
import { runPastSearches } from './pastSearches.worker.ts';

const t = useTestApp();
let [partner, client, sibling, foreign] = [0, 0, 0, 0];
let host: TestUser;
let analyst: TestUser;
let clientAdmin: TestUser;
let stranger: TestUser;
let deps: PastSearchDeps;

beforeAll(async () => {
  await t.organisation({ id: 1, isPartner: true, name: 'Provider' });
  host = await t.user({ organisationId: 1, role: 'Host' });
  partner = await t.organisation({ isPartner: true });
  [client, sibling] = [await t.organisation({ parentId: partner }), await t.organisation({ parentId: partner })];
  const other = await t.organisation({ isPartner: true });
  foreign = await t.organisation({ parentId: other });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  clientAdmin = await t.user({ organisationId: client, role: 'Administrator' });
  stranger = await t.user({ organisationId: other, role: 'Administrator' });
  const detector = await createDetector({ db: t.db, builtIn: await builtInOf() });
  deps = { db: t.db, clock: systemClock, log: silentLog, detector, groupingWindowMs: 3_600_000, eventRetentionDays: 30 };
});

const ago = (hours: number) => new Date(systemClock.now() - hours * hourMs).toISOString();
const event = (hours: number, more: object = {}) => ({ '@timestamp': ago(hours), host: { name: 'ws-1' }, ...more });
const importList = (name: string, text: string) =>
  t.application.app.inject({
    method: 'POST',
    url: `/api/v1/intelligence/${name}/csv`,
    headers: { authorization: `Bearer ${host.token}`, 'content-type': 'text/csv' },
    payload: text,
  });
const list = async (user: TestUser, id = 0) =>
  pastSearchesApi.list.answer.parse((await t.call(pastSearchesApi.list, { params: { client: id } }, user)).json()).results;
const get = async (user: TestUser, pastSearch: number, id = 0) =>
  pastSearchesApi.get.answer.parse((await t.call(pastSearchesApi.get, { params: { client: id, pastSearch } }, user)).json());
const newest = async () => (await list(host))[0]!;
const audited = async (organisationId: number, id: number) =>
  (
    await scoped(t.db, { organisationIds: [organisationId] }, (tx) =>
      sql`select after from audit where action = 'pastSearch.searched' and target = ${String(id)}`.execute(tx),
    )
  ).rows;
/** As a killed worker leaves it, once its lease has ended. */
const endLease = (id: number, attempts = 0) =>
  scoped(t.db, 'system', (tx) =>
    sql`update past_searches set state = 'running', attempts = ${attempts}, leased_until = now() - interval '1 second' where id = ${id}`.execute(
      tx,
    ),
  );
/** Blocks that do not overlap, so that a slice ends between them. */
const sendBlocks = async (organisationId: number, more: object) => {
  const key = await t.ingestKey(organisationId);
  for (const day of [0, 1, 2, 3])
    await t.send(
      key,
      [1, 2, 3].map((hour) => event(day * 24 + hour, more)),
    );
};
const search = (more: Partial<PastSearchDeps> = {}, isClosed?: () => boolean) => runPastSearches({ ...deps, ...more }, isClosed);

describe('a search for indicators', () => {
  test('starts with an import, reads each client once for all new values, and names what it found where', async () => {
    await t.send(await t.ingestKey(client), [
      event(1, { destination: { ip: '203.0.113.80' }, user: { name: 'ana' } }),
      event(30, { destination: { ip: '203.0.113.80' } }),
      event(50, { url: { original: 'hxxp\nevil.example:8080/a' }, message: 'GET http://evil.example:8080/a' }),
      event(60, { message: 'notevil.example and evil.example.org, 203.0.113.8' }),
    ]);
    await t.send(await t.ingestKey(sibling), [event(5, { process: { hash: { md5: 'D41D8CD98F00B204E9800998ECF8427E' } } })]);
    await t.send(await t.ingestKey(foreign), [event(3, { source: { ip: '203.0.113.80' } })]);
    const hash = 'd41d8cd98f00b204e9800998ecf8427e';
    await importList('First', `value,reputation\n203.0.113.80,Malicious\n203.0.113.8,Benign\n${hash},Suspicious`);
    await importList('Second', 'evil.example\n203.0.113.80');
    // Those of a partner see it once it has begun for them.
    expect(await list(analyst)).toEqual([]);
    // One waits for both; a value that was known is not new.
    expect(await list(host)).toMatchObject([{ kind: 'indicators', name: 'First, Second', terms: 3, state: 'waiting', hits: 0 }]);
    await search();
    const { id, ...done } = await newest();
    expect(done).toMatchObject({ state: 'done', clients: 3, searched: 3, incomplete: 3, events: 6, hits: 4, leftOut: 0 });
    const { hits, clients } = await get(host, id);
    const of = (organisationId: number) =>
      hits.filter((hit) => hit.clientOrganizationID === organisationId).map(({ value, count, source }) => [value, count, source]);
    expect(of(client)).toEqual([
      ['203.0.113.80', 2, 'First'],
      ['evil.example', 1, 'Second'],
    ]);
    expect(of(sibling)).toEqual([[hash, 1, 'First']]);
    expect(hits.find(({ value, count }) => value === '203.0.113.80' && count === 2)?.examples).toMatchObject([
      { deviceName: 'ws-1', userName: 'ana', field: 'destination.ip' },
      { deviceName: 'ws-1', userName: null },
    ]);
    const gaps = new Map(clients.map((each) => [each.clientOrganizationID, each.missingKinds]));
    expect([gaps.get(client), gaps.get(sibling)]).toEqual([['hash'], ['ip', 'domain']]);
    for (const each of clients) expect([each.isPartial, each.oldestTime !== null]).toEqual([true, true]);
  });

  test('shows a partner and a client their own finds and figures only', async () => {
    const { id } = await newest();
    expect(await list(analyst)).toMatchObject([{ id, clients: 2, searched: 2, events: 5, hits: 3 }]);
    expect(await list(clientAdmin, client)).toMatchObject([{ id, clients: 1, events: 4, hits: 2 }]);
    const own = await get(clientAdmin, id, client);
    expect([own.clients.map((each) => each.clientOrganizationID), own.hits.length]).toEqual([[client], 2]);
    const others = await get(stranger, id);
    expect(others.hits.map((hit) => hit.clientOrganizationID)).toEqual([foreign]);
    expect((await t.call(pastSearchesApi.get, { params: { client, pastSearch: id } }, stranger)).statusCode).toBe(403);
    expect((await t.call(pastSearchesApi.list, { params: { client: foreign } }, analyst)).statusCode).toBe(403);
    const rows = await scoped(t.db, { organisationIds: [foreign] }, async (tx) => {
      const found = await sql<{ id: number }>`select organisation_id as id from past_search_hits`.execute(tx);
      const clients = await sql<{ id: number }>`select organisation_id as id from past_search_clients`.execute(tx);
      return [...found.rows, ...clients.rows];
    });
    expect(new Set(rows.map((row) => row.id))).toEqual(new Set([foreign]));
  });

  test('records in the audit log of each client that its events were read', async () => {
    const { id } = await newest();
    expect(await audited(client, id)).toEqual([{ after: { kind: 'indicators', name: 'First, Second', events: 4, hits: 2 } }]);
  });

  test('goes on after a kill where it stopped, without counting an event twice', async () => {
    const whole = await t.organisation({ parentId: partner });
    await sendBlocks(whole, { destination: { ip: '203.0.113.90' } });
    await importList('Third', '203.0.113.90');
    let slices = 0;
    await search({ sliceMs: 0 }, () => slices++ > 8);
    const stopped = await newest();
    expect(stopped.state).toBe('running');
    await endLease(stopped.id);
    await search({ sliceMs: 0 });
    const { hits, search: done } = await get(host, stopped.id, whole);
    expect([done.state, done.events, hits.map(({ count }) => count)]).toEqual(['done', 12, [12]]);
  });

  test('takes a slice of one of two workers only', async () => {
    await importList('Twice', '203.0.113.95');
    await search();
    const { id } = await newest();
    await endLease(id);
    const at = Date.parse(ago(2));
    await scoped(t.db, 'system', (tx) =>
      sql`update past_search_clients set state = 'waiting', events = 0, searched_to = ${new Date(at)} where organisation_id = ${client}
        and search_id = ${id}`.execute(tx),
    );
    const hit = {
      kind: 'ip',
      value: '203.0.113.95',
      label: '',
      reputation: null,
      source: '',
      count: 1,
      firstAt: at,
      lastAt: at,
    } as const;
    const slice = {
      organisationId: client,
      from: at,
      searchedTo: at - hourMs,
      oldestAt: at,
      events: 5,
      kinds: [],
      state: 'waiting',
    } as const;
    const save = () => scoped(t.db, 'system', (tx) => store.saveProgress(tx, id, { ...slice, hits: [{ ...hit, examples: [] }] }));
    const saved = await Promise.all([save(), save()]);
    expect(saved.sort()).toEqual([false, true]);
    expect(await save()).toBe(false);
    const renew = (searchedTo: number) =>
      scoped(t.db, 'system', (tx) => store.renew(tx, id, { organisationId: client, searchedTo }));
    expect([await renew(slice.from), await renew(slice.searchedTo)]).toEqual([false, true]);
    const { clients, hits } = await get(host, id, client);
    expect([clients, hits]).toMatchObject([[{ events: 5 }], [{ count: 1 }]]);
    // Longer than a slice may take with the pause after it.
    const { rows: leased } = await scoped(t.db, 'system', (tx) =>
      sql`select from past_searches where id = ${id} and leased_until > now() + interval '125 seconds'`.execute(tx),
    );
    expect(leased).toHaveLength(1);
    await endLease(id);
    await search();
  });

  test('names a search that three workers did not get on with, and records that events were read', async () => {
    await importList('Fourth', '203.0.113.91');
    const { id } = await newest();
    await endLease(id, 3);
    await scoped(t.db, 'system', (tx) =>
      sql`
        insert into past_search_clients (search_id, organisation_id, searched_to, first_at, events)
        values (${id}, ${client}, now(), now(), 7), (${id}, ${sibling}, now(), now(), 0)`.execute(tx),
    );
    await search();
    expect(await newest()).toMatchObject({ id, state: 'failed', failure: 'Stopped after three attempts.' });
    expect(await audited(client, id)).toMatchObject([{ after: { name: 'Fourth', events: 7 } }]);
    expect(await audited(sibling, id)).toEqual([]);
  });

  describe('at a client whose finds cannot be stored', () => {
    let owner = 0;
    const ip = '203.0.113.94';
    /** The first so many attempts to store a find of the client fail. */
    const failTimes = (times: number, code: string) =>
      runAs(
        t.database.ownerUrl,
        `create sequence find_attempts`,
        `create function refuse_find() returns trigger language plpgsql security definer as $$ begin
          if new.organisation_id = ${owner} and nextval('find_attempts') <= ${times} then
            raise exception using errcode = '${code}', message = 'refused';
          end if;
          return new;
        end $$`,
        'create trigger refuse before insert on past_search_hits for each row execute function refuse_find()',
      );
    beforeAll(async () => {
      owner = await t.organisation({ parentId: partner });
      await t.send(await t.ingestKey(owner), [event(1, { source: { ip } }), event(2)]);
    });
    beforeEach(() =>
      scoped(t.db, 'system', (tx) =>
        queuePastSearch(tx, { kind: 'indicators', name: 'Refused', terms: [{ kind: 'ip', value: ip }], at: new Date() }),
      ),
    );
    afterEach(() =>
      runAs(
        t.database.ownerUrl,
        'drop trigger refuse on past_search_hits',
        'drop function refuse_find',
        'drop sequence find_attempts',
      ),
    );

    test('waits for a database that is away', async () => {
      await failTimes(1, '57P01');
      await search();
      const { id, state } = await newest();
      expect([state, (await get(host, id, owner)).clients[0]?.state]).toEqual(['running', 'waiting']);
      await endLease(id);
      await search();
      const { clients, hits } = await get(host, id, owner);
      expect([clients, hits]).toMatchObject([[{ state: 'done', events: 2 }], [{ count: 1 }]]);
    });

    test('tries again, and counts each event once', async () => {
      await failTimes(2, '22000');
      await search();
      const { clients, hits } = await get(host, (await newest()).id, owner);
      expect([clients, hits]).toMatchObject([[{ state: 'done', events: 2 }], [{ count: 1 }]]);
    });

    test('names it after three attempts, and records that its events were read', async () => {
      await failTimes(9, '22000');
      await search();
      const { id, state } = await newest();
      const { clients, hits } = await get(host, id, owner);
      expect([state, clients, hits]).toMatchObject(['done', [{ state: 'failed', events: 2 }], []]);
      expect(await audited(owner, id)).toMatchObject([{ after: { events: 2, hits: 0 } }]);
    });
  });

  test('bounds the names that shippers choose', async () => {
    const owner = await t.organisation({ parentId: partner });
    const long = 'x'.repeat(3_000);
    await t.send(await t.ingestKey(owner), [event(1, { [long]: '203.0.113.93', user: { name: long } })]);
    await importList('Long', '203.0.113.93');
    await search();
    const { hits } = await get(host, (await newest()).id, owner);
    expect(hits.flatMap(({ examples }) => examples.map(({ field }) => field))).toEqual([long.slice(0, 200)]);
  });

  test('names days that only the archive has', async () => {
    await scoped(t.db, 'system', (tx) =>
      queuePastSearch(tx, { kind: 'indicators', name: 'Fifth', terms: [{ kind: 'ip', value: '203.0.113.92' }], at: new Date() }),
    );
    await runAs(
      t.database.ownerUrl,
      `insert into archive_files (organisation_id, day, part, key, rows, bytes, sha256, first_at, last_at)
        values (${sibling}, current_date - 40, 1, 'archived', 1, 1, '', now() - interval '40 days', now() - interval '39 days')`,
    );
    await search();
    const { clients, hits } = await get(host, (await newest()).id, sibling);
    expect([hits, clients]).toMatchObject([[], [{ archivedDays: 1, isPartial: true, state: 'done' }]]);
  });
});

describe('a search for known exploited vulnerabilities', () => {
  test('finds devices that have one, with their alerts, and events that name it', async () => {
    const owner = await t.organisation({ parentId: partner });
    await t.send(await t.ingestKey(owner), [
      event(2, { host: { name: 'web-1' }, rule: { name: 'ET EXPLOIT attempt (CVE-2021-44228)' } }),
      event(3, { host: { name: 'web-1' }, message: 'CVE-2021-442281 is another' }),
    ]);
    await scoped(t.db, 'system', (tx) =>
      sql`
        with device as (select id from devices where organisation_id = ${owner} and name = 'web-1'),
        scan as (insert into scans (organisation_id, device_id, source, scanned_at, packages) select ${owner}, id, 'agent', now(), 1 from device)
        insert into findings (organisation_id, device_id, source, cve, package, installed_version, severity, priority, first_seen_at)
        select ${owner}, id, 'agent', 'CVE-2021-44228', 'log4j-core', '2.14.0', 'critical', 1, now() from device`.execute(tx),
    );
    const entry = (cve: string) => ({ cveID: cve, vulnerabilityName: `Name of ${cve}`, dateAdded: '2026-01-02' });
    const known = (...cves: string[]) =>
      t.application.app.inject({
        method: 'POST',
        url: '/api/v1/advisories/kev',
        headers: { authorization: `Bearer ${host.token}`, 'content-type': 'application/json' },
        payload: { vulnerabilities: cves.map(entry) },
      });
    expect((await known('CVE-2021-44228', 'CVE-2020-0001')).statusCode).toBe(200);
    const { id } = await newest();
    await search();
    const { hits, clients } = await get(analyst, id, owner);
    expect(hits.map(({ kind, value, label, count }) => [kind, value, label, count]).sort()).toEqual([
      ['cve', 'CVE-2021-44228', 'Name of CVE-2021-44228', 1],
      ['finding', 'CVE-2021-44228', 'Name of CVE-2021-44228', 1],
    ]);
    expect(hits.find(({ kind }) => kind === 'finding')?.examples).toMatchObject([
      { deviceName: 'web-1', text: 'log4j-core 2.14.0, 0 alerts' },
    ]);
    expect(hits.find(({ kind }) => kind === 'cve')?.examples).toMatchObject([{ deviceName: 'web-1', field: '' }]);
    expect(clients).toMatchObject([{ scannedDevices: 1, missingKinds: [] }]);
    expect((await get(stranger, id)).hits).toEqual([]);
    // Only what was not known starts another one.
    await known('CVE-2021-44228', 'CVE-2020-0001');
    expect((await newest()).id).toBe(id);
    await known('CVE-2021-44228', 'CVE-2020-0002');
    expect(await newest()).toMatchObject({ kind: 'exploited', terms: 1, state: 'waiting' });
    await search();
  });

  test('keeps what events have if devices cannot be looked up', async () => {
    const owner = await t.organisation({ parentId: partner });
    await t.send(await t.ingestKey(owner), [event(1, { message: 'CVE-2020-0003' })]);
    await scoped(t.db, 'system', (tx) =>
      queuePastSearch(tx, {
        kind: 'exploited',
        name: 'Devices',
        terms: [{ kind: 'cve', value: 'cve-2020-0003' }],
        at: new Date(),
      }),
    );
    await runAs(t.database.ownerUrl, 'alter table findings rename to findings_away');
    try {
      await search();
    } finally {
      await runAs(t.database.ownerUrl, 'alter table findings_away rename to findings');
    }
    const { id, state } = await newest();
    const { clients, hits } = await get(host, id, owner);
    expect([state, clients, hits]).toMatchObject(['done', [{ state: 'failed', events: 1 }], [{ kind: 'cve', count: 1 }]]);
    expect(await audited(owner, id)).toMatchObject([{ after: { events: 1, hits: 1 } }]);
  });

  test('looks thousands of vulnerabilities up in thousands of findings within the limit of a statement', async () => {
    const owner = await t.organisation({ parentId: partner });
    await t.send(await t.ingestKey(owner), [event(2, { host: { name: 'many-1' } }), event(2, { host: { name: 'many-2' } })]);
    await scoped(t.db, 'system', async (tx) => {
      await sql`
        insert into findings (organisation_id, device_id, source, cve, aliases, package, installed_version, severity, priority, first_seen_at)
        select ${owner}, d.id, 'agent', 'GHSA-' || n, array['CVE-2019-' || n], 'package', '1', 'low', 1, now()
        from devices d, generate_series(10001, 18000) n where d.organisation_id = ${owner}`.execute(tx);
      await sql`
        update findings set cve = 'CVE-2018-1', aliases = '{CVE-2018-1,CVE-2018-2}' where organisation_id = ${owner} and cve = 'GHSA-10001'`.execute(
        tx,
      );
      await sql`
        insert into alerts (at, organisation_id, last_at, raised_at, rule_id, criticality, device_name, summary)
        select now(), ${owner}, now(), now(), 0, 1, d.name, '' from (values ('MANY-1'), ('many-1'), ('many-2')) d (name)`.execute(
        tx,
      );
    });
    const wanted = Array.from({ length: 3_000 }, (_, n) => `cve-2019-${10_002 + n}`);
    const found = await scoped(t.db, { organisationIds: [owner] }, (tx) =>
      store.listFindings(tx, owner, [...wanted, 'cve-2018-1', 'cve-2018-2', 'cve-2018-3'], new Date(Date.parse(ago(1)))),
    );
    expect([found.length, new Set(found.map(({ count }) => count))]).toEqual([3_002, new Set([2])]);
    expect(found.find(({ value }) => value === 'CVE-2018-1')?.examples).toMatchObject([
      { deviceName: 'many-1', text: 'package 1, 2 alerts' },
      { deviceName: 'many-2', text: 'package 1, 1 alert' },
    ]);
  });
});

describe('a search for rules of a pack', () => {
  const yaml = (action: string) =>
    `title: Tool runs\nid: ${key}\nlogsource:\n  product: probe\ndetection:\n  selection:\n    action: ${action}\n  condition: selection\nlevel: medium\n`;
  const key = '00000000-0000-4000-8000-0000000000aa';
  const version = (number: number, state: string, text: string) =>
    scoped(t.db, 'system', (tx) =>
      sql`
        insert into rule_versions (organisation_id, rule_key, version, state, yaml, revision, title, criticality, note, author_name, created_at)
        values (1, ${key}, ${number}, ${state}, ${text}, '', 'Tool runs', 3, '', '', now())`.execute(tx),
    );
  const queue = (number: number, replaced?: number) =>
    scoped(t.db, 'system', (tx) =>
      queuePastSearch(tx, {
        kind: 'rules',
        name: `Pack ${number}`,
        terms: [{ kind: 'rule', value: key, version: number, replaced }],
        at: new Date(),
      }),
    );

  test('counts the alerts that an update adds and loses, by client', async () => {
    const owner = await t.organisation({ parentId: partner });
    const probe = (hours: number, action: string) => event(hours, { logsource: { product: 'probe' }, action });
    await t.send(await t.ingestKey(owner), [probe(2, 'start'), probe(30, 'start'), probe(40, 'stop'), probe(41, 'other')]);
    await version(1, 'draft', yaml('start'));
    await queue(1);
    await search();
    const first = await newest();
    expect(first).toMatchObject({ kind: 'rules', name: 'Pack 1', terms: 1, state: 'done' });
    expect((await get(analyst, first.id)).hits).toMatchObject([
      {
        clientOrganizationID: owner,
        kind: 'rule',
        value: key,
        label: 'Tool runs',
        count: 2,
        examples: [{ deviceName: 'ws-1', text: '' }, { text: '' }],
      },
    ]);
    expect((await get(stranger, first.id)).hits).toEqual([]);
    // An update is compared with the version that it replaced.
    await scoped(t.db, 'system', (tx) => sql`update rule_versions set state = 'retired' where rule_key = ${key}`.execute(tx));
    await version(2, 'live', yaml('stop'));
    await deps.detector.reload();
    await queue(2, 1);
    await search();
    const { hits, clients } = await get(analyst, (await newest()).id, owner);
    // Those without a text of the rule are counted as well.
    expect([hits.map(({ count }) => count), clients.map(({ lost, events }) => [lost, events])]).toEqual([[1], [[2, 4]]]);
  });

  test('rests after each slice, and stops between slices once the worker closes', async () => {
    const owner = await t.organisation({ parentId: partner });
    await sendBlocks(owner, { logsource: { product: 'probe' }, action: 'stop' });
    await sendBlocks(owner, { logsource: { product: 'probe' }, action: 'other' });
    await queue(2, 1);
    const { id } = await newest();
    await scoped(t.db, 'system', (tx) =>
      sql`
        insert into past_search_clients (search_id, organisation_id, searched_to, first_at, state)
        select ${id}, id, now(), now(), 'done' from organisations where id <> ${owner}`.execute(tx),
    );
    let looks = 0;
    await search({ sliceMs: 0 }, () => looks++ > 1);
    expect([await newest(), (await get(host, id, owner)).clients]).toMatchObject([
      { state: 'running' },
      [{ state: 'waiting', events: 0 }],
    ]);
    // Released, so that another worker need not wait for the end of the lease.
    const wait = vi.fn(async () => {});
    await search({ sliceMs: 0, wait });
    expect((await get(host, id, owner)).clients).toMatchObject([{ state: 'done', events: 24 }]);
    expect(wait.mock.calls.length).toBeGreaterThan(3);
  });
});
