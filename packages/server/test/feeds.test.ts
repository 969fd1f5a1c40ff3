/** Feeds of EPSS scores and known exploited vulnerabilities against simulated publishers. */
import { gzipSync } from 'node:zlib';
import { type AdvisoryFeed, advisoryFeedsApi, type FeedKind, feedKinds } from '@parapet/contract/advisoryFeeds.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { vulnerabilitiesApi } from '@parapet/contract/vulnerabilities.ts';
import { type Feeds, startFeeds } from '@parapet/world/vendors/feeds.ts';
import { serveVendor } from '@parapet/world/vendors/vendor.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { movableClock } from '../src/core/clock.ts';
import { scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { openOutbound } from '../src/core/outbound.ts';
import { createVendorHttp } from '../src/features/connections/connections.http.ts';
import { createFeedsService } from '../src/features/connections/feeds.service.ts';
import { claimFeed, saveOutcome } from '../src/features/connections/feeds.store.ts';
import { createAdvisoriesService } from '../src/features/vulnerabilities/advisories.service.ts';
import { createMatchingService } from '../src/features/vulnerabilities/matching.service.ts';
import { type TestApp, type TestUser, testApp } from './app.ts';
import { addDevice, osv, sendFile } from './vulnerabilities.fixture.ts';

const cve = 'CVE-2026-41001';
const clock = movableClock(Date.now());

let t: TestApp;
let feeds: Feeds;
let host: TestUser;
let manager: TestUser;
let client: number;
let score = 0.4;
let exploited = [cve];
/** Answers what the tests write, also redirects. */
let answer: { status?: number; headers?: Record<string, string>; body: unknown } = { body: '' };
let other: Awaited<ReturnType<typeof serveVendor>>;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  feeds = await startFeeds({
    epss: (day) => `#model_version:v2025.03.14,score_date:${day}T00:00:00+0000\ncve,epss,percentile\n${cve},${score},0.9\n`,
    kev: () =>
      JSON.stringify({
        count: exploited.length,
        vulnerabilities: exploited.map((cveID) => ({ cveID, vulnerabilityName: '<b>Bad</b>', dateAdded: '2026-11-02' })),
      }),
  });
  other = await serveVendor(() => answer);
  const origins = [new URL(feeds.urls.epss).origin, other.url];
  t = await testApp({ CONNECTION_ORIGINS: origins.join(',') });
  await t.organisation({ id: 1, isPartner: true });
  host = await t.user({ organisationId: 1, role: 'Host' });
  client = await t.organisation({ parentId: 1 });
  manager = await t.user({ organisationId: client, role: 'Manager' });
  const outbound = openOutbound({ allowsInsecure: false, alsoOrigins: origins });
  closers.push(() => outbound.close(), t.close, feeds.close, other.close);
  matching = createMatchingService({ db: t.db, clock, log: silentLog });
  service = createFeedsService({
    db: t.db,
    clock,
    http: createVendorHttp(outbound),
    advisories: createAdvisoriesService({ db: t.db, clock }),
    simulated: {},
    log: silentLog,
  });
});
afterAll(async () => {
  for (const close of closers) await close();
});
beforeEach(() => {
  score = 0.4;
  exploited = [cve];
});

/** The worker's, on a clock that moves. */
let service: ReturnType<typeof createFeedsService>;
let matching: ReturnType<typeof createMatchingService>;

const change = (kind: FeedKind, body: { isOn: boolean; url: string }, user = host) =>
  t.call(advisoryFeedsApi.change, { params: { kind }, body }, user);
const feed = async (kind: FeedKind): Promise<AdvisoryFeed> => (await service.list()).results.find((each) => each.kind === kind)!;
/** Turns a feed on and reads it as the worker does. */
const readFrom = async (kind: FeedKind, url: string): Promise<AdvisoryFeed> => {
  for (const each of feedKinds) await change(each, { isOn: false, url });
  expect((await change(kind, { isOn: true, url })).statusCode).toBe(200);
  clock.moveTo(Math.max(clock.now(), Date.now()) + 1_000);
  await service.run();
  return feed(kind);
};
const again = async (kind: FeedKind, hours: number): Promise<AdvisoryFeed> => {
  clock.moveTo(clock.now() + hours * hourMs);
  await service.run();
  return feed(kind);
};
const scanned = () =>
  scoped(t.db, 'system', async (tx) => (await tx.selectFrom('scans').select('is_due').execute()).map((row) => row.is_due));
const settle = () => scoped(t.db, 'system', (tx) => tx.updateTable('scans').set({ is_due: false }).execute());

