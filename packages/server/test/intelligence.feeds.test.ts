/** Feeds into threat intelligence against a simulated TAXII server and a simulated MISP. */
import { intelligenceApi } from '@parapet/contract/intelligence.ts';
import { type IntelligenceFeed, intelligenceFeedsApi } from '@parapet/contract/intelligenceFeeds.ts';
import { hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import {
  type IntelligenceSource,
  mispKey,
  startMisp,
  startTaxii,
  taxiiCollection,
  taxiiCredentials,
} from '@parapet/world/vendors/intelligence.ts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { movableClock } from '../src/core/clock.ts';
import { scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { openOutbound } from '../src/core/outbound.ts';
import { createVendorHttp } from '../src/features/connections/connections.http.ts';
import { createFeedsService } from '../src/features/intelligence/feeds.service.ts';
import { claimFeed } from '../src/features/intelligence/feeds.store.ts';
import { type TestApp, type TestUser, testApp } from './app.ts';
import { seedCase } from './seed.ts';

const clock = movableClock(Date.now());
let t: TestApp;
let taxii: IntelligenceSource;
let misp: IntelligenceSource;
let host: TestUser;
let manager: TestUser;
let service: ReturnType<typeof createFeedsService>;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  [taxii, misp] = [await startTaxii(), await startMisp()];
  const origins = [taxii.url, misp.url];
  t = await testApp({ CONNECTION_ORIGINS: origins.join(',') });
  await t.organisation({ id: 1, isPartner: true });
  host = await t.user({ organisationId: 1, role: 'Host' });
  manager = await t.user({ organisationId: await t.organisation({ parentId: 1 }), role: 'Manager' });
  const outbound = openOutbound({ allowsInsecure: false, alsoOrigins: origins, timeoutMs: 5_000, maxBytes: 4 * 1024 * 1024 });
  closers.push(() => outbound.close(), t.close, taxii.close, misp.close);
  service = createFeedsService({ db: t.db, clock, http: createVendorHttp(outbound), keys: t.keys, examples: {}, log: silentLog });
});
afterAll(async () => {
  for (const close of closers) await close();
});
beforeEach(() => {
  for (const each of [taxii, misp]) {
    each.objects.length = 0;
    each.requests.length = 0;
  }
});
afterEach(async () => {
  for (const each of (await service.list()).results) await call('remove', { params: { id: each.id } });
  for (const each of [taxii, misp]) {
    each.refuse(false);
    each.neverEnd(false);
  }
});

const call = (name: keyof typeof intelligenceFeedsApi, input: object, user = host) =>
  t.call(intelligenceFeedsApi[name], input as never, user);
const ofTaxii = () => ({ kind: 'taxii', url: `${taxii.url}/api/`, collection: taxiiCollection, ...taxiiCredentials });
const ofMisp = () => ({ kind: 'misp', url: misp.url, secret: mispKey });
const feed = async (name: string): Promise<IntelligenceFeed> =>
  (await service.list()).results.find((each) => each.name === name)!;
const run = async (name: string, hours = 0): Promise<IntelligenceFeed> => {
  clock.moveTo(Math.max(clock.now(), Date.now()) + hours * hourMs + 1_000);
  await service.run();
  return feed(name);
};
const add = async (name: string, body: object): Promise<IntelligenceFeed> => {
  const created = await call('create', { body: { name, ...body } });
  expect(created.statusCode, created.body).toBe(200);
  return run(name);
};
const listed = (name: string) =>
  scoped(t.db, 'system', async (tx) =>
    (
      await tx
        .selectFrom('indicators')
        .innerJoin('intelligence_lists as l', 'l.id', 'list_id')
        .select(['value', 'reputation'])
        .where('l.name', '=', name)
        .orderBy('value')
        .execute()
    ).map(({ value, reputation }) => (reputation === 'Malicious' ? value : `${value} ${reputation}`)),
  );

let added = Date.parse('2026-11-01T00:00:00Z');
const ids: Record<string, string> = {};
const idOf = (name: string): string => {
  ids[name] ??= crypto.randomUUID();
  return ids[name];
};
const nextTime = (): string => {
  added += 1_000;
  return new Date(added).toISOString();
};
const indicator = (value: string, set: object = {}, id = value) => ({
  type: 'indicator',
  id: `indicator--${idOf(id)}`,
  modified: nextTime(),
  pattern: `[domain-name:value = '${value}']`,
  pattern_type: 'stix',
  date_added: new Date(added).toISOString(),
  ...set,
});
const attribute = (value: string, set: object = {}) => ({
  uuid: idOf(value),
  type: 'domain',
  value,
  to_ids: true,
  deleted: false,
  timestamp: String(Date.parse(nextTime()) / 1_000),
  ...set,
});
/** Puts the newest version of an object in place of the one before, as servers do. */
const replace = (source: IntelligenceSource, key: 'id' | 'uuid', next: Record<string, unknown>) => {
  source.objects.splice(
    source.objects.findIndex((each) => each[key] === next[key]),
    1,
  );
  source.objects.push(next);
};

