/** Accounts that cannot approve a response, and responses that need approval by default (docs/decisions/0024-second-person.md). */
import { randomUUID } from 'node:crypto';
import { keyScopes } from '@parapet/contract/access.ts';
import { accountApi } from '@parapet/contract/account.ts';
import { responseRequestsApi as api, type ResponseRow } from '@parapet/contract/responseRequests.ts';
import { responsesApi } from '@parapet/contract/responses.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { ageSessions, type TestUser } from '../../../test/app.ts';
import { runAs } from '../../../test/database.ts';
import { responsesWorld } from '../../../test/responses.fixture.ts';
import { seedCase } from '../../../test/seed.ts';
import { useFixture } from '../../../test/use.ts';
import { listUnfit } from '../../domain/approvers.ts';

const w = useFixture(responsesWorld, (fixture) => fixture.t.close());

const ago = (ms: number) => new Date(Date.now() - ms);
/** A request that waits for one approval. */
const waiting = async (by: TestUser): Promise<ResponseRow> => {
  const { name } = await w.aDevice(w.client, { type: 'server' });
  const row = await w.requestResponse(by, { target: name });
  expect(row).toMatchObject({ state: 'requested', approvalsNeeded: 1 });
  return row;
};
const refused = async (by: TestUser, row: ResponseRow, text: string) => {
  const seen = await w.get(row.id, by);
  expect(seen).toMatchObject({ mayApprove: false, approvalRefusal: expect.stringContaining(text) });
  const answer = await w.approve(by, row.id);
  expect([answer.statusCode, answer.json().error]).toEqual([403, seen.approvalRefusal]);
  expect((await w.get(row.id, by)).state).toBe('requested');
};
const approved = async (by: TestUser, row: ResponseRow) => {
  expect(await w.get(row.id, by)).toMatchObject({ mayApprove: true, approvalRefusal: null });
  const answer = await w.approve(by, row.id);
  expect(answer.statusCode, answer.body).toBe(200);
};
/** As the database owner: the application cannot set the time of an entry. */
const changed = (by: TestUser, who: TestUser, action: string, { at = new Date(), before }: { at?: Date; before?: object } = {}) =>
  runAs(
    w.t.database.ownerUrl,
    `insert into audit (at, organisation_id, actor_user_id, actor_organisation_id, action, target, before) values ('${at.toISOString()}',
      ${who.organisationId}, ${by.id}, ${by.organisationId}, '${action}', '${who.id}', ${before ? `'${JSON.stringify(before)}'` : 'null'})`,
  );

