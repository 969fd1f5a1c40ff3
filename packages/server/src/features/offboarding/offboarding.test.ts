import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { AgentTasks } from '@parapet/contract/agentProtocol.ts';
import { offboardingApi } from '@parapet/contract/offboarding.ts';
import { strFromU8, unzipSync } from 'fflate';
import { beforeAll, describe, expect, test } from 'vitest';
import { agentOf, enrolmentToken } from '../../../test/agents.fixture.ts';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { seedCase } from '../../../test/seed.ts';
import { insertRow } from '../../core/db/rows.ts';
import { scoped } from '../../core/db/scope.ts';

const t = useTestApp();
let partner: number;
let admin: TestUser;
beforeAll(async () => {
  await t.organisation({ isPartner: true, id: 1 });
  partner = await t.organisation({ isPartner: true });
  admin = await t.user({ organisationId: partner, role: 'Administrator' });
});

const newClient = (name = 'Coral Foods') => t.organisation({ parentId: partner, name });
const read = async (client: number, user = admin) => (await t.call(offboardingApi.get, { params: { client } }, user)).json();
const end = (client: number, name = 'Coral Foods', user = admin) =>
  t.call(offboardingApi.end, { params: { client }, body: { name } }, user);
const actionsOf = (client: number) =>
  scoped(t.db, 'system', async (tx) =>
    (await tx.selectFrom('audit').select('action').where('organisation_id', '=', client).orderBy('id').execute()).map(
      ({ action }) => action,
    ),
  );

describe('the archive', () => {
  test('holds what the client may read, each file as its manifest says, and nothing of others', async () => {
    const [client, other] = [await newClient(), await newClient('Kelp')];
    const caseId = (await seedCase(t.db, { organisationId: client, set: { title: 'Theirs' } })).id;
    await seedCase(t.db, { organisationId: other, set: { title: 'Of another client' } });
    const analyst = await t.user({ organisationId: 1, role: 'Analyst' });
    await scoped(t.db, 'system', (tx) =>
      tx
        .insertInto('case_notes')
        .values(
          [true, false].map((isInternal) => ({
            organisation_id: client,
            case_id: caseId,
            author_user_id: analyst.id,
            author_name: 'An Analyst',
            text: isInternal ? 'internal thoughts' : 'shared with you',
            is_internal: isInternal,
            changed_at: null,
          })),
        )
        .execute(),
    );
    await t.send(await t.ingestKey(client), [
      { '@timestamp': new Date().toISOString(), message: 'own event', host: { name: 'a' } },
    ]);
    const answer = await t.call(offboardingApi.archive, { params: { client } }, admin);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/zip']);
    const files = unzipSync(answer.rawPayload);
    const { files: entries } = JSON.parse(strFromU8(files['manifest.json']!)) as {
      files: { file: string; rows: number; sha256: string }[];
    };
    expect(entries.map(({ file }) => file)).toEqual(
      expect.arrayContaining(['organisation.json', 'devices/00001.ndjson.gz', 'cases/00001.ndjson.gz', 'events/00001.ndjson.gz']),
    );
    expect(Object.keys(files).sort()).toEqual([...entries.map(({ file }) => file), 'manifest.json'].sort());
    let text = strFromU8(files['organisation.json']!);
    for (const { file, rows, sha256 } of entries) {
      expect(createHash('sha256').update(files[file]!).digest('hex')).toBe(sha256);
      if (!file.endsWith('.gz')) continue;
      const lines = gunzipSync(files[file]!).toString();
      expect(lines.trimEnd().split('\n')).toHaveLength(rows);
      text += lines;
    }
    expect(text).toContain('Theirs');
    expect(text).toContain('shared with you');
    expect(text).toContain('own event');
    expect(text).not.toMatch(/internal thoughts|Of another client|An Analyst/);
    expect(await read(client)).toMatchObject({ archivedAt: expect.any(String) });
    expect(await actionsOf(client)).toContain('offboarding.archived');
  });
});

