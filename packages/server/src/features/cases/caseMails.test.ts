/** Mails of a case through a real mail server, and the client's answer by link (decisions 12 and 18). */
import { caseMailsApi, emailActionTexts } from '@parapet/contract/caseMails.ts';
import { outboxApi } from '@parapet/contract/outbox.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { startMailServer } from '../../../test/mail-server.ts';
import { type SeedCase, seedCase } from '../../../test/seed.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { createOutboxService } from '../outbox/outbox.service.ts';

const soc = 'soc@provider.example';
let t: TestApp;
let server: Awaited<ReturnType<typeof startMailServer>>;
let deliver: () => Promise<void>;
let partner: number;
let client: number;
let analyst: TestUser;
let triage: TestUser;
let manager: TestUser;
let reader: TestUser;
let stranger: TestUser;

beforeAll(async () => {
  server = await startMailServer();
  t = await testApp({ SMTP_URL: server.url, PUBLIC_URL: 'https://portal.example' });
  const outbox = createOutboxService({ db: t.db, brand: {} as never, smtpUrl: server.url, log: silentLog });
  deliver = () => outbox.deliver();
  await t.organisation({ id: 1, isPartner: true, name: 'Provider' });
  partner = await t.organisation({ isPartner: true, parentId: 1 });
  client = await t.organisation({ parentId: partner, name: 'Acme' });
  const other = await t.organisation({ parentId: partner });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  triage = await t.user({ organisationId: partner, role: 'Analyst' });
  manager = await t.user({ organisationId: client, role: 'Manager' });
  reader = await t.user({ organisationId: client, role: 'Analyst' });
  stranger = await t.user({ organisationId: await t.organisation({ isPartner: true, parentId: 1 }), role: 'Partner Analyst' });
  await system(async (tx) => {
    await tx.updateTable('organisations').set({ email_address: soc }).where('id', '=', 1).execute();
    await tx
      .updateTable('organisations')
      .set({ email_address: 'help@quay.example', phone_number: '+1 202 555 0100' })
      .where('id', '=', partner)
      .execute();
    await tx
      .insertInto('brands')
      .values({ organisation_id: partner, sub_domain: 'quay', self_hosted_domain: 'soc.quay.example', name: 'Quay' })
      .execute();
    await tx.updateTable('users').set({ phone_number: '+1 202 555 0111' }).where('id', '=', analyst.id).execute();
    await tx
      .insertInto('escalation_addresses')
      .values([
        { organisation_id: client, email_type: 'to', email_address: 'ada@acme.example' },
        { organisation_id: client, email_type: 'to', email_address: 'bob@acme.example' },
        { organisation_id: client, email_type: 'cc', email_address: 'ceo@acme.example' },
        { organisation_id: other, email_type: 'to', email_address: 'eve@other.example' },
      ])
      .execute();
  });
});
afterAll(async () => {
  await t.close();
  await server.close();
});

const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(t.db, 'system', work);
const aCase = (seed: Partial<SeedCase> = {}) =>
  seedCase(t.db, { organisationId: client, ...seed, set: { status: 'investigating', title: 'Odd <b>login</b>', ...seed.set } });
const narrative = (caseId: number, text = 'Somebody signed in from <far> away.') =>
  system(async (tx) => {
    const row = { organisation_id: client, case_id: caseId, author_user_id: analyst.id, author_name: 'A', text };
    return (await tx.insertInto('case_narratives').values(row).returning('id').executeTakeFirstOrThrow()).id;
  });
const escalate = (caseID: number, user: TestUser | undefined = analyst) =>
  t.call(caseMailsApi.sendEscalation, { body: { caseID } }, user);
