import { providerId } from '@parapet/contract/access.ts';
import { caseGroupingApi } from '@parapet/contract/caseGrouping.ts';
import { dayMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { beforeAll, expect, test, vi } from 'vitest';
import { type TestApp, type TestUser, useTestApp } from '../../../test/app.ts';
import { correlationFixture } from '../../../test/correlation.fixture.ts';
import { changedAccount } from '../../../test/database.ts';
import { type SeedRule, seedRule } from '../../../test/seed.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { runQueue } from '../../domain/previewQueue.ts';
import { listClients } from './correlation.grouping.previews.store.ts';
import { previewWork } from './correlation.grouping.previews.ts';
import { createCorrelationService } from './correlation.service.ts';

const t = useTestApp();
let correlation: ReturnType<typeof createCorrelationService>;
let { raised, casesOf, membersOf, update } = {} as ReturnType<typeof correlationFixture>;
let severe: SeedRule;
let medium: SeedRule;
let host: TestUser;
const why = 'Tried in a test';
const start = Date.now() - 5 * dayMs;

beforeAll(async () => {
  ({ raised, casesOf, membersOf, update } = correlationFixture(t));
  correlation = createCorrelationService({ db: t.db, log: silentLog });
  severe = await seedRule(t.db, { title: 'Ransomware', criticality: 4 }, { tactics: ['impact'] });
  medium = await seedRule(t.db, { title: 'Odd program', criticality: 3 }, { tactics: ['execution'] });
  await t.organisation({ id: providerId, isPartner: true });
  host = await t.user({ organisationId: providerId, role: 'Host' });
});

/** Answer of a call; throws its status. */
// biome-ignore lint/suspicious/noExplicitAny: responses are compared as JSON.
async function call(endpoint: Parameters<TestApp['call']>[0], input: object, user = host): Promise<any> {
  const answer = await t.call(endpoint, input, user);
  if (answer.statusCode >= 400) throw Object.assign(new Error(answer.body), { status: answer.statusCode });
  return answer.json();
}
const onlyCritical = [{ parameter: 'severe.from', value: 5 }];
const work = () => previewWork({ db: t.db, clock: systemClock, log: silentLog });

async function newestOf(client: number): Promise<number> {
  const { versions } = await call(caseGroupingApi.get, { params: { client } });
  return versions[0]?.version ?? 0;
}

async function draftOf(
  client: number,
  parameters = onlyCritical,
  common: { kind: 'user'; value: string; reason: string }[] = [],
) {
  const body = { clientOrganizationID: client, parameters, common, note: why, afterVersion: await newestOf(client) };
  return (await call(caseGroupingApi.saveDraft, { body })).id;
}

async function previewOf(client: number, parameters = onlyCritical, days = 30) {
  const { id } = await call(caseGroupingApi.startPreview, {
    body: { clientOrganizationID: client, parameters, common: [], days },
  });
  await runQueue(work());
  // The worker of the application may have taken it.
  return vi.waitUntil(
    async () => {
      const preview = await call(caseGroupingApi.getPreview, { params: { id } });
      return preview.state === 'done' && preview;
    },
    { timeout: 20_000 },
  );
}

test('shows the built-in set, refuses values out of bounds and names of many', async () => {
  const { parameters, versions } = await call(caseGroupingApi.get, { params: { client: 0 } });
  expect(parameters.find(({ parameter }: { parameter: string }) => parameter === 'user.windowMinutes')).toEqual({
    parameter: 'user.windowMinutes',
    value: 1440,
    inherited: 1440,
    from: 'builtIn',
  });
  expect(versions).toEqual([]);
  await expect(draftOf(providerId, [{ parameter: 'severe.from', value: 1 }])).rejects.toMatchObject({ status: 400 });
  await expect(draftOf(providerId, [], [{ kind: 'user', value: 'root', reason: '' }])).rejects.toMatchObject({ status: 400 });
});

test('goes live after a preview of the same set only, and holds for the next alert', async () => {
  const client = await t.organisation();
  await raised(client, [{ at: start, rule: severe, device: 'WS-1', user: null }]);
  await correlation.run(client);
  expect(await casesOf(client)).toHaveLength(1);
  const id = await draftOf(client);
  const goLive = (previewID: number | null) =>
    call(caseGroupingApi.changeState, { params: { id }, body: { state: 'live', why, previewID } });
  await expect(goLive(null)).rejects.toMatchObject({ status: 409 });
  const other = await previewOf(client, [{ parameter: 'severe.from', value: 3 }]);
  await expect(goLive(other.id)).rejects.toMatchObject({ status: 409 });
  const preview = await previewOf(client);
  expect(preview.clients).toMatchObject([{ clientOrganizationID: client, alerts: 1, before: 1, after: 0, lost: 1, gained: 0 }]);
  expect(preview).toMatchObject({
    minutes: -20,
    minutesPerCase: 20,
    maliciousCases: [],
    examples: [{ kind: 'lost', rule: 'Ransomware', count: 1 }],
  });
  expect(preview.days).toMatchObject([{ gained: 0, lost: 1 }]);
  await goLive(preview.id);
  await raised(client, [{ at: start + 60 * 24 * 4 * minuteMs, rule: severe, device: 'WS-2', user: null }]);
  await correlation.run(client);
  expect(await casesOf(client)).toHaveLength(1);
  const { parameters, history } = await call(caseGroupingApi.get, { params: { client } });
  expect(parameters.find(({ parameter }: { parameter: string }) => parameter === 'severe.from')).toMatchObject({
    value: 5,
    inherited: 4,
    from: 'own',
  });
  expect(history.map(({ action }: { action: string }) => action)).toEqual(['State: draft → live', 'Draft saved']);
});

test('needs a second person where a malicious case would lose alerts', async () => {
  const client = await t.organisation();
  await raised(client, [{ at: start, rule: severe, device: 'WS-1', user: null }]);
  await correlation.run(client);
  const [record] = await casesOf(client);
  await update(record!.id, { status: 'malicious' });
  const id = await draftOf(client);
  const preview = await previewOf(client);
  expect(preview.maliciousCases).toEqual([expect.objectContaining({ caseID: record!.id, alerts: 1 })]);
  const body = { state: 'live' as const, why, previewID: preview.id };
  await expect(call(caseGroupingApi.changeState, { params: { id }, body })).rejects.toMatchObject({ status: 409 });
});

test('counts a set in shadow beside the live one, which alone writes cases', async () => {
  const client = await t.organisation();
  const id = await draftOf(client);
  await call(caseGroupingApi.changeState, { params: { id }, body: { state: 'shadow', why } });
  await raised(client, [
    { at: start, rule: severe, device: 'WS-1', user: null },
    { at: start + minuteMs, rule: medium, device: 'WS-1', user: null },
  ]);
  await correlation.run(client);
  expect(await membersOf(client)).toHaveLength(2);
  const { versions } = await call(caseGroupingApi.get, { params: { client } });
  expect(versions[0]).toMatchObject({
    state: 'shadow',
    shadow: { days: 1, opened: 0, liveOpened: 1, joined: 0, liveJoined: 2, differing: 2 },
  });
});

test('inherits values of the provider and the partner, and keeps entities of a set from joining', async () => {
  const partner = await t.organisation({ isPartner: true });
  const client = await t.organisation({ parentId: partner });
  await scoped(t.db, 'system', async (tx) => {
    for (const [organisation_id, value] of [
      [providerId, 60],
      [partner, 120],
    ] as const)
      await tx
        .insertInto('grouping_versions')
        .values({
          organisation_id,
          version: 900,
          state: 'live',
          parameters: JSON.stringify({ 'user.windowMinutes': value }),
          common: JSON.stringify(organisation_id === partner ? [{ kind: 'user', value: 'svc-backup', reason: '' }] : []),
          note: '',
          author_id: null,
          author_name: '',
        })
        .execute();
  });
  const { parameters, inheritedCommon } = await call(caseGroupingApi.get, { params: { client } });
  expect(parameters.find(({ parameter }: { parameter: string }) => parameter === 'user.windowMinutes')).toMatchObject({
    value: 120,
    from: 'partner',
  });
  expect(inheritedCommon).toMatchObject([{ kind: 'user', value: 'svc-backup' }]);
  await raised(client, [
    { at: start, rule: severe, device: 'A', user: 'CORP\\svc-backup' },
    { at: start + minuteMs, rule: severe, device: 'B', user: 'CORP\\svc-backup' },
  ]);
  await correlation.run(client);
  expect(await casesOf(client)).toHaveLength(2);
  await scoped(t.db, 'system', (tx) => tx.deleteFrom('grouping_versions').where('version', '=', 900).execute());
});

/** A draft whose preview loses an alert of a malicious case, and an administrator besides the one who ran it. */
async function previewedLoss() {
  const client = await t.organisation();
  await raised(client, [{ at: start, rule: severe, device: 'WS-1', user: null }]);
  await correlation.run(client);
  await update((await casesOf(client))[0]!.id, { status: 'malicious' });
  const id = await draftOf(client);
  const { id: previewID } = await previewOf(client);
  const second = await t.user({ organisationId: providerId, role: 'Administrator' });
  return { client, id, previewID, second };
}

test('requires one person to preview and another to make live where a malicious case loses alerts', async () => {
  const { client, id, previewID, second } = await previewedLoss();
  await call(caseGroupingApi.changeState, { params: { id }, body: { state: 'live', why, previewID } }, second);
  expect((await call(caseGroupingApi.get, { params: { client } })).versions[0].state).toBe('live');
});

test('refuses the person who created the account that ran the preview', async () => {
  const { id, previewID, second } = await previewedLoss();
  await changedAccount(t.database.ownerUrl, second, host, 29);
  const goLive = (user: TestUser) =>
    call(caseGroupingApi.changeState, { params: { id }, body: { state: 'live', why, previewID } }, user);
  await expect(goLive(second)).rejects.toMatchObject({ status: 409, message: expect.stringContaining('You created, invited') });
  const third = await t.user({ organisationId: providerId, role: 'Administrator' });
  await scoped(t.db, 'system', (tx) => sql`update grouping_previews set requested_by = null where id = ${previewID}`.execute(tx));
  await expect(goLive(third)).rejects.toMatchObject({ status: 409, message: expect.stringContaining('was deleted') });
  await scoped(t.db, 'system', (tx) =>
    sql`update grouping_previews set requested_by = ${host.id} where id = ${previewID}`.execute(tx),
  );
  await goLive(third);
});

test('refuses a preview of less than a week while older alerts are kept', async () => {
  const client = await t.organisation();
  await raised(client, [{ at: Date.now() - minuteMs, rule: medium, device: 'WS-1', user: null }]);
  const id = await draftOf(client);
  const recent = await previewOf(client, onlyCritical, 1);
  await raised(client, [{ at: start, rule: medium, device: 'WS-1', user: null }]);
  const goLive = (previewID: number) =>
    call(caseGroupingApi.changeState, { params: { id }, body: { state: 'live', why, previewID } });
  await expect(goLive(recent.id)).rejects.toMatchObject({ status: 409, message: expect.stringContaining('less than 7 days') });
  await goLive((await previewOf(client, onlyCritical, 7)).id);
});

test('accepts a preview of a day of all alerts that are kept', async () => {
  const client = await t.organisation();
  await raised(client, [{ at: Date.now() - minuteMs, rule: medium, device: 'WS-1', user: null }]);
  const id = await draftOf(client);
  const { id: previewID } = await previewOf(client, onlyCritical, 1);
  await call(caseGroupingApi.changeState, { params: { id }, body: { state: 'live', why, previewID } });
});

test('requires a second person where a client with alerts was not previewed', async () => {
  const partner = await t.organisation({ isPartner: true });
  const first = await t.organisation({ parentId: partner });
  const alert = { at: start, rule: medium, device: 'WS-1', user: null };
  await raised(first, [alert]);
  const id = await draftOf(partner);
  const { id: previewID } = await previewOf(partner);
  const body = { state: 'live' as const, why, previewID };
  const later = await t.organisation({ parentId: partner });
  await raised(later, [alert]);
  await expect(call(caseGroupingApi.changeState, { params: { id }, body })).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('A client with alerts was not previewed in full'),
  });
  const second = await t.user({ organisationId: providerId, role: 'Administrator' });
  await call(caseGroupingApi.changeState, { params: { id }, body }, second);
});

