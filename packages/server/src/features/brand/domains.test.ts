/** Claimed domains against the real server, PostgreSQL and a local DNS server: no name is used before its proof. */
import { domainsApi } from '@parapet/contract/domains.ts';
import { organisationsApi } from '@parapet/contract/organisations.ts';
import type { Updateable } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { type DnsServer, dnsServer } from '../../../test/dns-server.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { createResolver } from '../../core/dns.ts';
import { silentLog } from '../../core/log.ts';
import { createOutboxService } from '../outbox/outbox.service.ts';
import { createBrandService } from './brand.service.ts';
import { createDomainsService } from './domains.service.ts';

let dns: DnsServer;
let t: TestApp;
let host: TestUser;
let partner: number;
let partnerAdmin: TestUser;
let otherPartner: number;
let otherAdmin: TestUser;
let brand: ReturnType<typeof createBrandService>;
let domains: ReturnType<typeof createDomainsService>;

const claimed = 'soc.quay.example';
const branding = {
  partnerName: 'Quay',
  title: '',
  subDomain: 'quay',
  selfHostedDomain: claimed,
  description: '',
  contact: '',
  helpURL: '',
  accentLight: '',
  accentDark: '',
  mailSenderName: '',
  mailSenderAddress: '',
  mailFooter: '',
  pdfFooter: '',
};

beforeAll(async () => {
  dns = await dnsServer();
  t = await testApp({
    PUBLIC_URL: 'https://portal.watch.example',
    MAIL_FROM: 'post@watch.example',
    DNS_SERVERS: dns.address,
  });
  await t.organisation({ id: 1, isPartner: true, name: 'Watch' });
  host = await t.user({ organisationId: 1, role: 'Host' });
  const blobs = { put: async () => {}, get: async () => undefined, remove: async () => {} };
  brand = createBrandService({
    db: t.db,
    blobs,
    publicUrl: 'https://portal.watch.example',
    mailFrom: 'post@watch.example',
    demo: null,
    hasOwnSingleSignOn: false,
    allowsRegistration: false,
    hasCustomerSuccess: false,
    isUnderMaintenance: false,
    version: async () => 'dev',
  });
  domains = createDomainsService({
    db: t.db,
    clock: systemClock,
    resolver: createResolver({ servers: [dns.address], timeoutMs: 1_000 }),
    outbox: createOutboxService({ db: t.db, clock: systemClock, brand, keys: t.keys, smtpUrl: undefined, log: silentLog }),
    administratorsOf: async () => ['admin@quay.example'],
    consumeAttempt: async () => {},
    log: silentLog,
  });
});
afterAll(async () => {
  await t.close();
  await dns.close();
});

