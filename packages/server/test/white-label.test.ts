/**
 * Nothing of the provider is visible to a partner’s client: every read call, every kind of email and every host’s unbranded
 * response is searched for the provider’s name, colours and domain. New GETs and emails are covered automatically; one that needs an unknown
 * input fails until it is added. Browser pages are covered by the journeys.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { may } from '@parapet/contract/access.ts';
import { accountApi } from '@parapet/contract/account.ts';
import { endpoints } from '@parapet/contract/api.ts';
import { auditApi } from '@parapet/contract/audit.ts';
import { authApi } from '@parapet/contract/auth.ts';
import { caseMailsApi } from '@parapet/contract/caseMails.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { collectorsApi } from '@parapet/contract/collectors.ts';
import { connectionInvitesApi } from '@parapet/contract/connectionInvites.ts';
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import { mailSubscriptionsApi, subscriptionKindValues } from '@parapet/contract/mailSubscriptions.ts';
import { onboardingApi } from '@parapet/contract/onboarding.ts';
import { organisationsApi } from '@parapet/contract/organisations.ts';
import { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { responsesApi } from '@parapet/contract/responses.ts';
import { setupApi } from '@parapet/contract/setup.ts';
import { usersApi } from '@parapet/contract/users.ts';
import type { LightMyRequestResponse } from 'fastify';
import { TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReportSources } from '../src/application.reports.ts';
import { openBlobs } from '../src/core/blobs.ts';
import { movableClock, systemClock } from '../src/core/clock.ts';
import { scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { listUnfit } from '../src/domain/approvers.ts';
import { createAttackService } from '../src/features/attack/attack.service.ts';
import * as authMails from '../src/features/auth/auth.mails.ts';
import { createBalanceService } from '../src/features/balance/balance.service.ts';
import { createBrandService } from '../src/features/brand/brand.service.ts';
import { createDomainsService } from '../src/features/brand/domains.service.ts';
import { createMailSubscriptionsService } from '../src/features/mail-subscriptions/mail-subscriptions.service.ts';
import { createOutboxService } from '../src/features/outbox/outbox.service.ts';
import { createReportSchedules } from '../src/features/reports/reports.schedules.ts';
import { createReportsService } from '../src/features/reports/reports.service.ts';
import { mayApproveAs, textOf } from '../src/features/responses/responses.rules.ts';
import * as usersMails from '../src/features/users/users.mails.ts';
import { createTarget, createWebhook } from './access.objects.ts';
import { builtIn } from './access.probes.rules.ts';
import { password, passwordHash } from './accounts.ts';
import { allInForce, type TestApp, type TestUser, testApp, waitingMails } from './app.ts';
import { emailsOfTarget } from './deliveries.fixture.ts';
import { asDelivered } from './keys.ts';
import { kindsOfMail } from './mailKinds.ts';
import { seedAlerts, seedCase, seedRule } from './seed.ts';

/** The provider of this test, and the product’s defaults for an unconfigured provider. */
const traces = [/zwingli/i, /parapet/i, /#0b6b66/i, /#4cc9bd/i, /11,\s*107,\s*102\b/, /\b76,\s*201,\s*189\b/];
const host = 'quay.neutral.example';

/** Tokens and links hide content: their parts are decoded. */
function opened(text: string): string {
  const parts = text.match(/[\w-]{16,}/g) ?? [];
  return [text, ...parts.map((part) => Buffer.from(part, 'base64url').toString('latin1'))].join('\n');
}
const tracesIn = (text: string): string[] => traces.flatMap((trace) => trace.exec(opened(text))?.[0] ?? []);

const files = mkdtempSync(join(tmpdir(), 'white-label-'));
let t: TestApp;
let client: number;
let partner: number;
let partnerAdmin: TestUser;
let admin: TestUser;
let alertId: number;
let webhookId: number;
let targets: Awaited<ReturnType<typeof createTarget>>;
let responseId: number;
let apiKeyId: number;
let caseId: number;
/** Provider staff who work on the client’s case. */
let theirs: TestUser;

beforeAll(async () => {
  t = await testApp({
    ...waitingMails,
    PUBLIC_URL: 'https://neutral.example',
    REGISTRATION: '1',
    DATA_DIR: files,
    // The one provider address shown in emails (spec §9).
    SOC_ADDRESS: 'soc@watch.example',
  });
  await t.organisation({ id: 1, isPartner: true, name: 'Zwingli Watch' });
  partner = await t.organisation({ isPartner: true, parentId: 1, name: 'Quay' });
  client = await t.organisation({ parentId: partner, name: 'Elm' });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  theirs = await t.user({ organisationId: 1, role: 'Host' });
  await scoped(t.db, 'system', async (tx) => {
    await tx
      .updateTable('users')
      .set({ email: 'host@zwingli.example', first_name: 'Zwingli', last_name: 'Host' })
      .where('id', '=', theirs.id)
      .execute();
    await tx
      .updateTable('organisations')
      .set({ email_address: 'soc@zwingli.example', website_url: 'https://zwingli.example' })
      .where('id', '=', 1)
      .execute();
    await tx.updateTable('organisations').set({ email_address: 'help@quay.example' }).where('id', '=', partner).execute();
    await tx
      .insertInto('brands')
      .values([
        { organisation_id: 1, sub_domain: 'zwingli', name: 'Zwingli', accent_light: '#0b6b66' },
        { organisation_id: partner, sub_domain: 'quay', name: 'Quay' },
      ])
      .execute();
    await tx
      .insertInto('domains')
      .values({ organisation_id: partner, domain: 'quay.example', token: 'token', verified_at: new Date() })
      .execute();
  });
  [alertId] = (await seedAlerts(t.db, client, [{ at: Date.now() - 60_000, rule: await seedRule(t.db) }])).map(({ id }) => id) as [
    number,
  ];
  ({ id: caseId } = await seedCase(t.db, { organisationId: client, criticality: 5 }));
  await scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('escalation_addresses')
      .values({ organisation_id: client, email_type: 'to', email_address: 'it@elm.example' })
      .execute(),
  );
  // Provider staff work on the client, which is recorded in its audit log.
  const { general } = (await t.call(organisationsApi.details, { params: { id: client } }, theirs)).json();
  const edit = await t.call(
    organisationsApi.updateGeneral,
    { params: { id: client }, body: { ...general, city: 'Elmira', phoneNumber: '+1 202 555 0199' } },
    theirs,
  );
  expect(edit.statusCode).toBe(200);
  for (const work of [
    () => t.call(casesApi.changeAnalyst, { body: { caseID: caseId, analystUserAccountID: theirs.id } }, theirs),
    () => t.call(casesApi.saveNote, { body: { caseID: caseId, text: 'Reviewed.', isInternal: false } }, theirs),
    () => t.call(responsesApi.isolateHost, { body: { caseID: caseId, deviceID: 'host-1', isIsolated: true } }, theirs),
    () =>
      t.call(
        responseRequestsApi.addProtected,
        { params: { client }, body: { kind: 'device', value: 'host-9', reason: 'Runs the works' } },
        theirs,
      ),
    () => t.call(collectorsApi.save, { params: { client, kind: 'filebeat' }, body: { yaml: 'tags: [a]', version: 0 } }, theirs),
  ])
    expect((await work()).json()).not.toHaveProperty('error');
  targets = await scoped(t.db, 'system', (tx) => createTarget(t, tx, client));
  webhookId = await scoped(t.db, 'system', (tx) => createWebhook(t, tx, client));
  apiKeyId = (await t.call(accountApi.createApiKey, { body: { name: 'Report' } }, admin)).json().id;
  responseId = await scoped(t.db, 'system', async (tx) => {
    await tx
      .insertInto('devices')
      .values({ organisation_id: client, name: 'host-1', device_type: 'server' })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return (await tx.selectFrom('responses').select('id').executeTakeFirstOrThrow()).id;
  });
});
afterAll(async () => {
  await t.close();
  rmSync(files, { recursive: true });
});

