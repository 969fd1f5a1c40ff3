/** State of the installation, and the pause of a restored portal until the provider’s Host releases it. */
import { operationsApi } from '@parapet/contract/operations.ts';
import { setupApi } from '@parapet/contract/setup.ts';
import { oktaEvent, startOkta } from '@parapet/world/vendors/okta.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../src/core/clock.ts';
import { readConfig } from '../src/core/config.ts';
import { insertRow } from '../src/core/db/rows.ts';
import { scoped } from '../src/core/db/scope.ts';
import { queueTask } from '../src/features/agents/agents.tasks.ts';
import { listDue as listDueConnections } from '../src/features/connections/connections.work.store.ts';
import { listDue as listDueDeliveries } from '../src/features/deliveries/deliveries.work.store.ts';
import * as store from '../src/features/operations/backup.store.ts';
import { createOperationsService } from '../src/features/operations/operations.service.ts';
import { requireProvidersHost } from '../src/features/organisations/organisations.rules.ts';
import { claimWaiting } from '../src/features/outbox/outbox.store.ts';
import { agentOf } from './agents.fixture.ts';
import { type TestUser, useTestApp, waitingMails } from './app.ts';
import { connectionsFixture } from './connections.fixture.ts';
import { deliveriesFixture, everything } from './deliveries.fixture.ts';

let host: TestUser;
let partnersHost: TestUser;
let analyst: TestUser;

const t = useTestApp(waitingMails);
beforeAll(async () => {
  await t.organisation({ isPartner: true, id: 1 });
  host = await t.user({ organisationId: 1, role: 'Host' });
  partnersHost = await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Host' });
  analyst = await t.user({ organisationId: 1, role: 'Analyst' });
});