beforeEach(async () => {
  // Resets the claims between tests.
  await scoped(t.db, 'system', async (tx) => {
    await tx.deleteFrom('domains').execute();
    await tx.updateTable('brands').set({ self_hosted_domain: null, mail_sender_address: '' }).execute();
  });
  partner = await t.organisation({ isPartner: true, name: 'Quay' });
  otherPartner = await t.organisation({ isPartner: true, name: 'Ridge' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  otherAdmin = await t.user({ organisationId: otherPartner, role: 'Administrator' });
});

const save = (change: object = {}, user = partnerAdmin) =>
  t.call(
    organisationsApi.updateBranding,
    { params: { id: user.organisationId }, body: { ...branding, subDomain: `p${user.organisationId}`, ...change } },
    user,
  );
const listOf = async (user = partnerAdmin) =>
  (await t.call(domainsApi.list, { params: { id: user.organisationId } }, user)).json().results;
const check = (domain = claimed, user = partnerAdmin) =>
  t.call(domainsApi.check, { params: { id: user.organisationId }, body: { domain } }, user);
const publish = async (user = partnerAdmin, domain = claimed) => {
  const claim = (await listOf(user)).find((each: { domain: string }) => each.domain === domain);
  dns.set(claim.recordName, { txt: ['v=spf1 -all', claim.recordValue] });
};
const change = (set: Updateable<Tables['domains']>, organisationId = partner) =>
  scoped(t.db, 'system', (tx) => tx.updateTable('domains').set(set).where('organisation_id', '=', organisationId).execute());
const mailsOf = (organisationId: number) => scoped(t.db, 'system', (tx) => brand.ofMails(tx, organisationId));
const brandAt = async (name: string) =>
  (await t.application.app.inject({ url: '/api/v1/brand', headers: { host: name } })).json().name;
const actionsOf = async (organisationId = partner) =>
  (
    await scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('audit')
        .select('action')
        .where('organisation_id', '=', organisationId)
        .where('action', 'like', 'organisation.domain%')
        .orderBy('id')
        .execute(),
    )
  ).map(({ action }) => action);
const days = (count: number) => new Date(Date.now() + count * 86_400_000);

describe('claimed domain', () => {
  test('serves and links only after its proof', async () => {
    expect((await save()).statusCode).toBe(200);
    const bySubDomain = `https://p${partner}.portal.watch.example`;
    expect((await mailsOf(partner)).origin).toBe(bySubDomain);
    expect(await brandAt(claimed)).toBe('Parapet');
    expect(await brand.siteOf(claimed)).toEqual({ organisationId: undefined, origin: 'https://portal.watch.example' });
    expect((await listOf())[0]).toMatchObject({
      domain: claimed,
      uses: ['links'],
      state: 'unverified',
      isInUse: false,
      recordName: `_portal-challenge.${claimed}`,
      recordValue: expect.stringMatching(/^portal-verification=[\w-]{43}$/),
      checkedAt: null,
      error: '',
    });

    await publish();
    const [verified] = (await check()).json().results;
    expect(verified).toMatchObject({ state: 'verified', isInUse: true, error: '', verifiedAt: expect.any(String) });
    expect((await mailsOf(partner)).origin).toBe(`https://${claimed}`);
    expect(await brandAt(claimed)).toBe('Quay');
    expect(await actionsOf()).toEqual(['organisation.domainVerified']);
  });

  test('keeps one value for each organisation and domain across other changes', async () => {
    await save();
    await save({}, otherAdmin);
    const [mine] = await listOf();
    const [theirs] = await listOf(otherAdmin);
    expect(mine.recordValue).not.toBe(theirs.recordValue);
    await save({ title: 'Another title' });
    expect((await listOf())[0].recordValue).toBe(mine.recordValue);
    await save({ selfHostedDomain: 'other.quay.example' });
    await save();
    expect((await listOf())[0].recordValue).not.toBe(mine.recordValue);
  });

  test('reports the reason of a failed check', async () => {
    await save();
    dns.set(`_portal-challenge.${claimed}`, { txt: ['portal-verification=another'] });
    const [claim] = (await check()).json().results;
    expect(claim).toMatchObject({
      state: 'unverified',
      isInUse: false,
      checkedAt: expect.any(String),
      error: `A TXT record was found at _portal-challenge.${claimed}, but it does not have the expected value.`,
    });
  });

  test('hides from other organisations', async () => {
    await save();
    expect((await t.call(domainsApi.list, { params: { id: partner } }, otherAdmin)).statusCode).toBe(403);
    expect((await t.call(domainsApi.check, { params: { id: partner }, body: { domain: claimed } }, otherAdmin)).statusCode).toBe(
      403,
    );
    expect((await check('not.claimed.example')).statusCode).toBe(404);
  });

  test('allows 20 checks on demand in ten minutes', async () => {
    await save();
    for (let n = 0; n < 20; n++) expect((await check()).statusCode).toBe(200);
    expect((await check()).statusCode).toBe(429);
  });
});

describe('two partners with the same claim', () => {
  test('give the domain to the first proof and report that to the other', async () => {
    expect((await save()).statusCode).toBe(200);
    expect((await save({}, otherAdmin)).statusCode).toBe(200);
    await publish(otherAdmin);
    expect((await check(claimed, otherAdmin)).json().results[0].state).toBe('verified');
    await publish();
    expect((await check()).json().results[0]).toMatchObject({
      state: 'unverified',
      error: `Another organisation has verified ${claimed}.`,
    });
    expect(await brandAt(claimed)).toBe('Quay');
    expect((await mailsOf(otherPartner)).origin).toBe(`https://${claimed}`);
    expect((await mailsOf(partner)).origin).not.toContain(claimed);
    await save({ selfHostedDomain: '' });
    expect((await save()).json().error).toMatch(/soc\.quay\.example is already taken/);
  });

  test('give it to exactly one on concurrent proof', async () => {
    await save();
    await save({}, otherAdmin);
    const values = [(await listOf())[0].recordValue, (await listOf(otherAdmin))[0].recordValue];
    dns.set(`_portal-challenge.${claimed}`, { txt: values });
    const answers = await Promise.all([check(), check(claimed, otherAdmin)]);
    expect(answers.map((answer) => answer.statusCode)).toEqual([200, 200]);
    expect(answers.map((answer) => answer.json().results[0].state).sort()).toEqual(['unverified', 'verified']);
  });

  test('violate a constraint when both are verified', async () => {
    await save();
    await save({}, otherAdmin);
    await change({ verified_at: new Date() });
    await expect(change({ verified_at: new Date() }, otherPartner)).rejects.toThrow(/domains_verified_once/);
  });
});

describe('sender of emails', () => {
  test('stays the portal until the address’s domain is proven', async () => {
    await save({ selfHostedDomain: '', mailSenderAddress: 'soc@quay.example' });
    expect((await mailsOf(partner)).senderAddress).toBe('post@watch.example');
    expect((await listOf())[0]).toMatchObject({ domain: 'quay.example', uses: ['mail'], state: 'unverified' });
    await publish(partnerAdmin, 'quay.example');
    await check('quay.example');
    expect((await mailsOf(partner)).senderAddress).toBe('soc@quay.example');
  });

  test('excludes an unproven address of the organisation', async () => {
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('organisations').set({ email_address: 'ceo@bank.example' }).where('id', '=', partner).execute(),
    );
    expect((await mailsOf(partner)).senderAddress).toBe('post@watch.example');
  });

  test.each([
    ['soc@watch.example', /belongs to the portal/],
    ['soc@portal.watch.example', /belongs to the portal/],
    ['soc@co.uk', /is a public suffix/],
  ])('rejects %s', async (mailSenderAddress, text) => {
    const answer = await save({ mailSenderAddress });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().errors.mailSenderAddress[0]).toMatch(text);
  });

  test('rejects a domain that another organisation has verified', async () => {
    await save({ selfHostedDomain: 'ridge.example' }, otherAdmin);
    await change({ verified_at: new Date() }, otherPartner);
    expect((await save({ mailSenderAddress: 'soc@ridge.example' })).statusCode).toBe(409);
    expect((await save({ selfHostedDomain: 'ridge.example' })).statusCode).toBe(409);
  });
});