test('reads all pages of a collection, then only what was added, and ends revoked and expired indicators', async () => {
  const until = new Date(Date.now() + 3 * hourMs).toISOString();
  const values = Array.from({ length: 7 }, (_, at) => `d${at}.example`);
  taxii.objects.push(...values.map((value) => indicator(value)), indicator('short.example', { valid_until: until }));
  expect(await add('Collection', ofTaxii())).toMatchObject({ state: 'receiving', count: 8, skipped: 0, error: null });
  expect(await listed('Collection')).toEqual([...values, 'short.example']);
  expect(taxii.requests.map(({ next }) => next)).toEqual([undefined, '3', '6']);
  expect(taxii.requests[0]).toMatchObject({ 'match[type]': 'indicator' });
  taxii.requests.length = 0;
  await run('Collection', 0.5);
  expect(taxii.requests).toEqual([]);
  replace(taxii, 'id', indicator('d0.example', { revoked: true }));
  taxii.objects.push(indicator('new.example', { confidence: 10 }));
  expect(await run('Collection', 1)).toMatchObject({ count: 8 });
  expect(taxii.requests).toHaveLength(1);
  expect(Date.parse(String(taxii.requests[0]!.added_after))).toBeGreaterThan(0);
  expect(await listed('Collection')).toEqual([...values.slice(1), 'new.example Suspicious', 'short.example']);
  taxii.disturb({ kind: 'outage' });
  expect(await run('Collection', 2.5)).toMatchObject({ state: 'retrying', count: 7 });
  expect(await listed('Collection')).not.toContain('short.example');
});

test('removes once a day what the server has withdrawn without a word', async () => {
  taxii.objects.push(indicator('stays.example'), indicator('gone.example'));
  await add('Daily', ofTaxii());
  taxii.objects.pop();
  await run('Daily', 1.1);
  expect(await listed('Daily')).toEqual(['gone.example', 'stays.example']);
  await run('Daily', 24);
  expect(await listed('Daily')).toEqual(['stays.example']);
});

test('keeps a value as long as one object names it, with the worst reputation', async () => {
  taxii.objects.push(indicator('twice.example', { confidence: 10 }), indicator('twice.example', {}, 'other'));
  expect(await add('Twice', ofTaxii())).toMatchObject({ count: 1 });
  expect(await listed('Twice')).toEqual(['twice.example']);
  replace(taxii, 'id', indicator('twice.example', { revoked: true }, 'other'));
  await run('Twice', 1.1);
  expect(await listed('Twice')).toEqual(['twice.example Suspicious']);
});

test('counts bad objects and keeps the good ones', async () => {
  taxii.objects.push(
    indicator('good.example'),
    { date_added: nextTime() },
    { ...indicator('x.example'), type: 'indicator', id: 'indicator--1' },
    indicator('10.0.0.1', { pattern: "[ipv4-addr:value = '10.0.0.1']" }),
    indicator('both', {
      pattern: "[domain-name:value = 'a.example' AND domain-name:value = 'b.example']",
      name: 'a\u0000\u202eb',
    }),
    indicator('far.example', { valid_until: '+200000-01-01T00:00:00Z' }),
    indicator('long', { pattern: 'x'.repeat(30_000) }),
  );
  const read = await add('Bad', ofTaxii());
  expect(read).toMatchObject({ state: 'receiving', count: 2, skipped: 4 });
  expect(read.fault).not.toMatch(/[\u0000\u202e]/);
  expect(await listed('Bad')).toEqual(['far.example', 'good.example']);
});

test('reads attributes of MISP by page, and ends deleted ones and those no longer for detection', async () => {
  misp.objects.push(
    ...Array.from({ length: 1_500 }, (_, at) => attribute(`m${at}.example`)),
    attribute('note', { type: 'comment' }),
    attribute('draft.example', { isUnpublished: true }),
    attribute('context.example', { to_ids: false }),
  );
  expect(await add('MISP', { ...ofMisp(), tags: 'tlp:green, tlp:clear' })).toMatchObject({ state: 'receiving', count: 1_500 });
  expect(misp.requests.map(({ page, published, tags }) => [page, published, tags])).toEqual([
    [1, true, ['tlp:green', 'tlp:clear']],
    [2, true, ['tlp:green', 'tlp:clear']],
  ]);
  replace(misp, 'uuid', attribute('m0.example', { deleted: true }));
  replace(misp, 'uuid', attribute('m1.example', { to_ids: false }));
  expect(await run('MISP', 1.1)).toMatchObject({ count: 1_498 });
  expect(Number(misp.requests.at(-1)!.timestamp)).toBeGreaterThan(0);
});