const theCase = (id: number) => system((tx) => tx.selectFrom('cases').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
const mailsOf = (caseId: number) =>
  system((tx) => tx.selectFrom('mails').selectAll().where('case_id', '=', caseId).orderBy('id').execute());
const plain = (raw: string) => raw.replace(/=\r\n/g, '').replace(/=3D/g, '=').replace(/\r/g, '');
/** The links of the mails that came, by recipient and action. */
const linksOf = async (caseId: number) => {
  const links: { recipient: string; action: string; token: string; url: string }[] = [];
  for (const { text, envelope_to } of await mailsOf(caseId))
    for (const [url, action, token] of text.matchAll(
      /https:\/\/\S+\/emailCaseAction\?caseID=\d+&action=(\w+)&token=([\w-]{43})/g,
    ))
      links.push({ recipient: envelope_to?.join() ?? '', action: action as string, token: token as string, url });
  return links;
};
const answer = (caseID: string | number | undefined, action: string | undefined, token: string | undefined, user?: TestUser) =>
  t.house.app.inject({
    method: 'POST',
    url: `/api/v1/CaseDetails/updateCase`,
    query: Object.fromEntries(
      Object.entries({ caseID, action, token }).flatMap(([k, v]) => (v === undefined ? [] : [[k, String(v)]])),
    ),
    payload: { caseId: caseID, action, token },
    headers: user ? { authorization: `Bearer ${user.token}` } : {},
  });
const historyOf = (id: number) =>
  system((tx) => tx.selectFrom('case_history').select(['kind', 'text']).where('case_id', '=', id).orderBy('id').execute());

describe('an escalation', () => {
  test('makes the case wait for the client, and gives each recipient links of their own, copies none', async () => {
    const { id } = await aCase({ set: { title: 'Odd <b>login</b>\r\nBcc: all@acme.example' } });
    const narrativeId = await narrative(id);
    server.received.length = 0;
    const sent = await escalate(id);
    expect(sent.statusCode).toBe(200);
    expect(sent.json().message).toContain('ada@acme.example, bob@acme.example');
    expect(await theCase(id)).toMatchObject({
      status: 'escalated',
      investigation_status: 3,
      waiting_since: expect.any(Date),
      wait_expires_at: expect.any(Date),
    });
    await deliver();

    expect(server.received.map(({ to }) => to)).toEqual([['ceo@acme.example', soc], ['ada@acme.example'], ['bob@acme.example']]);
    const [copy, ada, bob] = server.received.map(({ raw }) => plain(raw)) as [string, string, string];
    for (const raw of [copy, ada, bob]) {
      expect(raw).toMatch(/^From: Quay <help@quay\.example>$/m);
      expect(raw).toMatch(/^To: ada@acme\.example, bob@acme\.example$/m);
      expect(raw).toMatch(/^Cc: ceo@acme\.example, soc@provider\.example$/m);
      expect(raw).toMatch(new RegExp(`^Subject: Case #${id}: Odd <b>login</b> Bcc: all@acme\\.example$`, 'm'));
      expect(raw).not.toMatch(/^Bcc:/m);
      expect(raw).toContain('Somebody signed in from &lt;far&gt; away.');
      expect(raw).toContain('Somebody signed in from <far> away.');
      expect(raw).toContain(`https://soc.quay.example/apps/case/${id}`);
    }
    expect(copy).not.toContain('emailCaseAction');
    const links = await linksOf(id);
    expect(links.map(({ recipient, action }) => `${recipient} ${action}`)).toEqual([
      'ada@acme.example benign',
      'ada@acme.example malicious',
      'bob@acme.example benign',
      'bob@acme.example malicious',
    ]);
    expect(new Set(links.map(({ token }) => token)).size).toBe(4);
    for (const { recipient, token, url } of links) {
      expect(url).toMatch(/^https:\/\/soc\.quay\.example\/emailCaseAction\?/);
      expect([ada.includes(token), bob.includes(token)]).toEqual([
        recipient === 'ada@acme.example',
        recipient === 'bob@acme.example',
      ]);
    }
    // Stored as a hash.
    const dump = await system(async (tx) => JSON.stringify(await tx.selectFrom('case_answer_links').selectAll().execute()));
    for (const { token } of links) expect(dump).not.toContain(token);

    const { mail_thread } = await theCase(id);
    expect(copy).toContain(`Message-ID: ${mail_thread}`);
    expect(ada).toContain(`References: ${mail_thread}`);
    expect(await historyOf(id)).toContainEqual({ kind: 'mail', text: 'Escalation mailed to ada@acme.example, bob@acme.example' });
    const row = await system((tx) =>
      tx.selectFrom('case_narratives').select('email_sent_at').where('id', '=', narrativeId).executeTakeFirstOrThrow(),
    );
    expect(row.email_sent_at).not.toBeNull();

    // What comes later is in the thread, and nobody but the recipient reads a link.
    const update = await t.call(caseMailsApi.sendUpdate, { body: { caseID: id } }, triage);
    expect(update.json().mail).toMatchObject({ kind: 'update', cc: `ceo@acme.example, ${soc}`, state: 'waiting' });
    await deliver();
    expect(plain(server.received.at(-1)!.raw)).toContain(`In-Reply-To: ${mail_thread}`);
    const host = await t.user({ organisationId: 1, role: 'Host' });
    const seen = [
      (await t.call(caseMailsApi.listOfCase, { params: { clientOrgId: client }, query: { caseId: id } }, manager)).body,
      (await t.call(outboxApi.list, { params: { client } }, host)).body,
      ...(await Promise.all((await mailsOf(id)).map((mail) => t.call(outboxApi.get, { params: { id: mail.id } }, host)))).map(
        ({ body }) => body,
      ),
    ].join('\n');
    expect(seen).toContain('only its recipient');
    for (const { token } of links) expect(seen).not.toContain(token);
  });

  test('twice by a double click is one', async () => {
    const { id } = await aCase();
    const answers = await Promise.all([escalate(id), escalate(id), escalate(id)]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409]);
    expect(await mailsOf(id)).toHaveLength(3);
    expect(await linksOf(id)).toHaveLength(4);
  });

  test('of a closed case, or of a client without an address, changes nothing', async () => {
    const closed = await aCase({ set: { status: 'closed', closed_at: new Date() } });
    expect((await escalate(closed.id)).statusCode).toBe(409);
    const empty = await t.organisation({ parentId: partner });
    const { id } = await aCase({ organisationId: empty });
    const answer = await escalate(id);
    expect([answer.statusCode, answer.json().error]).toEqual([409, expect.stringContaining('no escalation address')]);
    expect(await theCase(id)).toMatchObject({ status: 'investigating', version: 1 });
    expect([...(await mailsOf(id)), ...(await mailsOf(closed.id))]).toEqual([]);
  });

  test('nobody: 401; a client: 403; another tenant: 404', async () => {
    const { id } = await aCase();
    expect((await t.call(caseMailsApi.sendEscalation, { body: { caseID: id } })).statusCode).toBe(401);
    expect((await escalate(id, manager)).statusCode).toBe(403);
    expect((await escalate(id, stranger)).statusCode).toBe(404);
    expect(await mailsOf(id)).toEqual([]);
  });
});