const system = <T>(fn: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', fn);

describe('the state of the installation', () => {
  test('returns 403 to all but the provider’s Host', async () => {
    const answer = await t.call(operationsApi.get, {}, host);
    expect(answer.json()).toMatchObject({ backup: { kind: 'external', archivedUntil: null }, restoration: null });
    for (const user of [partnersHost, analyst]) expect((await t.call(operationsApi.get, {}, user)).statusCode).toBe(403);
    expect((await t.call(operationsApi.get, {})).statusCode).toBe(401);
  });

  test('names what is missing where no backup is configured', async () => {
    expect((await t.call(operationsApi.backUp, {}, host)).json().error).toContain('Set BACKUP_DIR');
    expect((await t.call(operationsApi.release, {}, host)).json().error).toBe('Nothing is paused.');
  });

  test('counts a backup as done only while base and log are recent', async () => {
    const config = readConfig({ BACKUP_DIR: '/backup', BACKUP_KEY: 'a backup key of the tests, long enough' });
    const operations = createOperationsService({ config, db: t.db, clock: systemClock, requireProvidersHost });
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    expect(await operations.checkBackup()).toEqual({ isDone: false, note: 'Waiting for the first base backup.' });
    const base = { kind: 'base' as const, startedAt: hoursAgo(2), endedAt: hoursAgo(1), bytes: 1 };
    await system((tx) => store.recordRun(tx, base));
    expect((await operations.checkBackup())?.isDone).toBe(false);
    await system((tx) => store.saveState(tx, { archivedUntil: hoursAgo(0), error: '' }));
    expect(await operations.checkBackup()).toMatchObject({ isDone: true, note: expect.stringContaining('Backed up to') });
    await system((tx) => store.saveState(tx, { archivedUntil: hoursAgo(1), error: '' }));
    expect((await operations.checkBackup())?.isDone).toBe(false);
    await system((tx) => store.saveState(tx, { archivedUntil: hoursAgo(0), error: 'The disk is full.' }));
    expect(await operations.checkBackup()).toEqual({ isDone: false, note: 'The disk is full.' });
  });

  test('keeps the last success of each kind, however often backups failed since', async () => {
    const at = new Date();
    await system((tx) => store.recordRun(tx, { kind: 'verification', startedAt: at, endedAt: at, note: 'All rows were read.' }));
    for (let count = 0; count < 60; count++)
      await system((tx) => store.recordRun(tx, { kind: 'base', startedAt: at, endedAt: at, error: 'The disk is full.' }));
    const runs = await system((tx) => store.listRuns(tx));
    expect(runs.filter(({ error }) => error === '').map(({ kind }) => kind)).toEqual(['verification', 'base']);
    expect(runs).toHaveLength(50);
    expect((await t.call(operationsApi.get, {}, host)).json().backup.runs).toHaveLength(50);
  });
});

test('holds everything that leaves a restored portal until it is released', async () => {
  const okta = await startOkta();
  const connections = await connectionsFixture([okta], t.database);
  const deliveries = await deliveriesFixture([], { given: t.database });
  const soon = new Date(Date.now() + 600_000);
  const organisationId = await t.organisation();
  const agent = await agentOf(t, organisationId);
  okta.add(Date.now(), oktaEvent(1, Date.now()));
  await connections.connect(organisationId, okta);
  const { id } = await deliveries.target(organisationId, { kind: 'webhook', values: { url: 'https://hooks.example/1' } });
  await deliveries.rule(organisationId, everything(id));
  const caseId = await deliveries.case(organisationId);
  await deliveries.queue(organisationId, { event: 'case.opened', objectId: caseId });
  await system((tx) =>
    queueTask(tx, {
      organisationId,
      agentId: agent.id,
      responseId: null,
      action: 'isolate',
      target: '',
      createdAt: new Date(),
      expiresAt: soon,
    }),
  );
  await t.call(setupApi.testMail, {}, host);
  const leaving = async () => ({
    connections: (await system((tx) => listDueConnections(tx, soon, 10))).length,
    deliveries: (await system((tx) => listDueDeliveries(tx, soon, 10))).length,
    tasks: ((await agent.pollTasks()).json() as { tasks: unknown[] }).tasks.length,
    mails: await system(async (tx) => ((await claimWaiting(tx)) ? 1 : 0)),
  });

  const grant = { organisation_id: 1, user_id: host.id, grant_id: crypto.randomUUID(), client: 'Assistant', redirect_host: '' };
  const assistant = await system((tx) => insertRow(tx, 'assistant_grants', { ...grant, scopes: ['read'] }));
  await system((tx) => store.recordRestoration(tx, new Date(), 'base', 1));
  const [revoked] = await system((tx) =>
    tx.selectFrom('assistant_grants').select('revoked_at').where('id', '=', assistant).execute(),
  );
  expect(revoked?.revoked_at).toBeInstanceOf(Date);
  expect(await leaving()).toEqual({ connections: 0, deliveries: 0, tasks: 0, mails: 0 });
  expect((await t.call(operationsApi.get, {}, host)).statusCode).toBe(401);
  const signedInAgain = await t.user({ organisationId: 1, role: 'Host' });
  await t.call(setupApi.testMail, {}, signedInAgain);
  expect((await leaving()).mails).toBe(1);

  expect((await t.call(operationsApi.release, {}, await t.user({ ...partnersHost, role: 'Host' }))).statusCode).toBe(403);
  expect((await t.call(operationsApi.release, {}, signedInAgain)).statusCode).toBe(200);
  const { restoration } = (await t.call(operationsApi.get, {}, signedInAgain)).json();
  expect(restoration).toMatchObject({ releasedAt: expect.any(String), releasedBy: 'Test Host' });
  expect(await leaving()).toEqual({ connections: 1, deliveries: 1, tasks: 1, mails: 1 });
  const actions = await system((tx) =>
    sql<{ action: string }>`select action from audit where action like 'installation.%' order by id`.execute(tx),
  );
  expect(actions.rows.map(({ action }) => action)).toEqual(['installation.restored', 'installation.released']);
  await deliveries.close();
  await connections.close();
  await okta.close();
});
