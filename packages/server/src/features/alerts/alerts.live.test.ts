import { alertsApi } from '@parapet/contract/alerts.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { useTestDatabase } from '../../../test/database.ts';
import { type SeedAlert, type SeedRule, seedAlerts, seedMonths, seedRule } from '../../../test/seed.ts';
import { type BusMessages, publish } from '../../core/bus.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { EventSink } from '../../core/http/event-stream.ts';
import { silentLog } from '../../core/log.ts';
import { createCatalogue } from './alerts.catalogue.ts';
import { createLiveAlerts, type LiveTimes } from './alerts.live.ts';

const now = Date.now();
const [alder, birch] = [4001, 4002];

/** Collects the events of a stream. */
function reader() {
  let text = '';
  let backlog = 0;
  const closing: (() => void)[] = [];
  const state = { isEnded: false, isDropped: false };
  const sink: EventSink = {
    write: (part) => {
      text += part;
    },
    backlog: () => backlog,
    end: () => {
      state.isEnded = true;
    },
    drop: () => {
      state.isDropped = true;
    },
    onClose: (handler) => closing.push(handler),
  };
  const blocks = () =>
    text.split('\n\n').map((block) => Object.fromEntries(block.split('\n').map((line) => line.split(/: ?(.*)/s, 2))));
  return {
    sink,
    state,
    text: () => text,
    ids: (): number[] => blocks().flatMap((block) => (block.data ? [JSON.parse(block.data).id] : [])),
    cursor: () => Number(blocks().findLast((block) => block.id)?.id),
    isOpen: () => text.includes('id: '),
    fall: (bytes: number) => {
      backlog = bytes;
    },
    leave: () => {
      for (const handler of closing) handler();
    },
  };
}

/** An in-process bus. */
function bus() {
  const handlers = new Map<string, Set<(event: never) => void>>();
  return {
    on<N extends keyof BusMessages>(name: N, handler: (event: BusMessages[N]) => void) {
      const set = handlers.get(name) ?? new Set();
      handlers.set(name, set.add(handler as (event: never) => void));
      return () => set.delete(handler as (event: never) => void);
    },
    publish<N extends keyof BusMessages>(name: N, event: BusMessages[N]) {
      for (const handler of handlers.get(name) ?? []) (handler as (event: BusMessages[N]) => void)(event);
    },
  };
}

const database = useTestDatabase();
let db: Database;
let rule: SeedRule;

beforeAll(async () => {
  db = database.db;
  await scoped(db, 'system', (tx) =>
    tx
      .insertInto('organisations')
      .values([alder, birch].map((id) => ({ id, name: `Organisation ${id}` })))
      .execute(),
  );
  rule = await seedRule(db);
  await seedMonths(db, now - 40 * dayMs, now + dayMs);
});

