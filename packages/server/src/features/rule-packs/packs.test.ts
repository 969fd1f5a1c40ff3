import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rulesApi } from '@parapet/contract/detectionRules.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { rulePacksApi } from '@parapet/contract/rulePacks.ts';
import { unzipSync, zipSync } from 'fflate';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { openBlobs } from '../../core/blobs.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { signingKey } from '../../core/keys/signing.ts';
import { silentLog } from '../../core/log.ts';
import { openOutbound } from '../../core/outbound.ts';
import { shareVersions } from '../../domain/ruleVersions.ts';
import { createDetector, readBuiltIn } from '../../pipeline/detector.ts';
import { packArchive } from './packs.export.ts';
import { runImports } from './packs.worker.ts';

let number = 0;
const uuid = () => `00000000-0000-4000-8000-${String(++number).padStart(12, '0')}`;
const rule = (id: string, action: string, more = '') =>
  `title: Rule for ${action}\nid: ${id}\nstatus: test\nlicense: DRL-1.1\nauthor: A. Writer\nlogsource:\n  product: probe\ndetection:\n  selection:\n    action: ${action}\n  condition: selection\n${/level/.test(more) ? '' : 'level: low\n'}${more}`;

let t: TestApp;
let [client, key, folder] = [0, '', ''];
let host: TestUser;
let admin: TestUser;
let partnerAdmin: TestUser;
let work: () => Promise<void>;
let git: Server;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packs-'));
  const rulesDir = join(folder, 'rules');
  await mkdir(rulesDir);
  await writeFile(join(rulesDir, 'built-in.yml'), rule(uuid(), 'built-in'));
  t = await testApp({ DATA_DIR: folder, RULES_DIR: rulesDir });
  await t.organisation({ id: 1, isPartner: true });
  const partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  host = await t.user({ organisationId: 1, role: 'Host' });
  admin = await t.user({ organisationId: 1, role: 'Administrator' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  key = await t.ingestKey(client);
  git = await serveGit(folder);
  const origin = `http://127.0.0.1:${(git.address() as AddressInfo).port}`;
  // Of a worker process.
  const detector = await createDetector({ db: t.db, builtIn: await readBuiltIn(rulesDir) });
  const outbound = openOutbound({ allowsInsecure: false, alsoOrigins: [origin] });
  const deps = {
    db: t.db,
    clock: systemClock,
    detector,
    outbound,
    log: silentLog,
    signingKey: async () => signingKey(Buffer.alloc(32)),
  };
  work = async () => {
    await detector.reload();
    await runImports({ ...deps, blobs: openBlobs(undefined, join(folder, 'files')) });
  };
});
afterAll(async () => {
  await t.close();
  git.close();
  await rm(folder, { recursive: true });
});

/** Git's own server of smart HTTP, as CGI. */
async function serveGit(root: string): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://git');
    const child = spawn('git', ['http-backend'], {
      env: {
        ...process.env,
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method ?? 'GET',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
      },
    });
    request.pipe(child.stdin);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('close', () => {
      const all = Buffer.concat(chunks);
      const end = all.indexOf('\r\n\r\n');
      const head = all
        .subarray(0, end)
        .toString()
        .split('\r\n')
        .map((line) => line.split(': ') as [string, string]);
      const status = head.find(([name]) => name === 'Status')?.[1].slice(0, 3) ?? '200';
      response.writeHead(Number(status), Object.fromEntries(head.filter(([name]) => name !== 'Status')));
      response.end(all.subarray(end + 4));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

const zipOf = (files: Record<string, string>) =>
  Buffer.from(zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]))));

const upload = (bytes: Buffer, name: string, user: TestUser = host) =>
  t.application.app.inject({
    method: 'POST',
    url: `/api/v1/rulePacks/imports?name=${encodeURIComponent(name)}`,
    headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/octet-stream' },
    payload: bytes,
  });
const importOf = async (bytes: Buffer, name: string): Promise<number> => {
  const response = await upload(bytes, name);
  expect(response.statusCode, response.body).toBe(200);
  await work();
  return (response.json() as { id: number }).id;
};
const review = async (id: number, query: InputOf<typeof rulePacksApi.getImport>['query'] = {}) =>
  rulePacksApi.getImport.answer.parse(
    (await t.call(rulePacksApi.getImport, { params: { id }, query: { pageSize: 200, ...query } }, host)).json(),
  );
