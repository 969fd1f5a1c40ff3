/** Mails of a case through a real mail server. */
import { caseMailsApi } from '@parapet/contract/caseMails.ts';
import { outboxApi } from '@parapet/contract/outbox.ts';
import { afterAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../../../test/app.ts';
import { caseMailsWorld, soc } from '../../../test/caseMails.fixture.ts';

const {
  t,
  server,
  deliver,
  partner,
  client,
  analyst,
  triage,
  manager,
  reader,
  stranger,
  system,
  aCase,
  narrative,
  escalate,
  theCase,
  mailsOf,
  linksOf,
  answer,
  historyOf,
  close,
} = await caseMailsWorld();
afterAll(close);

const plain = (raw: string) => raw.replace(/=\r\n/g, '').replace(/=3D/g, '=').replace(/\r/g, '');

describe('an escalation', () => {
  test('pauses the case and sends personal links to recipients only', async () => {
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
    // They are removed with the delivery.
    const links = await linksOf(id);
    await deliver();

    expect(server.received.map(({ to }) => to)).toEqual([['ceo@acme.example', soc], ['ada@acme.example'], ['bob@acme.example']]);
    const [copy, ada, bob] = server.received.map(({ raw }) => plain(raw)) as [string, string, string];
    for (const raw of [copy, ada, bob]) {
      expect(raw).toMatch(/^From: Quay <help@quay\.example>$/m);
      expect(raw).toMatch(/^To: ada@acme\.example, bob@acme\.example$/m);
      expect(raw).toMatch(/^Cc: ceo@acme\.example, soc@provider\.example$/m);
      expect(raw).toMatch(new RegExp(`^Subject: Case #${id}: Odd <b>login</b> Bcc: all@acme\\.example$`, 'm'));
      expect(raw).not.toMatch(/^Bcc:/m);
      expect(raw).toContain('A user signed in from &lt;far&gt; away.');
      expect(raw).toContain('A user signed in from <far> away.');
      expect(raw).toContain(`https://soc.quay.example/apps/case/${id}`);
    }
    expect(copy).not.toContain('emailCaseAction');
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
    expect(await historyOf(id)).toContainEqual({
      kind: 'mail',
      text: 'Escalation emailed to ada@acme.example, bob@acme.example',
    });
    const row = await system((tx) =>
      tx.selectFrom('case_narratives').select('email_sent_at').where('id', '=', narrativeId).executeTakeFirstOrThrow(),
    );
    expect(row.email_sent_at).not.toBeNull();

    // Later emails are in the thread, and only the recipient can read a link.
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
    expect(seen).toContain('[link removed after delivery]');
    for (const { token } of links) expect(seen).not.toContain(token);
  });

  test('sends once on a double click', async () => {
    const { id } = await aCase();
    const answers = await Promise.all([escalate(id), escalate(id), escalate(id)]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409]);
    expect(await mailsOf(id)).toHaveLength(3);
    expect(await linksOf(id)).toHaveLength(4);
  });

  test('changes nothing for closed cases and clients without an address', async () => {
    const closed = await aCase({ set: { status: 'closed', closed_at: new Date() } });
    expect((await escalate(closed.id)).statusCode).toBe(409);
    const empty = await t.organisation({ parentId: partner });
    const { id } = await aCase({ organisationId: empty });
    const answer = await escalate(id);
    expect([answer.statusCode, answer.json().error]).toEqual([409, expect.stringContaining('no escalation address')]);
    expect(await theCase(id)).toMatchObject({ status: 'investigating', version: 1 });
    expect([...(await mailsOf(id)), ...(await mailsOf(closed.id))]).toEqual([]);
  });

  test('returns 401 to anonymous callers, 403 to clients, 404 to other tenants', async () => {
    const { id } = await aCase();
    expect((await t.call(caseMailsApi.sendEscalation, { body: { caseID: id } })).statusCode).toBe(401);
    expect((await escalate(id, manager)).statusCode).toBe(403);
    expect((await escalate(id, stranger)).statusCode).toBe(404);
    expect(await mailsOf(id)).toEqual([]);
  });
});