describe('daily check', () => {
  test('gives a verified domain seven days, then uses the sub-domain', async () => {
    await save();
    await publish();
    await check();
    dns.set(`_portal-challenge.${claimed}`, { rcode: 3 });
    await change({ checked_at: days(-1) });
    await domains.checkDue();
    const [failing] = await listOf();
    expect(failing).toMatchObject({
      state: 'failing',
      isInUse: true,
      error: `No TXT record was found at _portal-challenge.${claimed}.`,
    });
    expect(Date.parse(failing.endsAt) - Date.parse(failing.failingSince)).toBe(7 * 86_400_000);
    expect((await mailsOf(partner)).origin).toBe(`https://${claimed}`);

    // Depends on time alone, even if the check does not run.
    await change({ failing_since: days(-7), checked_at: days(-1) });
    expect((await mailsOf(partner)).origin).not.toContain(claimed);
    expect(await brandAt(claimed)).toBe('Parapet');
    expect((await listOf())[0].state).toBe('unverified');
    await domains.checkDue();
    expect((await listOf())[0]).toMatchObject({ state: 'unverified', verifiedAt: null });
    expect(await actionsOf()).toEqual(['organisation.domainVerified', 'organisation.domainFailing', 'organisation.domainLapsed']);
  });

  test('ends the failure when the record is back', async () => {
    await save();
    await publish();
    await change({ verified_at: days(-3), failing_since: days(-2), checked_at: days(-1) });
    await domains.checkDue();
    expect((await listOf())[0]).toMatchObject({ state: 'verified', failingSince: null });
  });

  test('emails the administrators once about an approaching end', async () => {
    await save();
    await change({ accepted_until: days(30) });
    expect((await listOf())[0]).toMatchObject({ state: 'accepted', isInUse: true, endsAt: expect.any(String) });
    expect((await mailsOf(partner)).origin).toBe(`https://${claimed}`);
    await domains.checkDue();
    await domains.checkDue();
    const mails = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('mails').selectAll().where('organisation_id', '=', partner).where('kind', '=', 'domain.unproven').execute(),
    );
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatchObject({ to_addresses: ['admin@quay.example'] });
    expect(mails[0]?.text).toContain(`_portal-challenge.${claimed}`);
    await change({ accepted_until: days(0) });
    expect((await mailsOf(partner)).origin).not.toContain(claimed);
    expect((await listOf())[0].state).toBe('unverified');
  });

  test('skips domains checked within the day', async () => {
    await save();
    await publish();
    await change({ checked_at: new Date() });
    await domains.checkDue();
    expect((await listOf())[0].state).toBe('unverified');
  });

  test('gives a name in its notice period to the first proof', async () => {
    await save();
    await change({ accepted_until: days(30) });
    await save({}, otherAdmin);
    await publish(otherAdmin);
    await check(claimed, otherAdmin);
    expect((await mailsOf(partner)).origin).not.toContain(claimed);
    expect((await mailsOf(otherPartner)).origin).toBe(`https://${claimed}`);
  });
});

describe('Host', () => {
  const vouch = (isVouched: boolean, user = host, id = partner) =>
    t.call(domainsApi.vouch, { params: { id }, body: { domain: claimed, isVouched } }, user);

  test('vouches for a domain and withdraws it', async () => {
    await save();
    expect((await vouch(true)).json().results[0]).toMatchObject({ state: 'vouched', isInUse: true });
    // A failed check does not end it.
    dns.set(`_portal-challenge.${claimed}`, { rcode: 3 });
    expect((await check()).json().results[0]).toMatchObject({ state: 'vouched', isInUse: true });
    await change({ checked_at: days(-2) });
    await domains.checkDue();
    expect((await mailsOf(partner)).origin).toBe(`https://${claimed}`);
    expect((await vouch(false)).json().results[0]).toMatchObject({ state: 'unverified', isInUse: false });
    expect(await actionsOf()).toEqual(['organisation.domainVouched', 'organisation.domainVouchWithdrawn']);
  });

  test('alone may vouch, except for domains that another has verified', async () => {
    await save();
    expect((await vouch(true, partnerAdmin)).statusCode).toBe(403);
    expect((await vouch(true, await t.user({ organisationId: partner, role: 'Host' }))).statusCode).toBe(403);
    await save({}, otherAdmin);
    await change({ verified_at: new Date() }, otherPartner);
    expect((await vouch(true)).statusCode).toBe(409);
    expect((await vouch(false)).statusCode).toBe(409);
  });
});