const mails = async () => {
  const stored = await scoped(t.db, 'system', (tx) => tx.selectFrom('mails').selectAll().orderBy('id').execute());
  return asDelivered(t.db, t.keys, stored);
};
const newestMail = (kind: string, to: string) =>
  expect
    .poll(async () => (await mails()).findLast((mail) => mail.kind === kind && mail.to_addresses.includes(to))?.text ?? '', {
      timeout: 5_000,
    })
    .not.toBe('')
    .then(async () => (await mails()).findLast((mail) => mail.kind === kind && mail.to_addresses.includes(to))?.text as string);
const post = (path: string, payload: object) =>
  t.application.app.inject({ method: 'POST', url: path, headers: { host, 'content-type': 'application/json' }, payload });

async function account(organisationId: number, change: object = {}) {
  const user = await t.user({ organisationId, role: 'Analyst' });
  await scoped(t.db, 'system', (tx) =>
    tx
      .updateTable('users')
      .set({ password_hash: passwordHash, ...change })
      .where('id', '=', user.id)
      .execute(),
  );
  return user;
}
const signIn = (email: string) => post('/api/v1/auth/authenticate', { email, password });

/** Streams stay open; their rows equal the list’s. */
const isWalked = (endpoint: Endpoint) => endpoint.method === 'GET' && endpoint.answers !== 'events';