describe('an approver', () => {
  let by: TestUser;
  let other: TestUser;
  beforeEach(async () => {
    [by, other] = [await w.analyst(), await w.analyst()];
  });

  test('rejects an API key as approver', async () => {
    const key = (await w.t.call(accountApi.createApiKey, { body: { name: 'runner', scopes: [...keyScopes] } }, other)).json()
      .key as string;
    expect(key).toMatch(/\w/);
    const row = await waiting(by);
    expect((await w.get(row.id, { ...other, token: key })).approvalRefusal).toContain('An API key cannot approve');
    expect((await w.approve({ ...other, token: key }, row.id)).statusCode).toBe(403);
    expect((await w.get(row.id, other)).state).toBe('requested');
    await approved(other, row);
  });

  test('differs from the requester', async () => {
    await refused(by, await waiting(by), 'You requested it yourself');
  });

  test('must not be an account that the requester created through the portal', async () => {
    const email = `${randomUUID()}@test.example`;
    const made = await w.t.call(
      usersApi.create,
      {
        body: {
          clientOrganizationID: w.partner,
          firstName: 'Second',
          lastName: 'Self',
          emailAddress: email,
          UserRoleID: 5,
          sendInvitation: true,
        } as never,
      },
      w.admin,
    );
    expect(made.statusCode, made.body).toBe(200);
    await w.system((tx) =>
      tx
        .updateTable('users')
        .set({ created_at: ago(2 * dayMs) })
        .where('id', '=', made.json().id)
        .execute(),
    );
    const unfit = await w.system((tx) => listUnfit(tx, w.admin.id, [made.json().id, other.id], new Date()));
    expect([...unfit]).toEqual([made.json().id]);
  });

  test.each([
    ['user.created', undefined],
    ['user.invited', undefined],
    ['user.passwordChanged', undefined],
    ['user.mfaReset', undefined],
    ['user.reactivated', undefined],
    ['user.updated', { email: 'before@test.example' }],
    // Later accounts count without an entry here.
    ['user.somethingNew', undefined],
  ])('is not an account that the requester touched by %s within 30 days', async (action, before) => {
    const row = await waiting(by);
    await changed(by, other, action, { at: ago(29 * dayMs), ...(before && { before }) });
    await refused(other, row, 'created, invited or changed this account within the last 30 days');
    const third = await w.analyst();
    await changed(by, third, action, { at: ago(31 * dayMs), ...(before && { before }) });
    await approved(third, row);
  });

  test.each([
    ['user.updated', { firstName: 'Old' }],
    ['user.deleted', { email: 'x@test.example', role: 'Analyst' }],
  ])('may be an account of which the requester changed nothing that opens it (%s)', async (action, before) => {
    const row = await waiting(by);
    await changed(by, other, action, { before });
    await approved(other, row);
  });

  test('must not descend from an account of the requester, also in another organisation', async () => {
    const between = await w.analyst(1, 'Administrator');
    const client = await w.analyst(w.client, 'Administrator');
    const row = await waiting(by);
    await changed(by, between, 'user.created', { at: ago(20 * dayMs) });
    await changed(between, client, 'user.passwordChanged', { at: ago(5 * dayMs) });
    await refused(client, row, 'within the last 30 days');
  });

  test('must not be an account that the first of two approvers made', async () => {
    const third = await w.analyst();
    const { name } = await w.aDevice(w.client, { type: 'server' });
    const row = await w.requestResponse(by, { target: name });
    await w.system((tx) => tx.updateTable('responses').set({ approvals_needed: 2 }).where('id', '=', row.id).execute());
    await changed(other, third, 'user.created', { at: ago(5 * dayMs) });
    expect((await w.approve(other, row.id)).json()).toMatchObject({ state: 'requested', approvalsNeeded: 1 });
    await refused(third, row, 'The earlier approver created, invited or changed this account within the last 30 days');
    await approved(await w.analyst(), row);
    expect((await w.get(row.id, by)).state).not.toBe('requested');
  });

  test('must not have made the account of the first of two approvers', async () => {
    const third = await w.analyst();
    const { name } = await w.aDevice(w.client, { type: 'server' });
    const row = await w.requestResponse(by, { target: name });
    await w.system((tx) => tx.updateTable('responses').set({ approvals_needed: 2 }).where('id', '=', row.id).execute());
    await changed(third, other, 'user.created', { at: ago(5 * dayMs) });
    await w.approve(other, row.id);
    await refused(third, row, 'You created, invited or changed the account that approved it within the last 30 days');
  });

  test('must not be another account of the same person, by mailbox or identity', async () => {
    const twin = await w.analyst();
    await w.system(async (tx) => {
      await tx
        .updateTable('users')
        .set({ email: `ada.${by.id}@test.example` })
        .where('id', '=', by.id)
        .execute();
      await tx
        .updateTable('users')
        .set({ email: `Ada.${by.id}+2@Test.example` })
        .where('id', '=', other.id)
        .execute();
      for (const [user, issuer] of [
        [by, 'https://one.example'],
        [twin, 'https://two.example'],
      ] as const)
        await tx
          .insertInto('user_identities')
          .values({ issuer, subject: `subject ${by.id}`, organisation_id: user.organisationId, user_id: user.id })
          .execute();
    });
    const row = await waiting(by);
    await refused(other, row, 'belongs to the requester');
    await refused(twin, row, 'belongs to the requester');
  });

  test('must not have made or changed the account of the requester, also through another', async () => {
    const between = await w.analyst();
    const row = await waiting(by);
    await changed(other, between, 'user.created', { at: ago(20 * dayMs) });
    await changed(between, by, 'user.mfaReset', { at: ago(5 * dayMs) });
    await refused(other, row, 'You created, invited or changed the account that requested it within the last 30 days');
    expect([...(await w.system((tx) => listUnfit(tx, by.id, [other.id, w.admin.id], new Date())))]).toEqual([other.id]);
    await approved(w.admin, row);
  });

  test('approves for no account that is younger than a day or deleted', async () => {
    const set = (values: object) => w.system((tx) => tx.updateTable('users').set(values).where('id', '=', by.id).execute());
    const row = await waiting(by);
    await set({ created_at: ago(23 * hourMs) });
    await refused(other, row, 'The account that requested it is less than 24 hours old');
    await set({ created_at: ago(25 * hourMs), is_deleted: true });
    await refused(other, row, 'was deleted. Request it again.');
    await set({ is_deleted: false });
    await approved(other, row);
  });

  test('must be at least a day old', async () => {
    const young = await w.t.user({ organisationId: w.partner, role: 'Partner Analyst', ageMs: 23 * hourMs });
    const row = await waiting(by);
    await refused(young, row, 'less than 24 hours old');
    await w.system((tx) =>
      tx
        .updateTable('users')
        .set({ created_at: ago(25 * hourMs) })
        .where('id', '=', young.id)
        .execute(),
    );
    await approved(young, row);
  });

  test('gets the reason in lists too', async () => {
    const row = await waiting(by);
    const range = { client: w.client, start: ago(hourMs).toISOString(), end: ago(-hourMs).toISOString() };
    const { results } = (await w.t.call(api.list, { params: range, query: { state: ['requested'], action: [] } }, by)).json();
    expect(results.find(({ id }: ResponseRow) => id === row.id)).toMatchObject({
      mayApprove: false,
      approvalRefusal: expect.stringContaining('You requested it yourself'),
    });
  });
});

