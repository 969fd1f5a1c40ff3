/** Email subscriptions: defaults, choices, notices, digests and unsubscribing. */
import { casesApi } from '@parapet/contract/cases.ts';
import { mailSubscriptionsApi, type SubscriptionKind } from '@parapet/contract/mailSubscriptions.ts';
import { sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp, waitingMails } from '../../../test/app.ts';
import { asDelivered } from '../../../test/keys.ts';
import { seedCase } from '../../../test/seed.ts';
import { movableClock } from '../../core/clock.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import type { MailBrand } from '../../core/mail/render.ts';
import { listUnfit } from '../../domain/approvers.ts';
import { createOutboxService } from '../outbox/outbox.service.ts';
import { mayApproveAs, textOf } from '../responses/responses.rules.ts';
import { createUnsubscribeTokens } from './mail-subscriptions.rules.ts';
import { createMailSubscriptionsService, type MailSubscriptionsService } from './mail-subscriptions.service.ts';

const t = useTestApp();
let partner: number;
let client: number;
let sibling: number;
let partnerAdmin: TestUser;
let analyst: TestUser;
let partnerManager: TestUser;
let admin: TestUser;
let manager: TestUser;
let reader: TestUser;
let siblingAdmin: TestUser;
let foreign: TestUser;
/** Service with a movable clock, as in a worker. */
let worker: MailSubscriptionsService;
const clock = movableClock(Date.now());
const key = Buffer.alloc(32, 7);

const look: MailBrand = {
  origin: 'https://quay.example',
  name: 'Quay',
  accent: '#1f5fa8',
  senderName: 'Quay',
  senderAddress: 'help@quay.example',
  footer: '',
};

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner, name: 'Acme' });
  sibling = await t.organisation({ parentId: partner, name: 'Birch' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  partnerManager = await t.user({ organisationId: partner, role: 'Manager' });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
  manager = await t.user({ organisationId: client, role: 'Manager' });
  reader = await t.user({ organisationId: client, role: 'Analyst' });
  siblingAdmin = await t.user({ organisationId: sibling, role: 'Administrator' });
  foreign = await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Administrator' });
  const brand = { ofMails: async () => look } as never;
  const outbox = createOutboxService({ db: t.db, clock, brand, keys: t.keys, smtpUrl: waitingMails.SMTP_URL, log: silentLog });
  worker = createMailSubscriptionsService({
    db: t.db,
    clock,
    brand,
    outbox,
    key,
    approvals: { textOf, mayApproveAs, listUnfit },
  });
});
afterEach(async () => {
  clock.moveTo(Date.now());
  await system(async (tx) => {
    await tx.deleteFrom('mails').execute();
    await tx.deleteFrom('mail_subscriptions').execute();
    await tx.deleteFrom('case_notices').execute();
    await sql`update cases set closed_at = '2020-01-01', waiting_since = null`.execute(tx);
  });
});

const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(t.db, 'system', work);
const mails = async () => {
  const stored = await system((tx) => tx.selectFrom('mails').selectAll().orderBy('id').execute());
  return asDelivered(t.db, t.keys, stored);
};
const kindsOf = async (user: TestUser): Promise<SubscriptionKind[]> =>
  (await t.call(mailSubscriptionsApi.mine, {}, user)).json().kinds;
const choose = async (user: TestUser, kinds: SubscriptionKind[]) => {
  const answer = await t.call(mailSubscriptionsApi.updateMine, { body: { kinds } }, user);
  expect(answer.statusCode).toBe(200);
  return answer.json();
};
const toldOf = async (kind: SubscriptionKind) => {
  const named: [TestUser, string][] = [
    [partnerAdmin, 'partnerAdmin'],
    [analyst, 'analyst'],
    [partnerManager, 'partnerManager'],
    [admin, 'admin'],
    [manager, 'manager'],
    [reader, 'reader'],
    [siblingAdmin, 'siblingAdmin'],
    [foreign, 'foreign'],
  ];
  return (await mails())
    .filter((mail) => mail.kind === kind)
    .map((mail) => named.find(([user]) => user.email === mail.to_addresses.join())?.[1] ?? mail.to_addresses.join())
    .sort();
};
const aCase = async (organisationId = client, set: object = {}) => (await seedCase(t.db, { organisationId, alerts: 0, set })).id;
const change = (id: number, caseStatus: 'escalated' | 'closed', user = analyst) =>
  t.call(casesApi.changeStatus, { body: { incidentID: id, caseStatus } }, user);