test('shows each value of a finding with the day of its score and the time at which it was read', async () => {
  await sendFile(t, '/advisories/osv', JSON.stringify(osv(cve, 'feedpkg', '2.0')), host);
  const device = await addDevice(t, client, [{ name: 'feedpkg', version: '1.0' }]);
  expect(await readFrom('epss', feeds.urls.epss)).toMatchObject({
    state: 'receiving',
    entries: 1,
    error: null,
    isSimulated: false,
  });
  expect(await readFrom('kev', feeds.urls.kev)).toMatchObject({ state: 'receiving', entries: 1 });
  await matching.run();
  const found = await t.call(vulnerabilitiesApi.list, { params: { client }, query: { device } as never }, manager);
  expect(found.json().results).toMatchObject([
    {
      cve,
      epss: 0.4,
      epssDay: new Date().toISOString().slice(0, 10),
      isKnownExploited: true,
      exploitedDay: '2026-11-02',
      isInvented: false,
    },
  ]);
  const [{ epssReadAt, exploitedReadAt }] = found.json().results;
  for (const at of [epssReadAt, exploitedReadAt]) expect(Math.abs(Date.parse(at) - clock.now())).toBeLessThan(60_000);
});

test('reads every six hours, and matches nothing again while the file is the same', async () => {
  await readFrom('kev', feeds.urls.kev);
  await settle();
  const before = feeds.requests();
  await again('kev', 5);
  expect(feeds.requests()).toBe(before);
  const { readAt } = await again('kev', 1.1);
  expect(feeds.requests()).toBe(before + 1);
  expect(Date.parse(readAt!)).toBe(clock.now());
  expect(await scanned()).not.toContain(true);
  exploited = ['CVE-2026-41002'];
  await again('kev', 6.1);
  expect(await scanned()).toContain(true);
  // A complete list removes what it lacks.
  const rows = await scoped(t.db, 'system', (tx) => tx.selectFrom('known_exploited').select(['cve', 'origin']).execute());
  expect(rows).toEqual([{ cve: 'CVE-2026-41002', origin: 'feed' }]);
});

test('keeps the known list when the next one lost most of its entries', async () => {
  exploited = Array.from({ length: 9 }, (_, at) => `CVE-2026-4200${at}`);
  expect(await readFrom('kev', feeds.urls.kev)).toMatchObject({ entries: 9, error: null });
  exploited = exploited.slice(0, 4);
  const cut = await again('kev', 6.1);
  expect(cut).toMatchObject({ state: 'retrying', entries: 9 });
  expect(cut.error).toContain('has 4 entries, the one before had 9');
  await sendFile(t, '/advisories/kev', JSON.stringify({ count: 1, vulnerabilities: [{ cveID: cve }] }), host);
  expect(await again('kev', 6.1)).toMatchObject({ state: 'receiving', entries: 4 });
  await scoped(t.db, 'system', (tx) => tx.deleteFrom('known_exploited').execute());
});

test('imports the feed’s file again after a person imported another one', async () => {
  await readFrom('kev', feeds.urls.kev);
  await sendFile(t, '/advisories/kev', JSON.stringify({ count: 1, vulnerabilities: [{ cveID: 'CVE-2020-0001' }] }), host);
  await again('kev', 6.1);
  const rows = await scoped(t.db, 'system', (tx) => tx.selectFrom('known_exploited').select(['cve', 'origin']).execute());
  expect(rows).toEqual([{ cve, origin: 'feed' }]);
});

test('says an error in words, keeps the values, tries again later, and recovers', async () => {
  await readFrom('kev', feeds.urls.kev);
  feeds.disturb({ kind: 'outage' });
  const failed = await again('kev', 6.1);
  expect(failed).toMatchObject({ state: 'retrying', error: 'CISA returned 503.', entries: 1 });
  expect(Date.parse(failed.nextAt!) - clock.now()).toBe(5 * 60_000);
  feeds.disturb({ kind: 'throttle', seconds: 1_200 });
  const limited = await again('kev', 0.1);
  expect(limited.error).toContain('429');
  expect(Date.parse(limited.nextAt!) - clock.now()).toBe(1_200_000);
  expect(await again('kev', 1)).toMatchObject({ state: 'receiving', error: null });
});

test.each<[string, FeedKind, () => typeof answer, RegExp]>([
  ['a page instead of a list', 'kev', () => ({ body: '<html>Sign in</html>' }), /"vulnerabilities" is missing/],
  ['a changed schema', 'kev', () => ({ body: { items: [] } }), /"vulnerabilities" is missing/],
  ['half of a packed file', 'epss', () => ({ body: gzipSync('x'.repeat(5_000)).subarray(0, 20) }), /damaged or incomplete/],
  ['no scores', 'epss', () => ({ body: 'cve,epss\nCVE-1,2\n' }), /CVE-1/],
  [
    'a redirect into this network',
    'kev',
    () => ({ status: 302, headers: { location: 'https://169.254.169.254/' }, body: '' }),
    /public https/,
  ],
  [
    'a redirect without encryption',
    'kev',
    () => ({ status: 302, headers: { location: 'http://example.com/' }, body: '' }),
    /public https/,
  ],
  ['a circle of redirects', 'kev', () => ({ status: 302, headers: { location: '/' }, body: '' }), /redirects more than 3 times/],
  [
    'a redirect to nowhere',
    'kev',
    () => ({ status: 302, headers: { location: 'https://' }, body: '' }),
    /redirects to no address/,
  ],
  ['a refusal', 'kev', () => ({ status: 403, body: 'a\u0000b\u202e' }), /returned 403/],
])('refuses %s', async (_name, kind, given, error) => {
  answer = given();
  const read = await readFrom(kind, `${other.url}/`);
  expect(read.state).toBe('retrying');
  expect(read.error).toMatch(error);
  expect(read.error).not.toMatch(/[\u0000\u202e]/);
  const tested = await t.call(advisoryFeedsApi.test, { params: { kind }, body: { url: `${other.url}/` } }, host);
  expect([tested.statusCode, Object.keys(tested.json().errors)]).toEqual([400, ['url']]);
});