const statuses = async (id: number) =>
  Object.fromEntries(
    (await review(id)).results.map(({ path, status, detail }) => [path, detail ? `${status}: ${detail}` : status]),
  );
const accept = (id: number, state: 'draft' | 'shadow' | 'live', more = {}) =>
  t.call(rulePacksApi.accept, { params: { id }, body: { state, why: 'For the test', ...more } }, host);
const states = async (): Promise<Record<string, string>> =>
  scoped(t.db, 'system', async (tx) => {
    const { rows } = await sql<{ key: string; states: string }>`
      select rule_key as key, string_agg(state, ' ' order by version) as states from rule_versions group by 1`.execute(tx);
    return Object.fromEntries(rows.map((row) => [row.key, row.states]));
  });
const packs = async () => rulePacksApi.list.answer.parse((await t.call(rulePacksApi.list, {}, host)).json());
const alerts = async (action: string): Promise<number> => {
  await t.send(key, [{ '@timestamp': new Date().toISOString(), host: { name: 'h' }, logsource: { product: 'probe' }, action }]);
  return scoped(t.db, 'system', async (tx) => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from alerts a join rules r on r.id = a.rule_id where r.title = ${`Rule for ${action}`}`.execute(
      tx,
    );
    return rows[0]!.count;
  });
};

test('reviews an archive before anything is accepted, and accepts it into the states that each rule may have', async () => {
  const [one, two, three, four] = [uuid(), uuid(), uuid(), uuid()];
  const id = await importOf(
    zipOf({
      'pack/rules/1.yml': rule(one, 'pack-one'),
      'pack/rules/2.yml': rule(two, 'pack-two', 'level: critical\n'),
      'pack/rules/3.yml': `title: Many\nid: ${three}\ncorrelation:\n  type: event_count\n  rules: [${one}]\n  group-by: [host.name]\n  timespan: 5m\n  condition: { gte: 3 }\n  generate: true\nlevel: medium\n`,
      'pack/rules/4.yml': rule(four, 'pack-one', 'level: high\n'),
      'pack/rules/5.yml': rule(uuid(), 'x').replace('condition: selection', 'condition: other'),
      'pack/rules/6.yml': 'title: [',
      'pack/rules/7.yml': rule(one, 'pack-seven'),
      'pack/rules/8.yml': rule(uuid(), 'x').replace('status: test', 'status: deprecated'),
      'pack/rules/9.yml': rule(uuid(), 'x').replace('product: probe', 'product: nowhere'),
    }),
    'First',
  );
  const found = await statuses(id);
  expect(found).toEqual({
    'rules/1.yml': 'new',
    'rules/2.yml': 'new',
    'rules/3.yml': 'new',
    'rules/4.yml': 'duplicate: Same detection as “Rule for pack-one”.',
    'rules/5.yml': expect.stringMatching(/^refused: Line \d+: .*other/),
    'rules/6.yml': expect.stringMatching(/^refused: Line /),
    'rules/7.yml': 'duplicate: Another rule of the pack has the same ID.',
    'rules/8.yml': 'refused: Its status is deprecated.',
    'rules/9.yml': 'new',
  });
  const { results, packImport } = await review(id, { search: '9.yml' });
  expect(results).toMatchObject([{ isKnownSource: false, author: 'A. Writer', licence: 'DRL-1.1' }]);
  expect(packImport).toMatchObject({ state: 'ready', files: 9, signer: null });
  expect(await states()).toEqual({});
  expect((await accept(id, 'live', { onlyKnownSources: false })).statusCode).toBe(200);
  const after = await states();
  expect([after[one], after[two], after[three], after[four]]).toEqual(['live', 'shadow', 'live', undefined]);
  expect((await accept(id, 'live')).statusCode).toBe(409);
  expect((await packs()).results.find(({ name }) => name === 'First')).toMatchObject({
    origin: 'archive',
    rules: 4,
    licence: 'DRL-1.1',
    states: { live: 3, shadow: 1, draft: 0 },
  });
  await expect.poll(() => alerts('pack-one'), { timeout: 20_000 }).toBeGreaterThan(0);
  expect(await alerts('pack-two')).toBe(0);
  const list = await t.call(rulesApi.list, { params: { client: 0 }, query: { pack: 'First' } }, host);
  expect(rulesApi.list.answer.parse(list.json()).results.map(({ ruleID }) => ruleID)).toEqual(
    expect.arrayContaining([one, two, three]),
  );
}, 90_000);

test('shows an update as a difference, keeps what was changed here, and retires what left', async () => {
  const [same, changed, edited, gone, counted, added] = [uuid(), uuid(), uuid(), uuid(), uuid(), uuid()];
  const first = { 'r/a.yml': rule(same, 'u-a'), 'r/b.yml': rule(changed, 'u-b'), 'r/c.yml': rule(edited, 'u-c') };
  const id = await importOf(zipOf({ ...first, 'r/d.yml': rule(gone, 'u-d'), 'r/e.yml': rule(counted, 'u-e') }), 'Second');
  expect((await accept(id, 'live')).statusCode).toBe(200);
  await t.call(
    rulesApi.saveDraft,
    {
      body: {
        clientOrganizationID: 1,
        ruleID: edited,
        afterVersion: 1,
        yaml: rule(edited, 'u-c-here'),
        note: 'Changed here',
      },
    },
    host,
  );
  const update = await importOf(
    zipOf({
      'r/a.yml': rule(same, 'u-a'),
      'r/b.yml': rule(changed, 'u-b2'),
      'r/c.yml': rule(edited, 'u-c2'),
      'r/f.yml': rule(added, 'u-f'),
    }),
    'Second',
  );
  expect(await statuses(update)).toEqual({
    'a.yml': 'same',
    'b.yml': 'changed',
    'c.yml': 'edited: Changed here since it was accepted.',
    'd.yml': 'removed',
    'e.yml': 'removed',
    'f.yml': 'new',
  });
  expect((await accept(update, 'live')).json()).toEqual({ taken: 3, retired: 2 });
  // The past is searched for what the update would have found, beside the versions that it replaced.
  const { rows: searched } = await scoped(t.db, 'system', (tx) =>
    sql`select value, version, replaced from past_search_terms where search_id = (select max(id) from past_searches) order by value`.execute(
      tx,
    ),
  );
  expect(searched).toEqual([
    { value: changed, version: 2, replaced: 1 },
    { value: edited, version: 3, replaced: null },
    { value: added, version: 1, replaced: null },
  ]);
  const after = await states();
  expect([same, changed, edited, gone, counted, added].map((each) => after[each])).toEqual([
    'live',
    'retired live',
    'live draft draft',
    'retired',
    'retired',
    'live',
  ]);
}, 60_000);

test('shows three texts of what was changed here, and accepts, keeps or merges each rule', async () => {
  const [accepted, own, merged, open, late, gone, stays] = [uuid(), uuid(), uuid(), uuid(), uuid(), uuid(), uuid()];
  const keys = { accepted, kept: own, merged, open, late, gone, stays };
  const files = (round: string, names: readonly (keyof typeof keys)[]) =>
    zipOf(Object.fromEntries(names.map((name) => [`${name}.yml`, rule(keys[name], `t-${name}${round}`)])));
  const all = ['accepted', 'kept', 'merged', 'open', 'late', 'gone', 'stays'] as const;
  await accept(await importOf(files('', all), 'Three ways'), 'live');
  const changeHere = async (name: keyof typeof keys, afterVersion: number) => {
    const yaml = rule(keys[name], `t-${name}`, `tags:\n  - attack.t105${8 + afterVersion}\n`);
    const body = { clientOrganizationID: 1, ruleID: keys[name], afterVersion, yaml, note: 'Changed here' };
    expect((await t.call(rulesApi.saveDraft, { body }, host)).statusCode).toBe(200);
  };
  for (const name of ['accepted', 'kept', 'merged', 'open', 'late', 'stays'] as const) await changeHere(name, 1);
  const update = await importOf(files('-new', ['accepted', 'kept', 'merged', 'open', 'late']), 'Three ways');
  const item = async (ruleID: string) => (await t.call(rulePacksApi.getItem, { params: { id: update, ruleID } }, host)).json();
  expect(await item(merged)).toEqual({
    ruleID: merged,
    title: 'Rule for t-merged-new',
    status: 'edited',
    decision: null,
    base: rule(merged, 't-merged'),
    own: rule(merged, 't-merged', 'tags:\n  - attack.t1059\n'),
    theirs: rule(merged, 't-merged-new'),
    merged: null,
  });
  expect(await item(stays)).toMatchObject({ status: 'removed', base: rule(stays, 't-stays'), theirs: null });
  const decide = (ruleID: string, decision: 'accept' | 'keep' | 'merge', yaml: string | null = null) =>
    t.call(rulePacksApi.decide, { params: { id: update, ruleID }, body: { decision, yaml } }, admin);
  const text = rule(merged, 't-merged-new', 'tags:\n  - attack.t1059\n');
  for (const wrong of [null, 'title: [', text.replace(merged, uuid())])
    expect((await decide(merged, 'merge', wrong)).statusCode).toBe(400);
  expect((await decide(gone, 'merge', text)).statusCode).toBe(400);
  expect((await decide(uuid(), 'keep')).statusCode).toBe(404);
  for (const [ruleID, decision, yaml] of [
    [accepted, 'accept'],
    [own, 'keep'],
    [merged, 'merge', text],
    [late, 'accept'],
    [gone, 'keep'],
  ] as const)
    expect((await decide(ruleID, decision, yaml)).statusCode).toBe(200);
  expect((await review(update, { status: ['edited'] })).results.map(({ decision }) => decision)).toEqual([
    'accept',
    'keep',
    'accept',
    'merge',
    null,
  ]);
  // A version that the decision did not regard.
  await changeHere('late', 2);
  expect([(await item(late)).decision, (await item(own)).decision]).toEqual([null, 'keep']);
  // Of accepted, merged, open and late rules; nothing is retired, as the other one that left was changed here.
  expect((await accept(update, 'live')).json()).toEqual({ taken: 4, retired: 0 });
  const after = await states();
  expect(Object.fromEntries(Object.entries(keys).map(([name, each]) => [name, after[each]]))).toEqual({
    accepted: 'retired retired live',
    kept: 'live draft',
    merged: 'live draft draft',
    open: 'live draft draft',
    late: 'live draft draft draft',
    gone: 'live',
    stays: 'live draft',
  });
  // By the person who decided on the text, not by the one who accepted the import.
  const versions = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('rule_versions').select('author_id').where('rule_key', '=', merged).orderBy('version').execute(),
  );
  expect(versions.map(({ author_id }) => author_id)).toEqual([host.id, host.id, admin.id]);
  expect((await decide(own, 'accept')).statusCode).toBe(409);
  // The next update of the same texts is no difference, and what was kept belongs to no pack.
  const again = await importOf(files('-new', ['accepted', 'kept', 'merged', 'open', 'late']), 'Three ways');
  expect(await statuses(again)).toEqual({
    'accepted.yml': 'same',
    'kept.yml': 'same',
    'merged.yml': 'same',
    'open.yml': 'same',
    'late.yml': 'same',
  });
  const later = await importOf(files('-later', ['kept', 'accepted']), 'Three ways');
  expect((await t.call(rulePacksApi.getItem, { params: { id: later, ruleID: own } }, host)).json()).toMatchObject({
    base: rule(own, 't-kept-new'),
    theirs: rule(own, 't-kept-later'),
  });
  expect((await review(later)).results.find(({ path }) => path === 'accepted.yml')).toMatchObject({ status: 'changed' });
  for (const id of [again, later]) await t.call(rulePacksApi.discard, { params: { id } }, host);
}, 60_000);

test('keeps a version made here through every update, and revives nothing that was retired', async () => {
  const [edited, retired] = [uuid(), uuid()];
  const files = (round: string) => zipOf({ 'a.yml': rule(edited, `k-a${round}`), 'b.yml': rule(retired, `k-b${round}`) });
  await accept(await importOf(files('1'), 'Edited'), 'live');
  const draft = { clientOrganizationID: 1, ruleID: edited, afterVersion: 1, yaml: rule(edited, 'k-here'), note: 'Changed here' };
  await t.call(rulesApi.saveDraft, { body: draft }, host);
  const late = await importOf(files('2'), 'Edited');
  await scoped(t.db, 'system', (tx) => sql`update rule_versions set state = 'retired' where rule_key = ${retired}`.execute(tx));
  // Changed between the comparison and the acceptance.
  expect((await accept(late, 'live')).json()).toEqual({ taken: 2, retired: 0 });
  const update = await importOf(files('3'), 'Edited');
  expect(await statuses(update)).toMatchObject({ 'a.yml': 'edited: Changed here since it was accepted.' });
  await accept(update, 'live');
  const after = await states();
  expect([after[edited], after[retired]]).toEqual(['live draft draft draft', 'retired draft draft']);
  const { id: packID } = (await packs()).results.find(({ name }) => name === 'Edited')!;
  const change = (state: 'live' | 'retired') =>
    t.call(rulePacksApi.changeState, { params: { id: packID! }, body: { state, why: 'For the test' } }, host);
  // An explicit change; the version made here stays.
  expect((await change('live')).json()).toEqual({ changed: 1, left: 1 });
  expect((await change('retired')).json()).toEqual({ changed: 2, left: 0 });
  const ended = await states();
  expect([ended[edited], ended[retired]]).toEqual(['retired retired retired retired', 'retired retired retired']);
}, 60_000);

test('leaves out an ID that was used since the import was compared, and a broken file retires nothing', async () => {
  const [taken, broken] = [uuid(), uuid()];
  const waiting = await importOf(zipOf({ 'a.yml': rule(taken, 'w-a'), 'b.yml': rule(broken, 'w-b') }), 'Waiting');
  const body = { clientOrganizationID: 1, ruleID: null, afterVersion: 0, yaml: rule(taken, 'w-own'), note: 'An own rule' };
  expect((await t.call(rulesApi.saveDraft, { body }, host)).statusCode).toBe(200);
  expect((await accept(waiting, 'live')).json()).toEqual({ taken: 1, retired: 0 });
  const update = await importOf(zipOf({ 'a.yml': rule(uuid(), 'w-c'), 'b.yml': 'title: [' }), 'Waiting');
  expect(await statuses(update)).toEqual({ 'a.yml': 'new', 'b.yml': expect.stringMatching(/^refused/) });
});

test('signs what it exports, and keeps a pack with the key that signed it', async () => {
  const own = signingKey(Buffer.alloc(32, 1));
  const pack = (text: string, signer = own) =>
    packArchive(
      [{ path: 'rules/a.yml', bytes: Buffer.from(text) }],
      { name: 'Signed', version: '1.0', publisher: 'Maker' },
      signer,
    );
  const ruleID = uuid();
  const id = await importOf(pack(rule(ruleID, 's-a')), 'Signed');
  expect((await review(id)).packImport).toMatchObject({
    isFirstOfSigner: true,
    version: '1.0',
    signer: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
  expect((await accept(id, 'shadow')).statusCode).toBe(200);
  for (const [archive, failure] of [
    [pack(rule(ruleID, 's-b'), signingKey(Buffer.alloc(32, 2))), /^The pack is signed with the key .*; it was accepted with/],
    [zipOf({ 'rules/a.yml': rule(ruleID, 's-b') }), /this archive isn’t\.$/],
  ] as const) {
    const next = await importOf(archive, 'Signed');
    const { packImport } = await review(next);
    expect(packImport).toMatchObject({ state: 'failed', failure: expect.stringMatching(failure) });
  }
  const { results } = await packs();
  const { id: packID } = results.find(({ name }) => name === 'Signed')!;
  const file = await t.call(rulePacksApi.download, { params: { pack: String(packID) } }, host);
  expect(file.headers['content-disposition']).toBe('attachment; filename="Signed-1.0.zip"');
  const copy = await importOf(file.rawPayload, 'Copy');
  expect(await statuses(copy)).toEqual({ 'rules/a.yml': 'inUse: An own rule has this ID.' });
  const own2 = await t.call(rulePacksApi.download, { params: { pack: 'builtin' } }, host);
  const names = Object.keys(unzipSync(own2.rawPayload));
  expect(names).toEqual(['manifest.json', 'manifest.json.sig', 'rules/00000000-0000-4000-8000-000000000001.yml']);
}, 60_000);

test('changes the state of a pack’s rules together, except critical ones', async () => {
  const [one, two] = [uuid(), uuid()];
  const id = await importOf(zipOf({ 'a.yml': rule(one, 'c-a'), 'b.yml': rule(two, 'c-b', 'level: critical\n') }), 'Third');
  expect((await accept(id, 'shadow')).statusCode).toBe(200);
  const { id: packID } = (await packs()).results.find(({ name }) => name === 'Third')!;
  const change = (state: 'shadow' | 'live' | 'retired') =>
    t.call(rulePacksApi.changeState, { params: { id: packID! }, body: { state, why: 'For the test' } }, host);
  expect((await change('live')).json()).toEqual({ changed: 1, left: 1 });
  const after = await states();
  expect([after[one], after[two]]).toEqual(['live', 'shadow']);
  expect((await change('retired')).json()).toEqual({ changed: 2, left: 0 });
});

test('fetches a repository over smart HTTP, and names what is wrong with an address', async () => {
  const dir = join(folder, 'sigma.git');
  await mkdir(join(dir, 'rules'), { recursive: true });
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: dir });
  run('init', '-q', '-b', 'main');
  const ruleID = uuid();
  await writeFile(join(dir, 'rules', 'a.yml'), rule(ruleID, 'g-a'));
  run('add', '.');
  run('commit', '-qm', 'First');
  const commit = run('rev-parse', 'HEAD').toString().trim();
  const origin = `http://127.0.0.1:${(git.address() as AddressInfo).port}`;
  const fetchOf = async (address: string, branch = '') => {
    const response = await t.call(
      rulePacksApi.fetch,
      { body: { name: `Git ${number++}`, address, branch, folder: 'rules' } },
      host,
    );
    expect(response.statusCode, response.body).toBe(200);
    await work();
    return review((response.json() as { id: number }).id);
  };
  const found = await fetchOf(`${origin}/sigma.git/.git`);
  expect(found.packImport).toMatchObject({ state: 'ready', version: commit.slice(0, 12) });
  expect(found.results).toMatchObject([{ ruleID, path: 'rules/a.yml', status: 'new' }]);
  for (const [address, branch, failure] of [
    [`${origin}/none.git`, '', 'There is no public repository at this address.'],
    [`${origin}/sigma.git/.git`, 'other', 'The repository has no branch or tag “other”.'],
    ['https://127.0.0.1:1/x.git', '', 'The address is not public, or does not start with https://.'],
    ['http://example.com/x.git', '', 'The address is not public, or does not start with https://.'],
  ] as const) {
    const { packImport } = await fetchOf(address, branch);
    expect(packImport).toMatchObject({ state: 'failed', failure });
    // Failures count for nothing.
  }
  const secret = await t.call(rulePacksApi.fetch, { body: { name: 'x', address: 'https://a:b@example.com/x.git' } }, host);
  expect(secret.statusCode).toBe(400);
}, 60_000);