test('waits as long as a throttling server wants, and recovers', async () => {
  taxii.objects.push(indicator('a.example'));
  await add('Limited', ofTaxii());
  taxii.disturb({ kind: 'throttle', seconds: 1_200 });
  const limited = await run('Limited', 1.1);
  expect(limited).toMatchObject({ state: 'retrying', count: 1 });
  expect(limited.error).toContain('429');
  expect(Date.parse(limited.nextAt!) - clock.now()).toBe(20 * minuteMs);
  expect(await run('Limited', 0.5)).toMatchObject({ state: 'receiving', error: null });
});

test.each([
  ['taxii', 401],
  ['misp', 403],
] as const)('shows expired credentials of %s, keeps the list, and reads again with new ones', async (kind, status) => {
  const [source, given] = kind === 'taxii' ? [taxii, ofTaxii()] : [misp, ofMisp()];
  source.objects.push(kind === 'taxii' ? indicator('kept.example') : attribute('kept.example'));
  const { id } = await add('Expired', given);
  source.refuse(true);
  const refused = await run('Expired', 1.1);
  expect(refused).toMatchObject({ state: 'refused', count: 1 });
  expect(refused.error).toContain(String(status));
  source.refuse(false);
  const { kind: _kind, ...values } = given;
  expect((await call('change', { params: { id }, body: values })).statusCode).toBe(200);
  expect(await run('Expired')).toMatchObject({ state: 'receiving', error: null, count: 1 });
});

test.each([
  ['broken JSON', () => taxii.disturb({ kind: 'broken' }), /not JSON/],
  ['a page without an end', () => taxii.disturb({ kind: 'endless' }), /too large/],
  ['a redirect', () => taxii.disturb({ kind: 'redirect', to: 'https://169.254.169.254/' }), /Redirects are not followed/],
  ['a closed connection', () => taxii.disturb({ kind: 'reset' }), /connection was closed/],
])('keeps the list on %s, and tries again in five minutes', async (_name, spoil, error) => {
  taxii.objects.push(indicator('kept.example'));
  await add('Spoilt', ofTaxii());
  spoil();
  const failed = await run('Spoilt', 1.1);
  expect(failed).toMatchObject({ state: 'retrying', count: 1 });
  expect(failed.error).toMatch(error);
  expect(Date.parse(failed.nextAt!) - clock.now()).toBe(5 * minuteMs);
  expect(await run('Spoilt', 0.1)).toMatchObject({ state: 'receiving', error: null });
});

test('reads pages that never end a hundred at a time', async () => {
  taxii.objects.push(indicator('again.example'));
  taxii.neverEnd(true);
  const first = await add('Endless', ofTaxii());
  expect(taxii.requests).toHaveLength(100);
  expect(Date.parse(first.nextAt!) - clock.now()).toBe(minuteMs);
  await scoped(t.db, 'system', (tx) =>
    tx
      .updateTable('intelligence_feeds')
      .set({ position: JSON.stringify({ next: '5', pages: 1_999 }) } as never)
      .execute(),
  );
  const stopped = await run('Endless', 0.1);
  expect(stopped.error).toMatch(/pages never end/);
  taxii.neverEnd(false);
  expect(await run('Endless', 1)).toMatchObject({ state: 'receiving', count: 1 });
});

test('re-evaluates open cases with values that come and go, and searches the past for new ones', async () => {
  const set = { needs_decision: false } as const;
  const seeded = await seedCase(t.db, {
    organisationId: manager.organisationId,
    artifacts: [{ kind: 'domain', value: 'case.example' }],
    set,
  });
  const needs = () =>
    scoped(t.db, 'system', async (tx) => {
      const row = await tx.selectFrom('cases').select('needs_decision').where('id', '=', seeded.id).executeTakeFirstOrThrow();
      await tx.updateTable('cases').set(set).where('id', '=', seeded.id).execute();
      return row.needs_decision;
    });
  taxii.objects.push(indicator('case.example'));
  await add('Cases', ofTaxii());
  expect(await needs()).toBe(true);
  const { rows } = await scoped(t.db, 'system', (tx) =>
    sql`select value, source from past_search_terms where value = 'case.example'`.execute(tx),
  );
  expect(rows).toEqual([{ value: 'case.example', source: 'Cases' }]);
  await run('Cases', 1.1);
  expect(await needs()).toBe(false);
  replace(taxii, 'id', indicator('case.example', { revoked: true }));
  await run('Cases', 1.1);
  expect(await needs()).toBe(true);
});