describe('the answer by link', () => {
  const escalated = async (seed: Partial<SeedCase> = {}) => {
    const { id } = await aCase(seed);
    expect((await escalate(id)).statusCode).toBe(200);
    return { id, links: await linksOf(id) };
  };

  test('benign gives the case back, tells whoever works on it, and closes every other link', async () => {
    const { id, links } = await escalated({ set: { analyst_user_id: analyst.id, analyst_name: 'T. Analyst' } });
    const [benign, malicious, ...bobs] = links;
    const done = await answer(id, 'benign', benign!.token);
    expect([done.statusCode, done.json()]).toEqual([200, { message: emailActionTexts.updated, exception: null }]);
    expect(await theCase(id)).toMatchObject({ status: 'investigating', investigation_status: 4, waiting_since: null });
    expect(await historyOf(id)).toContainEqual({
      kind: 'client',
      text: 'The client answered "benign" by the link mailed to ada@acme.example',
    });
    for (const { action, token } of [benign!, malicious!, ...bobs])
      expect((await answer(id, action, token)).json()).toEqual({ message: '', exception: { Message: emailActionTexts.onlyOne } });
    expect(await theCase(id)).toMatchObject({ status: 'investigating', investigation_status: 4 });
    const told = (await mailsOf(id)).filter(({ kind }) => kind === 'case.answer');
    expect(told).toMatchObject([
      {
        to_addresses: [analyst.email],
        organisation_id: partner,
        text: expect.stringContaining('Status: Investigating, benign'),
        subject: expect.stringContaining(`Case #${id}`),
      },
    ]);
    const audit = await system((tx) =>
      tx.selectFrom('audit').selectAll().where('action', '=', 'case.answered').where('target', '=', String(id)).execute(),
    );
    expect(audit).toMatchObject([
      { actor_user_id: null, organisation_id: client, after: { action: 'benign', recipient: 'ada@acme.example' } },
    ]);
    expect(JSON.stringify(audit)).not.toContain(benign!.token);
  });

  test('many at once: one counts, whichever', async () => {
    const { id, links } = await escalated();
    const answers = await Promise.all([...links, ...links].map(({ action, token }) => answer(id, action, token)));
    expect(answers.every(({ statusCode }) => statusCode === 200)).toBe(true);
    const outcomes = answers.map((each) => each.json().message || each.json().exception.Message).sort();
    expect(outcomes).toEqual([emailActionTexts.updated, ...Array(7).fill(emailActionTexts.onlyOne)].sort());
    expect((await historyOf(id)).filter(({ kind }) => kind === 'client')).toHaveLength(1);
    // Nobody is assigned: the SOC is told.
    expect((await mailsOf(id)).filter(({ kind }) => kind === 'case.answer')).toMatchObject([
      { to_addresses: [soc], organisation_id: 1 },
    ]);
  });

  test('malicious makes the case so, and opens one that was closed meanwhile; benign leaves that alone', async () => {
    const first = await escalated();
    await answer(first.id, 'malicious', first.links[1]!.token);
    expect(await theCase(first.id)).toMatchObject({ status: 'malicious', investigation_status: 6, waiting_since: null });
    for (const [action, status] of [
      ['malicious', 'malicious'],
      ['benign', 'escalated:closed'],
    ] as const) {
      const { id, links } = await escalated();
      await system((tx) =>
        tx.updateTable('cases').set({ status: 'escalated:closed', closed_at: new Date() }).where('id', '=', id).execute(),
      );
      const link = links.find((each) => each.action === action)!;
      expect((await answer(id, action, link.token)).json().message).toBe(emailActionTexts.updated);
      expect((await theCase(id)).status).toBe(status);
    }
    // What analysts meanwhile called malicious, no link calls harmless.
    const { id, links } = await escalated();
    await system((tx) =>
      tx.updateTable('cases').set({ status: 'malicious', investigation_status: 6 }).where('id', '=', id).execute(),
    );
    await answer(id, 'benign', links[0]!.token);
    expect(await theCase(id)).toMatchObject({ status: 'malicious', investigation_status: 6 });
  });

  test('what is missing, wrong or over changes nothing and says so with status 200', async () => {
    const { id, links } = await escalated();
    const other = await escalated();
    const { token } = links[0]!;
    for (const [caseID, action, given, text] of [
      [undefined, 'benign', token, emailActionTexts.missing],
      [id, undefined, token, emailActionTexts.missing],
      [id, 'benign', undefined, emailActionTexts.missing],
      [id, 'benign', '', emailActionTexts.missing],
      [id, 'malicious', token, emailActionTexts.badRequest],
      [other.id, 'benign', token, emailActionTexts.badRequest],
      [id, 'isolate', token, emailActionTexts.badRequest],
      ['x', 'benign', token, emailActionTexts.badRequest],
      [id, 'benign', 'A'.repeat(43), emailActionTexts.badRequest],
      [id, 'benign', `${token}=`, emailActionTexts.badRequest],
    ] as const) {
      // A bearer token makes no difference.
      const done = await answer(caseID, action, given, stranger);
      expect([done.statusCode, done.json()]).toEqual([200, { message: '', exception: { Message: text } }]);
    }
    await system((tx) =>
      tx
        .updateTable('case_answer_links')
        .set({ expires_at: new Date(Date.now() - 1_000) })
        .where('case_id', '=', id)
        .execute(),
    );
    expect((await answer(id, 'benign', token)).json().exception.Message).toBe(emailActionTexts.badRequest);
    expect(await theCase(id)).toMatchObject({ status: 'escalated', investigation_status: 3 });
    expect((await historyOf(id)).filter(({ kind }) => kind === 'client')).toEqual([]);
  });

  test('the address alone is enough, as mails carry it', async () => {
    const { id, links } = await escalated();
    const { action, token } = links[0]!;
    const done = await t.house.app.inject({
      method: 'POST',
      url: '/api/v1/CaseDetails/updateCase',
      query: { caseID: String(id), action, token },
    });
    expect(done.json()).toEqual({ message: emailActionTexts.updated, exception: null });
  });

  test('asks for a press where the client wants one; an unknown token is answered alike', async () => {
    const { links } = await escalated();
    const asks = async (token: string) => (await t.call(caseMailsApi.answerNeedsPress, { body: { token } })).json();
    const set = (needs: boolean) =>
      system((tx) => tx.updateTable('organisations').set({ needs_press_on_answer: needs }).where('id', '=', client).execute());
    expect(await asks(links[0]!.token)).toEqual({ needsPress: false });
    await set(true);
    expect(await asks(links[0]!.token)).toEqual({ needsPress: true });
    expect(await asks('A'.repeat(43))).toEqual({ needsPress: false });
    await set(false);
  });
});