test('refuses everyone but the provider, and discards what is not wanted', async () => {
  expect((await upload(zipOf({ 'a.yml': 'x' }), 'Mine', partnerAdmin)).statusCode).toBe(403);
  expect((await t.call(rulePacksApi.list, {}, partnerAdmin)).statusCode).toBe(403);
  expect((await t.call(rulePacksApi.list, {}, admin)).statusCode).toBe(200);
  for (const { id } of (await packs()).imports)
    expect((await t.call(rulePacksApi.discard, { params: { id } }, host)).statusCode).toBe(200);
  expect((await packs()).imports).toEqual([]);
});

const addDraft = (id: string) => sql`
  insert into rule_versions (organisation_id, rule_key, version, state, yaml, base, revision, title, criticality, note, author_name)
  select organisation_id, rule_key, 2, 'draft', yaml, base, 'x', title, criticality, '', '' from rule_versions where rule_key = ${id}`;
const waitingLocks = sql`select from pg_locks where locktype = 'advisory' and not granted
  and database = (select oid from pg_database where datname = current_database())`;
test('waits for a draft that is being saved, and goes on beside it', async () => {
  const id = uuid();
  await accept(await importOf(zipOf({ 'a.yml': rule(id, 'lock') }), 'Locks'), 'live');
  const update = await importOf(zipOf({ 'a.yml': rule(id, 'lock-new') }), 'Locks');
  const accepting = await scoped(t.db, 'system', async (tx) => {
    await shareVersions(tx);
    await addDraft(id).execute(tx);
    const accepting = { answer: accept(update, 'live') };
    await vi.waitFor(async () => {
      expect((await scoped(t.db, 'system', (other) => waitingLocks.execute(other))).rows).toHaveLength(1);
    }, 10_000);
    return accepting;
  });
  expect((await accepting.answer).json()).toEqual({ taken: 1, retired: 0 });
  expect((await states())[id]).toBe('live draft draft');
});