describe('subscriptions', () => {
  test('default to the role until changed', async () => {
    for (const user of [partnerAdmin, analyst, admin])
      expect(await kindsOf(user)).toEqual(['case.assigned', 'case.escalated', 'response.approval']);
    for (const user of [manager, partnerManager]) expect(await kindsOf(user)).toEqual(['digest.weekly']);
    expect(await kindsOf(reader)).toEqual([]);
    expect((await choose(reader, ['digest.daily', 'case.closed'])).kinds).toEqual(['case.closed', 'digest.daily']);
    expect((await choose(analyst, [])).kinds).toEqual([]);
    // Choices survive a change of role.
    await system((tx) => tx.updateTable('users').set({ role: 'Manager' }).where('id', '=', analyst.id).execute());
    expect(await kindsOf(analyst)).toEqual([]);
    await system((tx) => tx.updateTable('users').set({ role: 'Partner Analyst' }).where('id', '=', analyst.id).execute());
  });

  test('accept changes by administrators, audited', async () => {
    const set = (user: TestUser | undefined, id: number) =>
      t.call(mailSubscriptionsApi.update, { params: { id }, body: { kinds: ['digest.daily'] } }, user);
    expect((await set(admin, reader.id)).json()).toMatchObject({
      userID: reader.id,
      kinds: ['digest.daily'],
      clientOrganizationName: 'Acme',
    });
    const audit = await system((tx) =>
      tx
        .selectFrom('audit')
        .selectAll()
        .where('action', '=', 'mailSubscriptions.updated')
        .where('actor_user_id', '=', admin.id)
        .execute(),
    );
    expect(audit).toMatchObject([{ target: String(reader.id), before: [], after: ['digest.daily'] }]);
    expect((await set(siblingAdmin, reader.id)).statusCode).toBe(404);
    expect((await set(admin, analyst.id)).statusCode).toBe(404);
    expect((await set(analyst, reader.id)).statusCode).toBe(403);
    expect((await t.call(mailSubscriptionsApi.update, { params: { id: reader.id }, body: { kinds: [] } })).statusCode).toBe(401);
    expect((await set(partnerAdmin, reader.id)).statusCode).toBe(200);
  });

  test('list the users of the scope', async () => {
    const list = async (user: TestUser, of: number) => {
      const answer = await t.call(mailSubscriptionsApi.list, { params: { client: of } }, user);
      return answer.statusCode === 200
        ? answer
            .json()
            .results.map(({ userID }: { userID: number }) => userID)
            .sort((a: number, b: number) => a - b)
        : answer.statusCode;
    };
    expect(await list(admin, client)).toEqual([admin.id, manager.id, reader.id]);
    expect(await list(partnerAdmin, 0)).toEqual(
      [partnerAdmin, analyst, partnerManager, admin, manager, reader, siblingAdmin].map(({ id }) => id),
    );
    expect(await list(admin, sibling)).toBe(403);
    expect(await list(admin, 0)).toBe(403);
    expect(await list(analyst, client)).toBe(403);
    expect(await list(foreign, client)).toBe(403);
  });
});