describe('a mail of one’s own', () => {
  const custom = (body: object, user: TestUser | undefined = analyst, clientId = client) =>
    t.call(caseMailsApi.sendCustom, { params: { clientId }, body: body as never }, user);

  test('goes to users and escalation addresses of the client, ends with the SOC, and is signed', async () => {
    const { id } = await aCase();
    const signature = (await t.call(caseMailsApi.signature, { params: { clientId: client } }, analyst)).json();
    expect(signature).toEqual({
      emailRecipientList: [
        { emailType: 'to', emailAddress: 'ada@acme.example' },
        { emailType: 'to', emailAddress: 'bob@acme.example' },
        { emailType: 'cc', emailAddress: 'ceo@acme.example' },
        { emailType: 'cc', emailAddress: soc },
      ],
      senderName: 'Test Partner Analyst',
      senderPhone: '+1 202 555 0111',
      senderEmail: analyst.email,
      senderPartnerOrgID: partner,
      senderPartnerOrgName: 'Quay',
      socPhoneNumber: '+1 202 555 0100',
    });
    expect((await t.call(caseMailsApi.signature, { params: { clientId: client } }, triage)).json()).toMatchObject({
      senderName: 'SOC Analyst',
      senderPhone: '+1 202 555 0100',
      senderEmail: 'help@quay.example',
    });
    const sent = await custom({
      caseID: id,
      to: ['ADA@acme.example', manager.email],
      cc: [soc.toUpperCase(), 'ada@acme.example', 'ceo@acme.example'],
      subject: 'Hello <i>',
      text: 'Please call.\n<script>alert(1)</script>',
    });
    expect(sent.json().mail).toMatchObject({
      kind: 'custom',
      to: `ADA@acme.example, ${manager.email}`,
      cc: `ceo@acme.example, ${soc}`,
      sentBy: 'Test Partner Analyst',
    });
    const [mail] = await mailsOf(id);
    expect(mail?.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(mail?.text).toContain(`Test Partner Analyst\nQuay\n+1 202 555 0111\n${analyst.email}`);
  });

  test.each([
    ['a stranger’s address', { to: ['eve@other.example'] }, 'to'],
    ['a user of another client', { cc: ['STRANGER'] }, 'cc'],
    ['a line break in the subject', { subject: 'Hi\r\nBcc: all@x.example' }, 'subject'],
    ['a line break in an address', { to: ['ada@acme.example\r\nBcc: x@x.example'] }, 'to.0'],
    ['nobody', { to: [] }, 'to'],
  ])('to %s is refused at its field', async (_what, more, field) => {
    const { id } = await aCase();
    const body = { caseID: id, to: ['ada@acme.example'], cc: [], subject: 'Hi', text: 'Text', ...more };
    if ('cc' in more) body.cc = [stranger.email] as never;
    const answer = await custom(body);
    expect([answer.statusCode, Object.keys(answer.json().errors)]).toEqual([400, [field]]);
    expect(await mailsOf(id)).toEqual([]);
  });

  test('a case of another client, another tenant, a client’s own people', async () => {
    const { id } = await aCase();
    const body = { caseID: id, to: ['eve@other.example'], subject: 'Hi', text: 'Text' };
    const sibling = await t.organisation({ parentId: partner });
    expect((await custom(body, analyst, sibling)).statusCode).toBe(404);
    expect((await custom(body, stranger)).statusCode).toBe(403);
    expect((await custom(body, manager)).statusCode).toBe(403);
    expect((await t.call(caseMailsApi.signature, { params: { clientId: client } }, stranger)).statusCode).toBe(403);
  });
});

test('a narrative is mailed once, and says when', async () => {
  const { id } = await aCase();
  const narrativeId = await narrative(id, 'The whole story.');
  const send = (user = analyst) => t.call(caseMailsApi.sendNarrative, { body: { caseNarrativeID: narrativeId } }, user);
  expect((await send(stranger)).statusCode).toBe(404);
  expect((await send(manager)).statusCode).toBe(403);
  const answers = await Promise.all([send(), send()]);
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
  const { emailSentTimestamp } = answers.find(({ statusCode }) => statusCode === 200)!.json();
  const row = await system((tx) =>
    tx.selectFrom('case_narratives').select('email_sent_at').where('id', '=', narrativeId).executeTakeFirstOrThrow(),
  );
  expect(row.email_sent_at?.toISOString()).toBe(emailSentTimestamp);
  expect(await mailsOf(id)).toMatchObject([{ kind: 'case.narrative', text: expect.stringContaining('The whole story.') }]);
});

test('the client reads the mails of its case, by the SOC; not who was told of an answer, nor another’s', async () => {
  const { id } = await aCase({ set: { analyst_user_id: analyst.id } });
  await escalate(id);
  const [link] = await linksOf(id);
  await answer(id, link!.action, link!.token);
  const list = (user: TestUser | undefined, clientOrgId = client, caseId = id) =>
    t.call(caseMailsApi.listOfCase, { params: { clientOrgId }, query: { caseId } }, user);
  const mine = (await list(manager)).json();
  expect(
    mine.results.map((mail: { kind: string; to: string; cc: string; sentBy: string }) => [
      mail.kind,
      mail.to,
      mail.cc,
      mail.sentBy,
    ]),
  ).toEqual([
    ['escalation', 'bob@acme.example', '', 'SOC Analyst'],
    ['escalation', 'ada@acme.example', '', 'SOC Analyst'],
    ['escalation', '', `ceo@acme.example, ${soc}`, 'SOC Analyst'],
  ]);
  const theirs = (await list(triage)).json();
  expect(theirs.results[0]).toMatchObject({ kind: 'answer', to: analyst.email, clientOrganizationID: client });
  expect(theirs.total).toBe(4);
  expect((await list(reader)).statusCode).toBe(403);
  expect((await t.call(caseMailsApi.listOfCase, { params: { clientOrgId: client }, query: { caseId: id } })).statusCode).toBe(
    401,
  );
  expect((await list(stranger)).statusCode).toBe(403);
  expect((await list(stranger, 0)).statusCode).toBe(404);
  expect((await list(manager, client, 999_999)).statusCode).toBe(404);
});

test('a mail that the server refuses shows so on the case', async () => {
  const { id } = await aCase();
  await t.call(caseMailsApi.sendUpdate, { body: { caseID: id } }, analyst);
  await system((tx) =>
    tx.updateTable('mails').set({ state: 'failed', error: 'No such mailbox' }).where('case_id', '=', id).execute(),
  );
  const { results } = (
    await t.call(caseMailsApi.listOfCase, { params: { clientOrgId: 0 }, query: { caseId: id } }, analyst)
  ).json();
  expect(results).toMatchObject([{ state: 'failed', error: 'No such mailbox', sentTime: null }]);
});
