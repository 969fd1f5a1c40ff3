/** Safe mode: the portal serves people and accepts events, and nothing else happens. */
import { operationsApi } from '@parapet/contract/operations.ts';
import { setupApi } from '@parapet/contract/setup.ts';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { connect } from '../src/core/db/connect.ts';
import { scoped } from '../src/core/db/scope.ts';
import { queueTask } from '../src/features/agents/agents.tasks.ts';
import { claimWaiting } from '../src/features/outbox/outbox.store.ts';
import { agentOf } from './agents.fixture.ts';
import { testApp, useTestApp, waitingMails } from './app.ts';

const allRoles = { PORTAL_ROLES: 'api,ingest,worker' };

const t = useTestApp({ ...waitingMails, ...allRoles, SAFE_MODE: '1' });
beforeAll(async () => {
  await t.organisation({ isPartner: true, id: 1 });
});

const scheduled = async () => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from jobs.schedule`.execute(t.db.kysely);
  return rows[0]?.count;
};

test('serves the provider’s Host and accepts events, without jobs and tasks', async () => {
  const host = await t.user({ organisationId: 1, role: 'Host' });
  const analyst = await t.user({ organisationId: 1, role: 'Analyst' });
  expect((await t.call(operationsApi.get, {}, host)).json()).toMatchObject({ isSafeMode: true });
  expect((await t.call(operationsApi.mode, {}, host)).json()).toEqual({ isSafeMode: true, isPaused: false });
  expect((await t.call(operationsApi.mode, {}, analyst)).statusCode).toBe(403);
  expect(t.application.warnings.join()).toContain('Safe mode:');

  const organisationId = await t.organisation();
  const sent = await t.send(await t.ingestKey(organisationId), [{ message: 'accepted in safe mode' }]);
  expect([sent.statusCode, sent.json().errors]).toEqual([200, false]);

  const agent = await agentOf(t, organisationId);
  const task = { organisationId, agentId: agent.id, responseId: null, action: 'isolate' as const, target: '' };
  const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + 600_000)];
  await scoped(t.db, 'system', (tx) => queueTask(tx, { ...task, createdAt, expiresAt }));
  expect(((await agent.pollTasks()).json() as { tasks: unknown[] }).tasks).toEqual([]);
  expect(await scheduled()).toBe(0);
});

test('pauses by its transactions, so that another process of the installation goes on', async () => {
  const isPaused = async (isSafeMode: boolean, url = t.database.url) => {
    const db = connect({ url, applicationName: 'test', poolSize: 1, isSafeMode });
    try {
      const { rows } = await scoped(db, 'system', (tx) => sql<{ paused: boolean }>`select is_paused() as paused`.execute(tx));
      const mail = await scoped(db, 'system', (tx) => claimWaiting(tx));
      return [rows[0]?.paused, mail !== undefined];
    } finally {
      await db.close();
    }
  };
  await t.call(setupApi.testMail, {}, await t.user({ organisationId: 1, role: 'Host' }));
  expect(await isPaused(true)).toEqual([true, false]);
  const withOptions = new URL(t.database.url);
  withOptions.searchParams.set('options', '-c work_mem=8MB');
  expect(await isPaused(true, withOptions.href)).toEqual([true, false]);
  expect(await isPaused(false)).toEqual([false, true]);
});

test('schedules the jobs again once it ends', async () => {
  const normal = await testApp({ ...waitingMails, ...allRoles }, t.database);
  expect(await scheduled()).toBeGreaterThan(5);
  await normal.application.close();
});