describe('by default a second person approves', () => {
  const stale = (user: TestUser) => ageSessions(w.t, user.id);
  const requests = async () => {
    const [server, workstation] = [await w.aDevice(w.client, { type: 'server' }), await w.aDevice()];
    return {
      isolate: { target: server.name },
      killProcess: { action: 'killProcess', target: '4711', expectedName: 'x', deviceName: workstation.name },
      collectFile: { action: 'collectFile', target: '/var/log/auth.log', deviceName: workstation.name },
    } as const;
  };

  test.each(['isolate', 'killProcess', 'collectFile'] as const)('for %s, and both sign in freshly', async (kind) => {
    const [by, other] = [await w.analyst(), await w.analyst()];
    const requested = (await requests())[kind];
    await stale(by);
    const early = await w.request(by, requested);
    expect([early.statusCode, early.json().error]).toEqual([403, 'Please sign in again to continue']);
    const fresh = await w.analyst();
    const row = await w.requestResponse(fresh, requested);
    expect(row).toMatchObject({ state: 'requested', approvalsNeeded: 1 });
    await stale(other);
    expect((await w.approve(other, row.id)).statusCode).toBe(403);
    expect((await w.approve(await w.analyst(), row.id)).json()).toMatchObject({ approvalsNeeded: 0 });
  });

  test('also where a server is isolated from its case, which a workstation is not held up by', async () => {
    const by = await w.analyst();
    for (const [type, state] of [
      ['server', 'requested'],
      ['workstation', 'approved'],
    ]) {
      const { name } = await w.aDevice(w.client, { type: type! });
      const { id } = await seedCase(w.t.db, { organisationId: w.client, device: name });
      const body = { caseID: id, deviceID: name, isIsolated: true };
      expect((await w.t.call(responsesApi.isolateHost, { body }, by)).json().response.state).toBe(state);
    }
  });

  test('unless a rule names exactly that; a general one does not weaken it', async () => {
    const organisation = await w.aClient();
    const addRule = async (rule: object) => {
      const body = { deviceType: null, hours: 'always', approvers: 'nobody', ...rule };
      expect((await w.t.call(api.addRule, { params: { client: organisation }, body: body as never }, w.admin)).statusCode).toBe(
        200,
      );
    };
    const { name } = await w.aDevice(organisation, { type: 'server' });
    const about = { clientOrganizationID: organisation };
    const collected = async (target: string) =>
      w.requestResponse(await w.analyst(), { ...about, action: 'collectFile', target, deviceName: name });
    await addRule({ action: null });
    expect(await collected('/a')).toMatchObject({ approvalsNeeded: 1 });
    await addRule({ action: 'isolate' });
    const held = await w.requestResponse(await w.analyst(), { ...about, target: name });
    expect(held).toMatchObject({ approvalsNeeded: 1 });
    await w.undo(w.admin, held.id);
    await addRule({ action: 'collectFile' });
    expect(await collected('/b')).toMatchObject({ approvalsNeeded: 0, state: 'approved' });
    await addRule({ action: 'isolate', deviceType: 'server' });
    expect(await w.requestResponse(await w.analyst(), { ...about, target: name })).toMatchObject({ approvalsNeeded: 0 });
  });

  test('and silence is no approval unless a rule for that action allows it', async () => {
    const organisation = await w.aClient();
    const body = { action: null, deviceType: null, hours: 'always', approvers: 'provider', silence: 'approve', waitMinutes: 30 };
    await w.t.call(api.addRule, { params: { client: organisation }, body: body as never }, w.admin);
    const { name } = await w.aDevice(organisation, { type: 'server' });
    const { id } = await w.requestResponse(await w.analyst(), { clientOrganizationID: organisation, target: name });
    await w.later(31 * 60_000).expire();
    expect((await w.get(id, w.admin)).state).toBe('expired');
  });
});