test('refuses an unpacked file without end', async () => {
  answer = { body: gzipSync(Buffer.alloc(210 * 1024 * 1024, 'x')) };
  expect((await readFrom('epss', `${other.url}/`)).error).toMatch(/too large/);
});

test('tests an address without storing anything', async () => {
  const before = await scoped(t.db, 'system', (tx) => tx.selectFrom('epss_scores').selectAll().execute());
  score = 0.9;
  const tested = await t.call(advisoryFeedsApi.test, { params: { kind: 'epss' }, body: { url: feeds.urls.epss } }, host);
  expect(tested.json()).toEqual({ entries: 1, newest: new Date().toISOString().slice(0, 10), skipped: 0 });
  const kev = await t.call(advisoryFeedsApi.test, { params: { kind: 'kev' }, body: { url: feeds.urls.kev } }, host);
  expect(kev.json()).toEqual({ entries: 1, newest: '2026-11-02', skipped: 0 });
  expect(await scoped(t.db, 'system', (tx) => tx.selectFrom('epss_scores').selectAll().execute())).toEqual(before);
});

test('leaves a paused feed alone', async () => {
  await readFrom('kev', feeds.urls.kev);
  await change('kev', { isOn: false, url: feeds.urls.kev });
  const before = feeds.requests();
  expect(await again('kev', 50)).toMatchObject({ state: 'paused', nextAt: null, entries: 1 });
  expect(feeds.requests()).toBe(before);
});

test('drops the outcome of a read that a person’s change overtook', async () => {
  await readFrom('kev', feeds.urls.kev);
  clock.moveTo(clock.now() + 7 * hourMs);
  const at = new Date(clock.now());
  const claimed = await scoped(t.db, 'system', (tx) => claimFeed(tx, at, new Date(at.getTime() + hourMs)));
  expect(await scoped(t.db, 'system', (tx) => claimFeed(tx, at, at))).toBeUndefined();
  await change('kev', { isOn: false, url: feeds.urls.kev });
  const outcome = { at, nextAt: at, failures: 1, error: 'late' };
  await scoped(t.db, 'system', (tx) => saveOutcome(tx, claimed!, outcome));
  expect(await feed('kev')).toMatchObject({ state: 'paused', error: null });
});

test('lets only the provider’s Host see, test and change feeds, and records what was changed', async () => {
  const refused = await Promise.all([
    t.call(advisoryFeedsApi.list, {}, manager),
    change('kev', { isOn: true, url: '' }, manager),
    t.call(advisoryFeedsApi.test, { params: { kind: 'kev' }, body: { url: '' } }, manager),
  ]);
  expect(refused.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403]);
  expect((await change('kev', { isOn: true, url: 'javascript:alert(1)' })).statusCode).toBe(400);
  await change('kev', { isOn: false, url: 'https://mirror.example/kev.json' });
  const entry = await scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('audit')
      .select(['after'])
      .where('action', '=', 'feed.changed')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst(),
  );
  expect(entry?.after).toEqual({ isOn: false, url: 'https://mirror.example/kev.json' });
});

test('marks the values of the demo’s simulated feed as invented', async () => {
  const invented = createFeedsService({
    db: t.db,
    clock,
    http: createVendorHttp(openOutbound({ allowsInsecure: true })),
    advisories: createAdvisoriesService({ db: t.db, clock }),
    simulated: feeds.urls,
    log: silentLog,
  });
  await change('kev', { isOn: false, url: '' });
  await change('kev', { isOn: true, url: '' });
  clock.moveTo(clock.now() + 1_000);
  await invented.run();
  const rows = await scoped(t.db, 'system', (tx) => tx.selectFrom('known_exploited').select('origin').execute());
  expect(rows).toEqual([{ origin: 'demo' }]);
  expect((await invented.list()).results.find(({ kind }) => kind === 'kev')).toMatchObject({
    isSimulated: true,
    isOwnAddress: true,
  });
  await matching.run();
  const [finding] = (await t.call(vulnerabilitiesApi.list, { params: { client }, query: {} as never }, manager)).json().results;
  expect(finding.isInvented).toBe(true);
  expect(finding.reasons[0]).toBe('On the list of known exploited vulnerabilities (invented for this demo): +30');
});