/** Input of each call, by endpoint id or parameter name. */
function inputOf(endpoint: Endpoint, mailId: number): { path: string; query: Record<string, string> } {
  const ofThis: Record<string, Record<string, string | number>> = {
    'outbox.get': { id: mailId },
    'alerts.ofEvent': { event: '00000000-0000-0000-0000-000000000001', at: new Date().toISOString() },
    'brand.image': { subDomain: 'quay', file: 'light.png' },
    'users.picture': { file: `${admin.id}.png` },
    'views.list': { list: 'alerts' },
    'search.find': { text: 'a' },
    'account.mintedByApiKey': { id: apiKeyId },
    'cases.detail': { id: caseId },
    'responseDesk.get': { id: responseId },
    'responseDesk.file': { id: responseId },
    'responseDesk.list': { caseID: caseId },
    'agents.list': { kind: 'beat' },
    'setup.attack': { device: 'setup-test-abcd' },
    'collectors.get': { version: 1 },
    'rulePacks.download': { pack: 'own' },
  };
  const usual: Record<string, string | number> = {
    id: client,
    client,
    clientId: client,
    userId: admin.id,
    alertId,
    caseId,
    clientOrgId: client,
    start: new Date(Date.now() - 86_400_000).toISOString(),
    end: new Date(Date.now() + 86_400_000).toISOString(),
    selectedClientOrganizationId: client,
    selectedClientOrgID: client,
    ...{ email: admin.email, link: '/apps/dashboard' },
    name: 'host-1',
    kind: 'filebeat',
    year: new Date().getUTCFullYear(),
    month: new Date().getUTCMonth() + 1,
    ...{ job: 1, pastSearch: 1 },
    target: targets.targetId,
    delivery: targets.deliveryId,
    source: webhookId,
    ruleID: builtIn,
    uid: 'x'.repeat(21),
  };
  const known = { ...usual, ...ofThis[endpoint.id] };
  const path = endpoint.path.replace(/:([A-Za-z]+)/g, (_whole, name: string) => {
    const value = known[name];
    if (value === undefined) throw new Error(`No input for ${name} of ${endpoint.id}: add it here.`);
    return encodeURIComponent(String(value));
  });
  return { path: endpoint.prefix + path, query: Object.fromEntries(Object.entries(known).map(([k, v]) => [k, String(v)])) };
}

/** Calls refused for everyone here; their refusals are searched as well. */
const refusedAnyway = new Set([
  'brand.image',
  'users.picture',
  'auth.customerSuccess',
  'auth.singleSignOn',
  'auth.singleSignOnCallback',
  'connectionInvites.consentCallback',
  'assistants.consent',
  // No bulk job is running, no search was exported, nothing became known, no file was collected.
  'bulk.get',
  'eventExports.file',
  'pastSearches.get',
  'responseDesk.file',
]);