describe('case notices', () => {
  test('reach subscribers of the organisation and its partner with access, except the actor', async () => {
    for (const user of [partnerManager, reader, siblingAdmin, foreign]) await choose(user, ['case.escalated', 'case.closed']);
    await choose(admin, ['case.closed']);
    const id = await aCase(client, { title: 'Odd <b>thing</b>\r\nBcc: x' });
    expect((await change(id, 'escalated')).statusCode).toBe(200);
    await Promise.all([worker.sendNotices(), worker.sendNotices()]);
    await worker.sendNotices();
    expect(await toldOf('case.escalated')).toEqual(['partnerAdmin', 'reader']);
    const [mail] = await mails();
    expect(mail).toMatchObject({ subject: `A case was escalated: #${id} Odd <b>thing</b> Bcc: x`, case_id: null });
    expect(mail?.html).toContain('Odd &lt;b&gt;thing&lt;/b&gt; Bcc: x');
    expect(mail?.text).toContain(`https://quay.example/apps/case/${id}`);
  });

  test('reach the assignee unless self-assigned', async () => {
    const assign = (caseID: number, user: TestUser) =>
      t.call(casesApi.changeAnalyst, { body: { caseID, analystUserAccountID: analyst.id } }, user);
    expect((await assign(await aCase(), analyst)).statusCode).toBe(200);
    await worker.sendNotices();
    expect(await toldOf('case.assigned')).toEqual([]);
    expect((await assign(await aCase(), partnerAdmin)).statusCode).toBe(200);
    await worker.sendNotices();
    expect(await toldOf('case.assigned')).toEqual(['analyst']);
  });

  test('combine bulk changes into one email per client', async () => {
    await choose(partnerAdmin, ['case.closed']);
    for (const organisation of [...Array(25).fill(client), sibling]) await change(await aCase(organisation), 'closed');
    await worker.sendNotices();
    expect(await toldOf('case.closed')).toEqual(['partnerAdmin', 'partnerAdmin']);
    const [ofClient, ofSibling] = await mails();
    expect(ofClient?.subject).toBe('Cases were closed: 25');
    expect(ofClient?.text).toContain('and 5 more');
    expect(ofSibling?.subject).toMatch(/^A case was closed: #/);
  });

  test('warn once for each SLA timer', async () => {
    await choose(admin, ['case.breached']);
    const id = await aCase();
    const record = await system((tx) => tx.selectFrom('cases').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
    const sendNotices = (name: string, state: string, breach_told: string | null) =>
      system((tx) => worker.slaTimersNotified(tx, [{ record: { ...record, breach_told }, clock: { name, state } }]));
    await sendNotices('acknowledge', 'warning', null);
    await sendNotices('acknowledge', 'breached', 'acknowledge:warning');
    await worker.sendNotices();
    expect(await toldOf('case.breached')).toEqual(['admin']);
    await sendNotices('contain', 'breached', 'acknowledge:breached');
    await worker.sendNotices();
    expect(await toldOf('case.breached')).toEqual(['admin', 'admin']);
  });

  test('wait until bulk changes can no longer be undone', async () => {
    const id = await aCase();
    await change(id, 'escalated');
    const job = await system(async (tx) => {
      const of = { organisation_id: partner, user_id: analyst.id, kind: 'cases', what: '{}', actor: '{}', state: 'running' };
      const made = await tx
        .insertInto('bulk_jobs')
        .values({ ...of, finished_at: null })
        .returning('id')
        .executeTakeFirstOrThrow();
      await sql`insert into bulk_changes (organisation_id, job_id, object_id, version_after, before) values (${client}, ${made.id}, ${id}, 2, '{}')`.execute(
        tx,
      );
      return made.id;
    });
    const set = (state: string, finishedAt: number | null) =>
      system((tx) =>
        tx
          .updateTable('bulk_jobs')
          .set({ state, finished_at: finishedAt === null ? null : new Date(finishedAt) })
          .where('id', '=', job)
          .execute(),
      );
    for (const state of ['running', 'undoing', 'done']) {
      await set(state, state === 'done' ? clock.now() : null);
      await worker.sendNotices();
      expect(await toldOf('case.escalated')).toEqual([]);
    }
    clock.moveTo(clock.now() + 15_000);
    await worker.sendNotices();
    expect(await toldOf('case.escalated')).toContain('admin');
  });

  test('expire after a day', async () => {
    await change(await aCase(), 'escalated');
    clock.moveTo(Date.now() + 25 * 3_600_000);
    await worker.sendNotices();
    expect(await mails()).toEqual([]);
    expect(await system((tx) => tx.selectFrom('case_notices').selectAll().execute())).toEqual([]);
  });
});

describe('digest', () => {
  test('contains the figures that its reader can see and is sent once', async () => {
    const now = clock.now();
    const ago = (hours: number) => new Date(now - hours * 3_600_000);
    for (const user of [partnerAdmin, admin, siblingAdmin, foreign]) await choose(user, ['digest.daily']);
    await aCase(client, { created_at: ago(5), criticality: 5, acknowledged_at: ago(4.5), title: 'Waits' });
    const waiting = await aCase(client, {
      created_at: ago(50),
      criticality: 3,
      waiting_since: ago(30),
      title: 'Waits\nfor them',
    });
    await aCase(client, { created_at: ago(40), closed_at: ago(2), waited_ms: 8 * 3_600_000 });
    await aCase(client, { created_at: ago(90), closed_at: ago(30) });
    await aCase(client, { created_at: ago(3), is_excluded: true });
    await aCase(sibling, { created_at: ago(1), criticality: 4 });
    await worker.digest('day');
    await Promise.all([worker.digest('day'), worker.digest('day')]);
    expect(await toldOf('digest.daily')).toEqual(['admin', 'partnerAdmin', 'siblingAdmin']);
    const textOf = async (user: TestUser) => (await mails()).find((mail) => mail.to_addresses[0] === user.email)?.text ?? '';
    const ofClient = await textOf(admin);
    for (const line of [
      'Open now: 1 critical, 1 medium',
      'Opened: 1',
      'Closed: 1',
      'Mean time to acknowledge: 30 min',
      'Mean time to close: 1 d 6 h',
      'Waiting for the client: 1',
      `#${waiting} Waits for them, since ${ago(30).toISOString().slice(0, 10)}`,
    ])
      expect(ofClient).toContain(line);
    expect(ofClient).not.toContain('Birch');
    const ofPartner = await textOf(partnerAdmin);
    expect(ofPartner).toContain('Open now: 1 critical, 1 high, 1 medium');
    expect(ofPartner).toMatch(/Acme: 2 open, 1 opened, 1 closed\nBirch: 1 open, 1 opened, 0 closed/);
    expect(await textOf(siblingAdmin)).toContain('Waiting for the client: 0');
  });

  test('skips quiet days and reports quiet weeks', async () => {
    await choose(admin, ['digest.daily', 'digest.weekly']);
    await worker.digest('day');
    expect(await mails()).toEqual([]);
    await worker.digest('week');
    expect(await toldOf('digest.weekly')).toEqual(['admin', 'manager', 'partnerManager']);
    expect((await mails())[0]?.text).toContain('A quiet week');
  });
});

describe('unsubscribe link', () => {
  const post = (token: string, payload = 'List-Unsubscribe=One-Click', type = 'application/x-www-form-urlencoded') =>
    t.application.app.inject({
      method: 'POST',
      url: `/api/v1/mailsubscriptions/unsubscribe/${token}`,
      payload,
      headers: { 'content-type': type },
    });
  /** Tokens signed by the running application. */
  const tokenOf = async (user: TestUser, kind: SubscriptionKind): Promise<string> => {
    const own = await t.keys.shared('mail subscriptions');
    return createUnsubscribeTokens(own).issue(user.id, kind);
  };

  test('appears in every email for readers and mail clients and ends only its own kind', async () => {
    await choose(reader, ['digest.daily', 'digest.weekly']);
    await worker.digest('week');
    const mail = (await mails()).find(({ to_addresses }) => to_addresses[0] === reader.email);
    const token = createUnsubscribeTokens(key).issue(reader.id, 'digest.weekly');
    expect(mail?.headers).toEqual({
      'List-Unsubscribe': `<https://quay.example/api/v1/mailsubscriptions/unsubscribe/${token}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
    expect(mail?.text).toContain(`https://quay.example/unsubscribe/${token}`);

    const live = await tokenOf(reader, 'digest.weekly');
    const answers = await Promise.all([
      post(live),
      post(live),
      post(live, '--b\r\n\r\n--b--', 'multipart/form-data; boundary=b'),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    expect((await t.call(mailSubscriptionsApi.unsubscribe, { params: { token: live } })).json()).toEqual({
      kind: 'digest.weekly',
    });
    expect(await kindsOf(reader)).toEqual(['digest.daily']);
    // Ends a default as well.
    await post(await tokenOf(manager, 'digest.weekly'));
    expect(await kindsOf(manager)).toEqual([]);
    const audit = await system((tx) =>
      tx
        .selectFrom('audit')
        .selectAll()
        .where('action', '=', 'mailSubscriptions.updated')
        .where('target', '=', String(manager.id))
        .execute(),
    );
    expect(audit).toMatchObject([{ actor_user_id: null, organisation_id: client, before: ['digest.weekly'], after: [] }]);
  });

  test('rejects forged tokens and ends nothing on GET', async () => {
    const token = await tokenOf(manager, 'digest.weekly');
    const ofReader = token.replace(`${manager.id}-`, `${reader.id}-`);
    const mac = token.slice(-43);
    for (const wrong of [
      ofReader,
      token.replace('weekly', 'daily'),
      `${token}A`,
      token.slice(0, -1),
      `${manager.id}-digest.none-${mac}`,
      'x',
    ])
      expect((await post(wrong)).statusCode).toBe(404);
    await t.application.app.inject({ url: `/api/v1/mailsubscriptions/unsubscribe/${token}` });
    expect(await kindsOf(manager)).toEqual(['digest.weekly']);
    // Grants no session.
    const { statusCode } = await t.application.app.inject({
      url: '/api/v1/mailsubscriptions/mine',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(statusCode).toBe(401);
  });

  test('accepts forms on no other call', async () => {
    const { statusCode } = await t.application.app.inject({
      method: 'PUT',
      url: '/api/v1/mailsubscriptions/mine',
      payload: 'kinds=',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Bearer ${reader.token}` },
    });
    expect(statusCode).toBeGreaterThanOrEqual(400);
    expect(await kindsOf(reader)).toEqual([]);
  });
});

test('emails eligible approvers once about a pending response', async () => {
  const waiting = (more: object) =>
    system((tx) =>
      tx
        .insertInto('responses')
        .values({
          organisation_id: client,
          action: 'isolate',
          target: 'srv-1',
          device_name: 'srv-1',
          approvals_needed: 1,
          approver_kind: null,
          requested_by: analyst.id,
          requested_by_name: 'Ann',
          expires_at: new Date(clock.now() + 3_600_000),
          approve_until: new Date(clock.now() + 3_600_000),
          rule_text: 'Isolating a device is approved\r\nBcc: x',
          ...more,
        })
        .returning('id')
        .executeTakeFirstOrThrow(),
    );
  // The client and its partner see the provider’s staff under one name.
  await t.organisation({ id: 1, isPartner: true });
  const soc = await t.user({ organisationId: 1, role: 'Host' });
  await waiting({ target: 'srv-0', requested_by: soc.id, requested_by_name: 'Olive of the provider' });
  await worker.emailApprovers();
  const first = await mails();
  expect(first.length).toBeGreaterThan(0);
  for (const { text } of first) expect(text).toMatch(/Requested by:?\s+SOC Analyst/);
  const recipientsAfter = async () => {
    await system((tx) => tx.deleteFrom('mails').execute());
    await worker.emailApprovers();
    return (await mails()).map((mail) => mail.to_addresses.join()).sort();
  };
  const addressOf = (...users: TestUser[]) => users.map(({ email }) => email).sort();

  const { id } = await waiting({});
  // Excludes the requester, users without the permission, new accounts and accounts changed by the requester.
  const young = await t.user({ organisationId: client, role: 'Administrator', ageMs: 3_600_000 });
  const made = await t.user({ organisationId: client, role: 'Administrator' });
  await system((tx) =>
    tx
      .insertInto('audit')
      .values({
        organisation_id: client,
        actor_user_id: analyst.id,
        actor_organisation_id: analyst.organisationId,
        action: 'user.passwordChanged',
        target: String(made.id),
        before: null,
        after: null,
      })
      .execute(),
  );
  expect(await recipientsAfter()).toEqual(addressOf(partnerAdmin, admin));
  const [mail] = await mails();
  expect(mail).toMatchObject({ subject: expect.stringContaining('Approval requested') });
  expect(`${mail?.text}`).toContain(`/apps/response/${id}`);
  expect(mail?.text).toMatch(/Requested by:?\s+Ann/);
  expect(await recipientsAfter()).toEqual([]);

  await system((tx) => tx.updateTable('users').set({ is_deleted: true }).where('id', 'in', [young.id, made.id]).execute());
  await waiting({ target: 'srv-2', approver_kind: 'client' });
  expect(await recipientsAfter()).toEqual(addressOf(admin));
  await choose(admin, []);
  await waiting({ target: 'srv-3', approver_kind: 'partner', requested_by: admin.id });
  await waiting({ target: 'srv-4', approver_kind: 'client' });
  expect(await recipientsAfter()).toEqual(addressOf(analyst, partnerAdmin));

  // Expired, decided and unrestricted requests send no emails.
  await waiting({ target: 'srv-5', approve_until: new Date(clock.now() - 1) });
  await waiting({ target: 'srv-6', state: 'approved' });
  await waiting({ target: 'srv-7', approvals_needed: 0 });
  expect(await recipientsAfter()).toEqual([]);
});