describe('a custom email', () => {
  const custom = (body: object, user: TestUser | undefined = analyst, clientId = client) =>
    t.call(caseMailsApi.sendCustom, { params: { clientId }, body: body as never }, user);

  test('goes to known addresses of the client, copies the SOC and is signed', async () => {
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
    ['no recipient', { to: [] }, 'to'],
  ])('to %s is refused at its field', async (_what, more, field) => {
    const { id } = await aCase();
    const body = { caseID: id, to: ['ada@acme.example'], cc: [], subject: 'Hi', text: 'Text', ...more };
    if ('cc' in more) body.cc = [stranger.email] as never;
    const answer = await custom(body);
    expect([answer.statusCode, Object.keys(answer.json().errors)]).toEqual([400, [field]]);
    expect(await mailsOf(id)).toEqual([]);
  });

  test('rejects other clients’ cases, other tenants and client users', async () => {
    const { id } = await aCase();
    const body = { caseID: id, to: ['eve@other.example'], subject: 'Hi', text: 'Text' };
    const sibling = await t.organisation({ parentId: partner });
    expect((await custom(body, analyst, sibling)).statusCode).toBe(404);
    expect((await custom(body, stranger)).statusCode).toBe(403);
    expect((await custom(body, manager)).statusCode).toBe(403);
    expect((await t.call(caseMailsApi.signature, { params: { clientId: client } }, stranger)).statusCode).toBe(403);
  });
});

test('emails a narrative once with its time', async () => {
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

test('lists a case’s emails to its client without answer notices', async () => {
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
    ['escalation', 'bob@acme.example', '', 'Test Partner Analyst'],
    ['escalation', 'ada@acme.example', '', 'Test Partner Analyst'],
    ['escalation', '', `ceo@acme.example, ${soc}`, 'Test Partner Analyst'],
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

test('shows a rejected email on the case', async () => {
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

describe('a preview', () => {
  const preview = (caseID: number, kind: 'escalation' | 'narrative' | 'custom', user = analyst) =>
    t.call(caseMailsApi.preview, { body: { caseID, kind } }, user);

  test('shows the email that leaves, without links or changes', async () => {
    const { id } = await aCase();
    await narrative(id);
    const shown = (await preview(id, 'escalation')).json();
    expect(shown).toMatchObject({ text: 'A user signed in from <far> away.', subject: `Case #${id}: Odd <b>login</b>` });
    expect(shown.before).toContain('A security case needs your answer');
    expect(shown.after).toContain('Expected (benign):\n(personal link)');
    expect(await theCase(id)).toMatchObject({ status: 'investigating', client_question_at: null });
    expect(await linksOf(id)).toEqual([]);
    await escalate(id);
    const [copy] = await mailsOf(id);
    expect(copy?.text).toContain(`${shown.text}\n\nWas this activity expected?`);
    expect((await preview(id, 'custom')).json()).toMatchObject({ text: '' });
    expect((await preview(id, 'custom', stranger)).statusCode).toBe(404);
  });

  test('sends the edits, which the client reads in the portal too, and keeps the original a draft', async () => {
    const { id } = await aCase();
    const draft = await narrative(id, 'Draft with a guess.');
    const body = { caseNarrativeID: draft, subject: 'Please read', text: 'Checked text.' };
    expect((await t.call(caseMailsApi.sendNarrative, { body }, analyst)).statusCode).toBe(200);
    expect(await mailsOf(id)).toMatchObject([{ subject: 'Please read', text: expect.stringContaining('Checked text.') }]);
    const rows = await system((tx) =>
      tx.selectFrom('case_narratives').select(['text', 'email_sent_at']).where('case_id', '=', id).orderBy('id').execute(),
    );
    expect(rows).toEqual([
      { text: 'Draft with a guess.', email_sent_at: null },
      { text: 'Checked text.', email_sent_at: expect.any(Date) },
    ]);
    const faulty = { caseNarrativeID: draft, subject: 'One\nBcc: x@y.example' };
    expect((await t.call(caseMailsApi.sendNarrative, { body: faulty }, analyst)).statusCode).toBe(400);
  });
});