describe('live stream', () => {
  let inner: ReturnType<typeof bus>;
  let live: ReturnType<typeof createLiveAlerts>;
  const open = (times: Partial<LiveTimes> = {}) => {
    inner = bus();
    const catalogue = createCatalogue({ bus: inner });
    live = createLiveAlerts(
      { db, bus: inner, catalogue, log: silentLog },
      { burstMs: 10, heartbeatMs: 60_000, recheckMs: 60_000, ...times },
    );
  };
  beforeEach(() => open());
  afterEach(() => live.close());

  const follow = async (
    organisationIds: number[],
    options: { after?: number; userId?: number; stillAllowed?: () => Promise<boolean> } = {},
  ) => {
    const me = reader();
    await live.follow({
      actor: { userId: options.userId ?? 1 } as Actor,
      scope: { organisationIds },
      after: options.after,
      open: () => me.sink,
      stillAllowed: options.stillAllowed ?? (async () => true),
    });
    return me;
  };
  const raise = async (organisationId: number, ...alerts: Partial<SeedAlert>[]) => {
    const seeded = await seedAlerts(
      db,
      organisationId,
      alerts.map((alert) => ({ at: now, raisedAt: Date.now(), rule, ...alert })),
    );
    const alertIds = seeded.map((alert) => alert.id);
    inner.publish('alert.raised', { organisationId, alertIds });
    return alertIds;
  };

  test('sends new alerts as list rows to those who may see them', async () => {
    const [mine, theirs, both] = [await follow([alder]), await follow([birch]), await follow([alder, birch])];
    const [a] = await raise(alder, { summary: 'two\nlines' });
    const [b] = await raise(birch, {});
    await vi.waitFor(() => expect(both.ids()).toEqual([a, b]));
    expect(mine.ids()).toEqual([a]);
    expect(theirs.ids()).toEqual([b]);
    const data = JSON.parse(mine.text().split('data: ')[1]!.split('\n')[0]!);
    expect(alertsApi.live.answer.parse(data)).toEqual(data);
    expect(data).toMatchObject({ alertSummary: 'two\nlines', clientOrganizationID: alder, ruleID: rule.key });
    expect(mine.text()).toMatch(/^retry: \d+\n\n/);
  });

  test('reads a burst once, regardless of viewers and messages', async () => {
    const readers: ReturnType<typeof reader>[] = [];
    for (let index = 0; index < 5; index++) readers.push(await follow([alder, birch], { userId: index }));
    let statements = 0;
    const watch = (client: { query: (...args: unknown[]) => unknown }) => {
      const query = client.query.bind(client);
      client.query = (...args) => {
        if (/from alerts a where a\.id = any/.test(JSON.stringify(args[0]))) statements++;
        return query(...args);
      };
    };
    const clients = await Promise.all(Array.from({ length: 4 }, () => db.pool.connect()));
    for (const client of clients) watch(client as never);
    for (const client of clients) client.release();
    const ids = await raise(alder, {}, {}, {});
    inner.publish('alert.raised', { organisationId: alder, alertIds: ids });
    inner.publish('alert.raised', { organisationId: birch, alertIds: [] });
    await vi.waitFor(() => expect(readers.at(-1)!.ids()).toEqual(ids));
    for (const { ids: seen } of readers) expect(seen()).toEqual(ids);
    expect(statements).toBe(1);
  });

  test('queries nothing without viewers of that organisation', async () => {
    await follow([alder]);
    const total = db.pool.totalCount;
    const connect = vi.spyOn(db.pool, 'connect');
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    inner.publish('alert.raised', { organisationId: birch, alertIds: [1, 2, 3] });
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    expect(connect).not.toHaveBeenCalled();
    expect(db.pool.totalCount).toBe(total);
    connect.mockRestore();
  });

  test('resumes slightly before the last seen alert and misses nothing', async () => {
    const [before] = await raise(alder, { raisedAt: Date.now() - 120_000 });
    const [overlapping] = await raise(alder, { raisedAt: Date.now() - 10_000 });
    const [seen] = await raise(alder, {});
    const [foreign] = await raise(birch, {});
    const missed = await raise(alder, {}, {});
    const me = await follow([alder], { after: seen! });
    // Alerts of earlier tests lie within the overlap as well.
    expect(me.ids().filter((id) => id >= before!)).toEqual([overlapping, seen, ...missed]);
    expect(me.ids()).not.toContain(before);
    expect(me.ids()).not.toContain(foreign);
    expect(me.cursor()).toBe(missed[1]);
    // Also from another tenant’s id: it is valid as any reader’s cursor.
    expect((await follow([alder], { after: foreign! })).ids()).toEqual(expect.arrayContaining(missed));
    expect((await follow([alder], { after: me.cursor() })).ids()).not.toContain(before);
  });

  test('resends repeats of older alerts when resumed', async () => {
    const [old] = await raise(alder, { at: now - 20 * dayMs, raisedAt: now - 20 * dayMs });
    const [seen] = await raise(alder, {});
    await scoped(db, { organisationIds: [alder] }, (tx) =>
      sql`insert into alert_folds (organisation_id, key, alert_id, alert_at, last_at, copies) values (${alder}, gen_random_uuid(), ${old}, ${new Date(now - 20 * dayMs)}, now(), 1)`.execute(
        tx,
      ),
    );
    const me = await follow([alder], { after: seen! });
    expect(me.ids()).toContain(old);
    expect(me.cursor()).toBeGreaterThanOrEqual(seen!);
  });

  test('sends a first-time reader the position but no old alerts', async () => {
    const [newest] = await raise(birch, {});
    const me = await follow([birch]);
    expect(me.ids()).toEqual([]);
    expect(me.cursor()).toBeGreaterThanOrEqual(newest!);
  });

  test('sends the newest 500 when resumed after more', async () => {
    const [seen] = await raise(birch, {});
    const ids = await raise(birch, ...Array.from({ length: 620 }, () => ({})));
    const me = await follow([birch], { after: seen! });
    expect(me.ids()).toEqual(ids.slice(-500));
  });

  test('reveals nothing foreign for an invented cursor', async () => {
    await raise(birch, {});
    expect((await follow([4003], { after: 1 })).ids()).toEqual([]);
    expect((await follow([4003], { after: 2_147_483_647 })).ids()).toEqual([]);
  });

  test('sends alerts raised during the catch-up once, after the missed ones', async () => {
    const [seen] = await raise(alder, {});
    const me = reader();
    const following = live.follow({
      actor: { userId: 1 } as Actor,
      scope: { organisationIds: [alder] },
      after: seen,
      open: () => me.sink,
      stillAllowed: async () => true,
    });
    const [during] = await raise(alder, {});
    await following;
    await vi.waitFor(() => expect(me.ids()).toContain(during));
    expect(me.state.isEnded).toBe(false);
  });

  test('allows ten streams per user and rejects the eleventh until one is closed', async () => {
    const readers = [];
    for (let index = 0; index < 10; index++) readers.push(await follow([alder], { userId: 7 }));
    await expect(follow([alder], { userId: 7 })).rejects.toMatchObject({ code: 'tooManyRequests', retryAfterSeconds: 30 });
    await follow([alder], { userId: 8 });
    readers[3]!.leave();
    await follow([alder], { userId: 7 });
  });

  test('drops a stalled reader; the others continue', async () => {
    const [slow, fast] = [await follow([alder]), await follow([alder], { userId: 2 })];
    slow.fall(2 * 1024 * 1024);
    const [first] = await raise(alder, {});
    await vi.waitFor(() => expect(fast.ids()).toEqual([first]));
    expect(slow.state.isDropped).toBe(true);
    const [second] = await raise(alder, {});
    await vi.waitFor(() => expect(fast.ids()).toEqual([first, second]));
    expect(slow.ids()).toEqual([first]);
  });

  test('ends with its session, when the scope changes, or when neither can be checked', async () => {
    live.close();
    open({ heartbeatMs: 10, recheckMs: 1 });
    const [stays, goes, fails] = [
      await follow([alder]),
      await follow([alder], { stillAllowed: async () => false }),
      await follow([alder], { stillAllowed: () => Promise.reject(new Error('away')) }),
    ];
    await vi.waitFor(() => expect([goes.state.isEnded, fails.state.isEnded]).toEqual([true, true]));
    expect(stays.state.isEnded).toBe(false);
    expect(stays.text()).toContain(': still here\n\n');
  });

  test('sends nothing to a user who lost the right, and ends before the next check', async () => {
    let isAllowed = true;
    const [stays, goes] = [await follow([alder]), await follow([alder], { stillAllowed: async () => isAllowed })];
    const [first] = await raise(alder, {});
    await vi.waitFor(() => expect(goes.ids()).toEqual([first]));
    isAllowed = false;
    const [second] = await raise(alder, {});
    await vi.waitFor(() => expect(stays.ids()).toEqual([first, second]));
    expect([goes.ids(), goes.state.isEnded]).toEqual([[first], true]);
  });

  test('ends after a bus outage, so that no message is missed', async () => {
    const me = await follow([alder]);
    inner.publish('bus.reconnected', {});
    expect(me.state.isEnded).toBe(true);
  });

  test('ends with the server, which accepts no more', async () => {
    const me = await follow([alder]);
    live.closeStreams();
    expect(me.state.isEnded).toBe(true);
    await expect(follow([alder])).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('live endpoint', () => {
  let t: TestApp;
  let url: string;
  let client: number;
  let analyst: TestUser;

  beforeAll(async () => {
    t = await testApp();
    url = await t.application.app.listen({ port: 0, host: '127.0.0.1' });
    client = await t.organisation();
    analyst = await t.user({ organisationId: client, role: 'Analyst' });
  });
  afterAll(() => t.close());

  const open = (user: TestUser, id: number, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(`${url}/api/v1/alerts/live/${id}`, {
      headers: { authorization: `Bearer ${user.token}`, ...headers },
      ...(signal && { signal }),
    });

  test('sends unbuffered server-sent events, triggered by the database’s NOTIFY', async () => {
    const end = new AbortController();
    const answer = await open(analyst, client, {}, end.signal);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'self'");
    let text = '';
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const part of answer.body!) text += decoder.decode(part, { stream: true });
    })().catch(() => undefined);
    await vi.waitFor(() => expect(text).toContain('id: '));
    const [alert] = await seedAlerts(t.db, client, [{ at: Date.now(), rule: await seedRule(t.db) }]);
    await scoped(t.db, { organisationIds: [client] }, (tx) =>
      publish(tx, 'alert.raised', { organisationId: client, alertIds: [alert!.id] }),
    );
    await vi.waitFor(() => expect(text).toContain(`id: ${alert!.id}\ndata: {"id":${alert!.id},`), { timeout: 5_000 });
    end.abort();
    await reading;

    const again = await open(analyst, client, { 'last-event-id': String(alert!.id - 1) });
    const chunk = await again.body!.getReader().read();
    expect(new TextDecoder().decode(chunk.value)).toContain('retry: ');
  });

  test('rejects anonymous callers, empty roles, other organisations and All', async () => {
    const stranger = await t.user({ organisationId: await t.organisation(), role: 'Administrator' });
    const guest = await t.user({ organisationId: client, role: '' });
    expect((await fetch(`${url}/api/v1/alerts/live/${client}`)).status).toBe(401);
    expect((await open(guest, client)).status).toBe(403);
    expect((await open(stranger, client)).status).toBe(403);
    expect((await open(analyst, 0)).status).toBe(403);
  });
});
