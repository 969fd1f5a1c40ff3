/** Fixture of case email tests: a partner with a client and its addresses, a mail server, and requests. */

import { caseMailsApi } from '@parapet/contract/caseMails.ts';
import { systemClock } from '../src/core/clock.ts';
import { scoped, type Tx } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { createOutboxService } from '../src/features/outbox/outbox.service.ts';
import { type TestUser, testApp } from './app.ts';
import { asDelivered } from './keys.ts';
import { startMailServer } from './mail-server.ts';
import { type SeedCase, seedCase } from './seed.ts';

export const soc = 'soc@provider.example';

export async function caseMailsWorld() {
  const server = await startMailServer();
  const t = await testApp({ SMTP_URL: server.url, PUBLIC_URL: 'https://portal.example' });
  const outbox = createOutboxService({
    db: t.db,
    clock: systemClock,
    brand: {} as never,
    keys: t.keys,
    smtpUrl: server.url,
    log: silentLog,
  });
  const deliver = () => outbox.deliver();
  const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(t.db, 'system', work);
  await t.organisation({ id: 1, isPartner: true, name: 'Provider' });
  const partner = await t.organisation({ isPartner: true, parentId: 1 });
  const client = await t.organisation({ parentId: partner, name: 'Acme' });
  const other = await t.organisation({ parentId: partner });
  const analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  const triage = await t.user({ organisationId: partner, role: 'Analyst' });
  const manager = await t.user({ organisationId: client, role: 'Manager' });
  const reader = await t.user({ organisationId: client, role: 'Analyst' });
  const stranger = await t.user({
    organisationId: await t.organisation({ isPartner: true, parentId: 1 }),
    role: 'Partner Analyst',
  });
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
    await tx
      .insertInto('domains')
      .values(
        ['soc.quay.example', 'quay.example'].map((domain) => ({
          organisation_id: partner,
          domain,
          token: 'token',
          verified_at: new Date(),
        })),
      )
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

  const aCase = (seed: Partial<SeedCase> = {}) =>
    seedCase(t.db, { organisationId: client, ...seed, set: { status: 'investigating', title: 'Odd <b>login</b>', ...seed.set } });
  const narrative = (caseId: number, text = 'A user signed in from <far> away.') =>
    system(async (tx) => {
      const row = { organisation_id: client, case_id: caseId, author_user_id: analyst.id, author_name: 'A', text };
      return (await tx.insertInto('case_narratives').values(row).returning('id').executeTakeFirstOrThrow()).id;
    });
  const escalate = (caseID: number, user: TestUser | undefined = analyst) =>
    t.call(caseMailsApi.sendEscalation, { body: { caseID } }, user);
  const theCase = (id: number) =>
    system((tx) => tx.selectFrom('cases').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
  const mailsOf = (caseId: number) =>
    system((tx) => tx.selectFrom('mails').selectAll().where('case_id', '=', caseId).orderBy('id').execute());
  /** Emails as delivered. */
  const deliveredOf = async (caseId: number) => asDelivered(t.db, t.keys, await mailsOf(caseId));
  /** Links of received emails, by recipient and action. */
  const linksOf = async (caseId: number) => {
    const links: { recipient: string; action: string; token: string; url: string }[] = [];
    for (const { text, envelope_to } of await deliveredOf(caseId))
      for (const [url, action, token] of text.matchAll(
        /https:\/\/\S+\/emailCaseAction\?caseID=\d+&action=(\w+)&token=([\w-]{43})/g,
      ))
        links.push({ recipient: envelope_to?.join() ?? '', action: action as string, token: token as string, url });
    return links;
  };
  const answer = (caseID: string | number | undefined, action: string | undefined, token: string | undefined, user?: TestUser) =>
    t.application.app.inject({
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
  const close = async () => {
    await t.close();
    await server.close();
  };
  return {
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
    deliveredOf,
    linksOf,
    answer,
    historyOf,
    close,
  };
}