async function walk(): Promise<string[]> {
  const found: string[] = [];
  const search = (what: string, answer: LightMyRequestResponse) => {
    for (const trace of tracesIn(`${JSON.stringify(answer.headers)}\n${answer.body}`)) found.push(`${what}: ${trace}`);
  };
  const mailId = (await mails()).find((mail) => mail.organisation_id === client)?.id ?? 0;
  const holder = { role: 'Administrator', isPartner: false, organisationId: client };
  for (const endpoint of endpoints.filter(isWalked)) {
    const { path, query } = inputOf(endpoint, mailId);
    const answer = await t.application.app.inject({
      url: path,
      query,
      headers: { host, authorization: `Bearer ${admin.token}` },
    });
    if (!refusedAnyway.has(endpoint.id))
      expect([endpoint.id, answer.statusCode]).toEqual([endpoint.id, may(holder, endpoint.allow) ? 200 : 403]);
    search(endpoint.id, answer);
    search(`${endpoint.id}, not signed in`, await t.application.app.inject({ url: path, query, headers: { host } }));
  }
  for (const clientRequest of ['What can you do?', 'How do I install the agent?', 'I want to talk to a human', 'x'])
    search(
      `Sapphire: ${clientRequest}`,
      await t.application.app.inject({
        method: 'POST',
        url: '/api/v1/dashboard/sapphire-chat',
        headers: { host, authorization: `Bearer ${admin.token}` },
        payload: { clientRequest, conversationUUID: '0197a8c2-5d9e-7cc3-98a4-1f0d5b6e7a81' },
      }),
    );
  const signedIn = await signIn((await account(client)).email);
  expect(signedIn.statusCode).toBe(200);
  search('auth.authenticate', signedIn);
  search('a wrong password', await post('/api/v1/auth/authenticate', { email: admin.email, password: 'wrong password' }));
  for (const url of [
    '/healthz',
    '/readyz',
    '/api/v1/openapi.json',
    '/api/v1/no-such-call',
    '/apps/dashboard',
    '/%',
    '/metrics',
    '/agent/install.sh',
  ])
    search(url, await t.application.app.inject({ url, headers: { host } }));
  const key = await t.ingestKey(client);
  for (const part of ['', '_license', '_cat/health', '_cluster/health', '_nodes/http', 'x']) {
    const url = `/ingest/${part}`;
    search(url, await t.application.app.inject({ url, headers: { host, authorization: `ApiKey ${key}` } }));
  }
  return found;
}

/** Security notifications, which share one renderer. */
const owner = { organisationId: 1, email: 'ada@elm.example', firstName: 'Ada' };
const notices = [...Object.values(authMails), ...Object.values(usersMails)].map((notice) =>
  notice(owner, 'quay.neutral.example' as never, 15),
);
const isNotice = (kind: string) => notices.some((notice) => notice.kind === kind);

test('finds traces in any encoding', () => {
  const token = `eyJhbGciOiJIUzI1NiJ9.${Buffer.from('{"iss":"parapet"}').toString('base64url')}.x`;
  for (const planted of ['by PARAPET Security', '{"a":"#0B6B66"}', 'rgb(11,107,102)', 'soc@zwingli.example', token])
    expect(tracesIn(`before ${planted} after`)).toHaveLength(1);
  expect(tracesIn('Quay #3d4f6d https://quay.neutral.example')).toEqual([]);
});