test('requires a second person where only the newest days of a client were judged', async () => {
  const client = await t.organisation();
  await raised(client, [{ at: start, rule: medium, device: 'WS-1', user: null }]);
  const id = await draftOf(client);
  const { id: previewID } = await previewOf(client);
  await scoped(t.db, 'system', (tx) =>
    sql`update grouping_previews set result = jsonb_set(result, '{clients,0,isPartial}', 'true') where id = ${previewID}`.execute(
      tx,
    ),
  );
  await expect(
    call(caseGroupingApi.changeState, { params: { id }, body: { state: 'live', why, previewID } }),
  ).rejects.toMatchObject({ status: 409, message: expect.stringContaining('not previewed in full') });
});

test('counts the clients beyond the limit of a preview', async () => {
  const partner = await t.organisation({ isPartner: true });
  const clients = [await t.organisation({ parentId: partner }), await t.organisation({ parentId: partner })];
  const counted = (limit: number) =>
    scoped(t.db, 'system', (tx) => listClients(tx, { organisationIds: [partner, ...clients] }, partner, false, limit));
  expect(await counted(2)).toEqual({ clientIds: clients, leftOut: 0 });
  expect(await counted(1)).toEqual({ clientIds: [clients[0]], leftOut: 1 });
  expect(await previewOf(partner)).toMatchObject({ clientsLeftOut: 0, clients: [{}, {}] });
});

test('refuses administrators of a partner', async () => {
  const partner = await t.organisation({ isPartner: true });
  const admin = await t.user({ organisationId: partner, role: 'Administrator' });
  await expect(call(caseGroupingApi.get, { params: { client: 0 } }, admin)).rejects.toMatchObject({ status: 403 });
});