test('drops what was read after a person paused the feed, and removes a feed with its list', async () => {
  taxii.objects.push(indicator('a.example'));
  const { id, listID } = await add('Paused', ofTaxii());
  expect((await call('pause', { params: { id }, body: { isPaused: true } })).statusCode).toBe(200);
  taxii.requests.length = 0;
  expect(await run('Paused', 5)).toMatchObject({ state: 'paused', nextAt: null, count: 1 });
  expect(taxii.requests).toEqual([]);
  await call('pause', { params: { id }, body: { isPaused: false } });
  const at = new Date(clock.now());
  expect(await scoped(t.db, 'system', (tx) => claimFeed(tx, at, new Date(at.getTime() + hourMs)))).toMatchObject({ id });
  expect(await scoped(t.db, 'system', (tx) => claimFeed(tx, at, at))).toBeUndefined();
  const csv = { method: 'POST', headers: { authorization: `Bearer ${host.token}`, 'content-type': 'text/csv' } } as const;
  const over = await t.application.app.inject({ ...csv, url: '/api/v1/intelligence/Paused/csv', payload: 'b.example' });
  expect([over.statusCode, over.json().error]).toEqual([400, expect.stringContaining('feed')]);
  expect((await t.call(intelligenceApi.remove, { params: { id: listID } }, host)).statusCode).toBe(400);
  expect((await t.call(intelligenceApi.list, {}, host)).json().results).toMatchObject([{ name: 'Paused', isOfFeed: true }]);
  expect((await call('create', { body: { name: 'Paused', ...ofMisp() } })).json().errors).toHaveProperty('name');
  expect((await call('remove', { params: { id } })).statusCode).toBe(200);
  expect((await t.call(intelligenceApi.list, {}, host)).json().results).toEqual([]);
  expect(await scoped(t.db, 'system', (tx) => tx.selectFrom('intelligence_feed_objects').selectAll().execute())).toEqual([]);
});

test('tests a feed without storing anything, and refuses addresses of this network', async () => {
  taxii.objects.push(...[1, 2, 3, 4].map((n) => indicator(`t${n}.example`)));
  expect((await call('test', { body: ofTaxii() })).json()).toEqual({ indicators: 3, skipped: 0, hasMore: true });
  for (const [url, error] of [
    ['https://127.0.0.1:1/', /public https/],
    ['http://example.com/', /public https/],
    [`${taxii.url}/other`, /404: No collection$/],
  ] as const) {
    const tested = await call('test', { body: { ...ofTaxii(), url } });
    expect([tested.statusCode, tested.json().errors.url[0]]).toEqual([400, expect.stringMatching(error)]);
  }
  expect((await service.list()).total).toBe(0);
});

test('seals the secret, never shows it, and never sends it to another address', async () => {
  const { id, hasSecret } = await add('Sealed', ofTaxii());
  expect(hasSecret).toBe(true);
  expect((await call('list', {})).body).not.toContain(taxiiCredentials.secret);
  const row = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('intelligence_feeds').select('secret').executeTakeFirstOrThrow(),
  );
  expect(row.secret?.toString('latin1')).not.toContain(taxiiCredentials.secret);
  const { kind: _kind, secret: _secret, ...values } = ofTaxii();
  const elsewhere = await call('change', { params: { id }, body: { ...values, url: 'https://elsewhere.example/' } });
  expect([elsewhere.statusCode, Object.keys(elsewhere.json().errors)]).toEqual([400, ['secret']]);
  expect((await call('change', { params: { id }, body: values })).statusCode).toBe(200);
  expect(await run('Sealed')).toMatchObject({ state: 'receiving' });
  const audit = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('audit').select(['action', 'before', 'after']).where('action', 'like', 'intelligenceFeed.%').execute(),
  );
  expect(JSON.stringify(audit)).not.toContain(taxiiCredentials.secret);
});

test('lets only the provider’s Host see and change feeds', async () => {
  const answers = await Promise.all([
    call('list', {}, manager),
    call('test', { body: ofMisp() }, manager),
    call('create', { body: { name: 'No', ...ofMisp() } }, manager),
    call('remove', { params: { id: 1 } }, manager),
  ]);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403, 403]);
});