test('sends every kind of email with the partner’s brand only', async () => {
  const user = await account(client);
  const invited = { firstName: 'In', lastName: 'Vited', emailAddress: 'invited@elm.example', UserRoleID: 5 };
  const body = { ...invited, clientOrganizationID: client, sendInvitation: true };
  expect((await t.call(usersApi.create, { body }, admin)).statusCode).toBe(200);
  await newestMail('user.invited', invited.emailAddress);

  const administrator = { firstName: 'Wel', lastName: 'Come', emailAddress: 'welcome@fig.example' };
  const { general } = (await t.call(organisationsApi.details, { params: { id: client } }, theirs)).json();
  const fig = { general: { ...general, name: 'Fig' }, contact: null, escalationEmailAddresses: [], administrator };
  const welcomed = await t.call(onboardingApi.create, { body: { partnerClientOrgID: partner, clients: [fig] } }, partnerAdmin);
  expect(welcomed.statusCode).toBe(200);
  await newestMail('client.welcome', administrator.emailAddress);

  expect((await post(`/api/v1/user/forgot-password/${user.email}`, {})).statusCode).toBe(200);
  const token = /\/passwordReset\/([\w-]+)/.exec(await newestMail('password.reset', user.email))?.[1] as string;
  const reset = await t.call(authApi.resetPassword, {
    body: { formData: { email: user.email, token }, newPassword: 'Another-horse-8-battery' },
  });
  expect(reset.statusCode).toBe(200);

  const enrolling = await account(client, { is_mfa_required: true });
  const { mfaChallenge } = (await signIn(enrolling.email)).json();
  const code = new TOTP({ secret: mfaChallenge.qrSecret }).generate();
  const completed = await post('/api/v1/auth/complete-mfa', { nonce: mfaChallenge.nonce, code, password: mfaChallenge.password });
  expect(completed.statusCode).toBe(200);

  await mailsOfCase();
  const connecting = { kind: 'okta', name: 'Okta', email: 'it@elm.example' };
  expect((await t.call(connectionInvitesApi.create, { params: { client }, body: connecting }, admin)).statusCode).toBe(200);
  expect((await t.call(setupApi.testMail, {}, admin)).statusCode).toBe(200);
  await post('/api/v1/auth/register', { firstName: 'A', lastName: 'B', email: 'new@elm.example', company: 'Elm' });
  await expect
    .poll(async () => [...new Set((await mails()).map((mail) => mail.kind))].filter((kind) => !isNotice(kind)).sort(), {
      timeout: 5_000,
    })
    .toEqual(kindsOfMail().sort());

  expect(notices.flatMap((notice) => tracesIn(JSON.stringify(notice)))).toEqual([]);
  const ofPartner = (await mails()).filter((mail) => mail.organisation_id !== 1);
  expect([...new Set(ofPartner.map((mail) => mail.kind))].filter((kind) => !isNotice(kind)).sort()).toEqual(kindsOfMail().sort());
  // The sender is stored beside the email, for permitted readers.
  expect(
    ofPartner.flatMap(({ sent_by_name, ...mail }) => tracesIn(JSON.stringify(mail)).map((trace) => `${mail.kind}: ${trace}`)),
  ).toEqual([]);
  expect(ofPartner.every((mail) => mail.from_address === 'help@quay.example' && mail.html.includes('Quay'))).toBe(true);
});