describe('a target', () => {
  test.each(['productivity', 'cloudPlatform', 'cloudApp'])('refuses isolation of type %s', async (type) => {
    const { name } = await w.aDevice(w.client, { type });
    const answer = await w.request(await w.analyst(), { target: name });
    expect([answer.statusCode, answer.json().error]).toEqual([409, expect.stringContaining('it is a cloud service, not a host')]);
    const { id } = await seedCase(w.t.db, { organisationId: w.client, device: name });
    const body = { caseID: id, deviceID: name, isIsolated: true, acknowledgesWarning: true };
    expect((await w.t.call(responsesApi.isolateHost, { body }, await w.analyst())).statusCode).toBe(409);
  });

  test.each(['root', 'CORP\\Administrator', 'NT AUTHORITY\\SYSTEM', 'krbtgt', 'svc-backup', 'svc_sql@corp.example', 'WEB01$'])(
    '%s is blocked only after its warning was read',
    async (target) => {
      const by = await w.analyst();
      const blocked = { action: 'blockUser', target } as const;
      const answer = await w.request(by, blocked);
      expect([answer.statusCode, answer.json().error]).toEqual([409, expect.stringContaining('acknowledgesWarning')]);
      expect(await w.requestResponse(by, { ...blocked, acknowledgesWarning: true })).toMatchObject({ target });
      // The way back needs none.
      expect(await w.requestResponse(by, { action: 'unblockUser', target })).toMatchObject({ target });
    },
  );

  test('shows a warning in block links and tasks', async () => {
    const by = await w.analyst();
    const { id } = await seedCase(w.t.db, { organisationId: w.client, device: 'any', user: 'root' });
    const path = async () =>
      (await w.t.call(responsesApi.issueBlockToken, { body: { caseID: id, userID: 'root' } }, by)).json().token;
    const block = async (body: object) =>
      w.t.call(responsesApi.blockUser, { params: { token: await path() }, body: { isDisabled: true, ...body } }, by);
    expect((await block({})).statusCode).toBe(409);
    expect((await block({ acknowledgesWarning: true })).statusCode).toBe(200);
  });

  test('gets no warning for a personal account', async () => {
    const target = w.newName('grace.hopper');
    expect(await w.requestResponse(await w.analyst(), { action: 'blockUser', target })).toMatchObject({ target });
  });
});

describe('an installation of one', () => {
  const set = (by: TestUser, isSingleOperator: boolean) => w.t.call(api.setPolicy, { body: { isSingleOperator } }, by);

  test('lets only a freshly signed-in Host enable self-approval while alone', async () => {
    const host = await w.analyst(1, 'Host');
    expect((await set(w.admin, true)).statusCode).toBe(403);
    expect((await set(w.clientAdmin, true)).statusCode).toBe(403);
    const many = await set(host, true);
    expect([many.statusCode, many.json().error]).toEqual([409, expect.stringContaining('installation of one')]);
    const row = await waiting(host);
    await refused(host, row, 'You requested it yourself');

    const others = await w.system((tx) =>
      tx
        .updateTable('users')
        .set({ is_deleted: true })
        .where('id', '!=', host.id)
        .where('organisation_id', 'in', (eb) => eb.selectFrom('organisations').select('id').where('is_partner', '=', true))
        .where('is_deleted', '=', false)
        .returning('id')
        .execute(),
    );
    expect((await set(host, true)).json()).toMatchObject({ isSingleOperator: true, isInEffect: true, changedBy: 'Test Host' });
    await approved(host, row);
    const entry = await w.system((tx) =>
      tx.selectFrom('audit').selectAll().where('action', '=', 'approvalPolicy.changed').executeTakeFirstOrThrow(),
    );
    expect(entry).toMatchObject({
      actor_user_id: host.id,
      before: { isSingleOperator: false },
      after: { isSingleOperator: true },
    });

    // A second member of staff ends it without anybody's help.
    const late = await waiting(host);
    await w.system((tx) =>
      tx
        .updateTable('users')
        .set({ is_deleted: false })
        .where(
          'id',
          'in',
          others.map(({ id }) => id),
        )
        .execute(),
    );
    await refused(host, late, 'You requested it yourself');
    expect((await w.t.call(api.getPolicy, {}, host)).json()).toMatchObject({ isSingleOperator: true, isInEffect: false });
    expect((await set(host, false)).json()).toMatchObject({ isSingleOperator: false });
  });
});