describe('agents', () => {
  test('receive one task, and count as left after its confirmation', async () => {
    const client = await newClient();
    const agent = await agentOf(t, client);
    expect((await read(client)).agents).toEqual({ working: 1, told: 0, left: 0 });
    const dismiss = async () => (await t.call(offboardingApi.dismissAgents, { params: { client } }, admin)).json();
    expect([await dismiss(), await dismiss()]).toEqual([{ told: 1 }, { told: 0 }]);
    expect((await read(client)).agents).toEqual({ working: 0, told: 1, left: 0 });
    const [task] = (await agent.pollTasks()).json<AgentTasks>().tasks;
    expect(task).toMatchObject({ action: 'leave', target: '' });
    for (const state of ['acknowledged', 'verified'] as const)
      expect((await agent.result(task!.id, { sequence: task!.sequence, state, detail: 'leaving' })).statusCode).toBeLessThan(300);
    expect((await read(client)).agents).toEqual({ working: 0, told: 0, left: 1 });
  });

  test('count as working after a refusal, and receive another task', async () => {
    const client = await newClient();
    const agent = await agentOf(t, client);
    await t.call(offboardingApi.dismissAgents, { params: { client } }, admin);
    const [task] = (await agent.pollTasks()).json<AgentTasks>().tasks;
    await agent.result(task!.id, {
      sequence: task!.sequence,
      state: 'failed',
      detail: 'This version does not support the task.',
    });
    expect((await read(client)).agents).toEqual({ working: 1, told: 0, left: 0 });
    expect((await t.call(offboardingApi.dismissAgents, { params: { client } }, admin)).json()).toEqual({ told: 1 });
  });
});

describe('the end of access', () => {
  test('deactivates and revokes every key, for which the name is asked', async () => {
    const client = await newClient();
    const agent = await agentOf(t, client);
    const key = await t.ingestKey(client);
    await enrolmentToken(t, client);
    const user = await t.user({ organisationId: client, role: 'Administrator' });
    const grant = { organisation_id: client, user_id: user.id, grant_id: crypto.randomUUID(), client: 'Assistant' };
    const grantId = await scoped(t.db, 'system', (tx) =>
      insertRow(tx, 'assistant_grants', { ...grant, redirect_host: '127.0.0.1', scopes: ['read'] }),
    );
    const event = [{ '@timestamp': new Date().toISOString(), message: 'x' }];
    expect((await t.send(key, event)).statusCode).toBe(200);
    const wrong = await end(client, 'Coral');
    expect([wrong.statusCode, wrong.json().errors]).toEqual([400, { name: ['Enter Coral Foods to confirm.'] }]);
    expect((await end(client)).statusCode).toBe(200);
    expect(await read(client)).toMatchObject({ endedAt: expect.any(String), ingestKeys: 0, enrolmentTokens: 0 });
    expect((await t.send(key, event)).statusCode).toBe(401);
    expect((await agent.pollTasks()).statusCode).toBe(401);
    const revoked = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('assistant_grants').select('revoked_at').where('id', '=', grantId).executeTakeFirstOrThrow(),
    );
    expect(revoked.revoked_at).toBeInstanceOf(Date);
    expect((await t.call(offboardingApi.get, { params: { client } }, user)).statusCode).toBe(401);
    expect((await actionsOf(client)).slice(-2)).toEqual(['organisation.deactivated', 'offboarding.ended']);
    expect((await end(client)).statusCode).toBe(403);
    // The data is kept, and can be handed over.
    expect((await t.call(offboardingApi.archive, { params: { client } }, admin)).statusCode).toBe(200);
  });

  test('returns 403 to others and 409 for partners', async () => {
    const client = await newClient();
    const others = [
      await t.user({ organisationId: client, role: 'Administrator' }),
      await t.user({ organisationId: partner, role: 'Analyst' }),
      await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Administrator' }),
    ];
    for (const user of others) {
      expect((await end(client, 'Coral Foods', user)).statusCode).toBe(403);
      expect((await t.call(offboardingApi.archive, { params: { client } }, user)).statusCode).toBe(403);
      expect((await t.call(offboardingApi.dismissAgents, { params: { client } }, user)).statusCode).toBe(403);
      expect((await t.call(offboardingApi.get, { params: { client } }, user)).statusCode).toBe(403);
    }
    const host = await t.user({ organisationId: 1, role: 'Host' });
    expect((await end(partner, 'x', host)).statusCode).toBe(409);
    expect((await read(client)).endedAt).toBeNull();
  });
});