/** Every email a case can cause, sent by provider staff. */
async function mailsOfCase(): Promise<void> {
  const ok = async (answer: Promise<LightMyRequestResponse>) => {
    const { statusCode, body } = await answer;
    expect([statusCode, body]).toEqual([200, expect.anything()]);
  };
  const body = { caseID: caseId };
  const kinds = subscriptionKindValues.slice();
  await ok(t.call(mailSubscriptionsApi.updateMine, { body: { kinds } }, admin));
  const partnerAnalyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  await ok(t.call(mailSubscriptionsApi.updateMine, { body: { kinds } }, partnerAnalyst));
  const narrative = { params: { clientId: client }, body: { ...body, text: 'What happened.' } };
  await ok(t.call(casesApi.saveNarrative, narrative, theirs));
  await ok(t.call(caseMailsApi.sendEscalation, { body }, theirs));
  await ok(t.call(caseMailsApi.sendUpdate, { body }, theirs));
  const custom = { to: ['it@elm.example'], subject: 'A question', text: 'Was it you?' };
  await ok(t.call(caseMailsApi.sendCustom, { params: { clientId: client }, body: { ...body, ...custom } }, theirs));
  const second = (await t.call(casesApi.saveNarrative, narrative, theirs)).json();
  await ok(t.call(caseMailsApi.sendNarrative, { body: { caseNarrativeID: second.id } }, theirs));
  const escalation = (await mails()).findLast((mail) => mail.kind === 'case.escalation' && mail.text.includes('emailCaseAction'));
  const link = new URL(/https:\/\/\S+emailCaseAction\S+/.exec(escalation?.text ?? '')?.[0] ?? '');
  await t.call(casesApi.changeAnalyst, { body: { ...body, analystUserAccountID: partnerAnalyst.id } }, theirs);
  const { caseID, action, token } = Object.fromEntries(link.searchParams);
  await ok(t.call(caseMailsApi.answerByLink, { body: { caseId: caseID, action, token } }));
  await ok(t.call(casesApi.changeStatus, { body: { incidentID: caseId, caseStatus: 'closed' } }, theirs));

  // Scheduled work of a worker.
  const brand = createBrandService({
    db: t.db,
    blobs: openBlobs(undefined, files),
    publicUrl: 'https://neutral.example',
    mailFrom: 'portal@neutral.example',
    demo: null,
    hasOwnSingleSignOn: false,
    allowsRegistration: false,
    hasCustomerSuccess: false,
    isUnderMaintenance: false,
    version: async () => '1',
  });
  const outbox = createOutboxService({
    db: t.db,
    clock: systemClock,
    brand,
    keys: t.keys,
    smtpUrl: waitingMails.SMTP_URL,
    log: silentLog,
  });
  const clock = movableClock(Date.now());
  const worker = createMailSubscriptionsService({
    db: t.db,
    clock,
    brand,
    outbox,
    key: Buffer.alloc(32, 7),
    approvals: { textOf, mayApproveAs, listUnfit },
  });
  await scoped(t.db, 'system', async (tx) => {
    const record = await tx.selectFrom('cases').selectAll().where('id', '=', caseId).executeTakeFirstOrThrow();
    await worker.slaTimersNotified(tx, [{ record, clock: { name: 'close', state: 'breached' } }]);
  });
  await scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('report_schedules')
      .values({ organisation_id: client, day_of_month: 1, recipients: [admin.email], created_by: theirs.id, last_sent_at: null })
      .execute(),
  );
  const attack = createAttackService({ db: t.db, clock: systemClock, inForce: allInForce });
  const reportsDeps = { db: t.db, clock: systemClock, blobs: openBlobs(undefined, files), brand, outbox, log: silentLog };
  const balance = createBalanceService({ ...reportsDeps, deadReasons: [] });
  const sources = createReportSources({ clock: systemClock, attack, balance, isLoaded: () => true });
  const reports = createReportsService({ ...reportsDeps, sources, brandOf: brand.ofReports });
  await createReportSchedules({ ...reportsDeps, reports }).sendDue();
  await scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('domains')
      .values({ organisation_id: partner, domain: 'soc.quay.example', token: 'token', accepted_until: new Date('2099-01-01') })
      .execute(),
  );
  await createDomainsService({
    db: t.db,
    clock,
    resolver: { txt: async (name) => ({ fault: `No TXT record was found at ${name}.` }) },
    outbox,
    administratorsOf: async () => ['admin@quay.example'],
    consumeAttempt: async () => {},
    log: silentLog,
  }).checkDue();
  await emailsOfTarget({ db: t.db, clock, brand, outbox }, targets.targetId);
  await worker.sendNotices();
  await worker.digest('day');
  await worker.digest('week');
}

test('shows no trace of the provider in read calls', async () => {
  // Actions of provider staff are in the searched data.
  const { path } = inputOf(auditApi.list, 0);
  const log = await t.application.app.inject({ url: path, headers: { authorization: `Bearer ${admin.token}` } });
  expect(log.body).toContain('organisation.generalUpdated');
  expect(await walk()).toEqual([]);
});

test('detects a planted trace in a response and in an email', async () => {
  const plant = (description: string, footer: string) =>
    scoped(t.db, 'system', (tx) =>
      tx.updateTable('brands').set({ description, mail_footer: footer }).where('organisation_id', '=', partner).execute(),
    );
  await plant('Run by Parapet', 'Zwingli Watch');
  expect(await walk()).toContain('brand.get: Parapet');
  const user = await account(client);
  await post(`/api/v1/user/forgot-password/${user.email}`, {});
  expect(tracesIn(await newestMail('password.reset', user.email))).toEqual(['Zwingli']);
  await plant('', '');
});

test('serves an unbranded page and icon to every host', () => {
  const web = new URL('../../web/', import.meta.url);
  const shared = ['index.html', ...readdirSync(new URL('public/', web)).map((name) => `public/${name}`)];
  expect(
    shared.flatMap((file) => tracesIn(readFileSync(new URL(file, web), 'latin1')).map((trace) => `${file}: ${trace}`)),
  ).toEqual([]);
});
