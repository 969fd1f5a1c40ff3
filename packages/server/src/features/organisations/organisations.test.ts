/** Client details, their tabs and the partner’s contact. */

import type { Endpoint } from '@parapet/contract/endpoint.ts';
import { type ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { proveDomain } from '../../../test/domains.ts';
import { scoped } from '../../core/db/scope.ts';
import { findIdentityProvider, findOrganisation, listContacts, listEscalation } from './organisations.store.ts';

const t = useTestApp({ PUBLIC_URL: 'https://portal.watch.example' });
let partner: number;
let otherPartner: number;
let client: number;
let sibling: number;
let foreign: number;
let clientAdmin: TestUser;
let analyst: TestUser;
let partnerAdmin: TestUser;
let partnerAnalyst: TestUser;
let otherAdmin: TestUser;

beforeAll(async () => {
  await t.organisation({ id: 1, isPartner: true, name: 'Watch' });
  partner = await t.organisation({ isPartner: true, parentId: 1, name: 'Quay' });
  otherPartner = await t.organisation({ isPartner: true, parentId: 1, name: 'Ridge' });
  client = await t.organisation({ parentId: partner, name: 'Elm' });
  sibling = await t.organisation({ parentId: partner, name: 'Fir' });
  foreign = await t.organisation({ parentId: otherPartner, name: 'Oak' });
  clientAdmin = await t.user({ organisationId: client, role: 'Administrator' });
  analyst = await t.user({ organisationId: client, role: 'Analyst' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  partnerAnalyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  otherAdmin = await t.user({ organisationId: otherPartner, role: 'Administrator' });
  await scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('brands')
      .values([
        { organisation_id: partner, sub_domain: 'quay', name: 'Quay Security' },
        { organisation_id: otherPartner, sub_domain: 'ridge', name: 'Ridge', self_hosted_domain: 'soc.ridge.example' },
      ])
      .execute(),
  );
  await proveDomain(t.db, otherPartner, 'soc.ridge.example');
  await scoped(t.db, 'system', (tx) =>
    tx
      .updateTable('organisations')
      .set({ subscription_level_id: general.subscriptionLevelID })
      .where('id', '=', client)
      .execute(),
  );
});

const detailsOf = async (user: TestUser, id: number): Promise<ClientDetails> => {
  const answer = await t.call(organisationsApi.details, { params: { id } }, user);
  expect(answer.statusCode).toBe(200);
  return answer.json();
};
const put = (endpoint: Endpoint, id: number, body: object, user: TestUser) =>
  t.call(endpoint, { params: { id }, body } as never, user);
const auditOf = (organisationId: number, action: string) =>
  scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('audit')
      .selectAll()
      .where('organisation_id', '=', organisationId)
      .where('action', '=', action)
      .orderBy('id')
      .execute(),
  );
const deniedBy = (user: TestUser) =>
  scoped(t.db, 'system', (tx) =>
    tx.selectFrom('audit').select('id').where('actor_user_id', '=', user.id).where('action', '=', 'call.denied').execute(),
  );

const general = {
  name: 'Elm Works',
  phoneNumber: '+1 202 555 0111',
  emailAddress: 'it@elm.example',
  websiteURL: 'https://elm.example',
  industry: 'Manufacturing',
  addressData: { street: '1 Elm Street', suite: '', city: 'Elmira', state: 'NY', zipCode: '14901' },
  subscriptionLevelID: 2,
};
const contact = { name: 'Ann', title: 'CIO', phoneNumber: '1', emailAddress: '', hours: '' };
const address = (id: number, emailAddress: string, emailType: 'to' | 'cc' = 'to') => ({ id, emailType, emailAddress });
const policy = { isMfaCompulsory: true, allowsFirstMatchByEmail: false, singleSignOn: null };
const provider = { issuer: 'https://login.quay.example/v2', clientId: 'portal', clientSecret: 'first secret' };

const tabs: [string, Endpoint, object][] = [
  ['general', organisationsApi.updateGeneral, general],
  ['contacts', organisationsApi.updateContacts, { emergencyContacts: [contact] }],
  ['escalation', organisationsApi.updateEscalation, { escalationEmailAddresses: [address(0, 'soc@elm.example')] }],
  ['playbook', organisationsApi.updatePlaybook, { generalAlertNotes: 'a', alertPlaybookData: 'b', alertTypes: ['Malware'] }],
  ['signInPolicy', organisationsApi.updateSignInPolicy, policy],
  ['retention', organisationsApi.updateRetention, { alertRetentionMonths: 6 }],
];

describe.each(tabs)('tab %s', (tab, endpoint, body) => {
  test('accepts changes by the client’s and the partner’s administrator, audited', async () => {
    for (const user of [clientAdmin, partnerAdmin]) {
      const answer = await put(endpoint, client, body, user);
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toMatchObject({ id: client, can: { edit: true, move: false } });
    }
    const saved = (await detailsOf(clientAdmin, client))[tab as 'general'];
    expect(JSON.stringify(saved).replace(/"id":\d+/, '"id":0')).toBe(JSON.stringify(body));
    const rows = await auditOf(client, `organisation.${tab}Updated`);
    expect(rows.map((row) => row.actor_user_id)).toEqual([clientAdmin.id, partnerAdmin.id]);
    expect(Object.keys(rows[0]?.after as object).length).toBeGreaterThan(0);
  });

  test('refuses anonymous callers, other roles, other tenants, siblings and 0', async () => {
    const before = await detailsOf(partnerAdmin, sibling);
    expect((await t.call(endpoint, { params: { id: client }, body } as never)).statusCode).toBe(401);
    const tries: [TestUser, number, number][] = [
      [analyst, client, 403],
      [partnerAnalyst, client, 403],
      [otherAdmin, client, 403],
      [clientAdmin, sibling, 403],
      [clientAdmin, partner, 403],
      [partnerAdmin, foreign, 403],
      [partnerAdmin, 1, 403],
      [partnerAdmin, 999_999, 403],
      [partnerAdmin, 0, 400],
    ];
    for (const [user, id, status] of tries) {
      const denied = (await deniedBy(user)).length;
      expect((await put(endpoint, id, body, user)).statusCode).toBe(status);
      expect((await deniedBy(user)).length - denied).toBe(status === 403 ? 1 : 0);
    }
    expect(await detailsOf(partnerAdmin, sibling)).toEqual(before);
  });
});

describe('details', () => {
  test('show every user of the organisation all but the sign-in policy, which needs write access', async () => {
    expect(await detailsOf(clientAdmin, client)).toMatchObject({
      isPartner: false,
      partnerClientOrgID: partner,
      partnerName: 'Quay Security',
      userCount: 2,
      clientCount: 0,
      branding: null,
      signInPolicy: { singleSignOn: null },
      retentionDefaults: { alertRetentionMonths: 13 },
      can: { edit: true, editPolicy: true, move: false, deactivate: false },
    });
    expect(await detailsOf(analyst, client)).toMatchObject({
      signInPolicy: null,
      can: { edit: false, editPolicy: false, move: false, deactivate: false },
    });
    expect(await detailsOf(partnerAdmin, client)).toMatchObject({ can: { edit: true, move: false, deactivate: true } });
    expect(await detailsOf(partnerAdmin, partner)).toMatchObject({
      partnerName: 'Quay Security',
      clientCount: 2,
      branding: { subDomain: 'quay' },
      can: { edit: true, deactivate: false },
    });
  });

  test('refuse anonymous, foreign and sibling callers', async () => {
    expect((await t.call(organisationsApi.details, { params: { id: client } })).statusCode).toBe(401);
    for (const [user, id, status] of [
      [otherAdmin, client, 403],
      [clientAdmin, sibling, 403],
      [clientAdmin, partner, 403],
      [partnerAdmin, 0, 400],
    ] as const)
      expect((await t.call(organisationsApi.details, { params: { id } }, user)).statusCode).toBe(status);
  });

  test('return the partner’s contact and brand, and a partner’s own', async () => {
    await put(
      organisationsApi.updateGeneral,
      partner,
      { ...general, name: 'Quay Ltd', websiteURL: 'https://quay.example' },
      partnerAdmin,
    );
    for (const [user, id] of [
      [analyst, client],
      [partnerAdmin, client],
      [partnerAdmin, partner],
    ] as const) {
      const answer = await t.call(organisationsApi.partner, { params: { id } }, user);
      expect(answer.json()).toMatchObject({
        clientOrganizationID: partner,
        partnerName: 'Quay Security',
        phoneNumber: general.phoneNumber,
        websiteURL: 'https://quay.example',
        selfHostedDomain: '',
        domain: 'quay.portal.watch.example',
        addressData: { city: 'Elmira' },
      });
    }
    expect((await t.call(organisationsApi.partner, { params: { id: foreign } }, otherAdmin)).json().domain).toBe(
      'soc.ridge.example',
    );
    expect((await t.call(organisationsApi.partner, { params: { id: foreign } }, analyst)).statusCode).toBe(403);
  });
});

test('let only the partner set the service level', async () => {
  const { general: before } = await detailsOf(clientAdmin, client);
  const raised = { ...before, subscriptionLevelID: 3 };
  expect((await put(organisationsApi.updateGeneral, client, raised, clientAdmin)).statusCode).toBe(403);
  expect((await detailsOf(clientAdmin, client)).general).toEqual(before);
  for (const body of [raised, before])
    expect((await put(organisationsApi.updateGeneral, client, body, partnerAdmin)).json().general).toEqual(body);
});

describe('tab validation', () => {
  test('refuses multi-line names, unknown alert types and wrong levels at the field', async () => {
    for (const [endpoint, body, field] of [
      [organisationsApi.updateGeneral, { ...general, name: 'Elm\r\nBcc: x@evil.example' }, 'name'],
      [organisationsApi.updateGeneral, { ...general, websiteURL: 'javascript:alert(1)' }, 'websiteURL'],
      [organisationsApi.updateGeneral, { ...general, emailAddress: 'invalid' }, 'emailAddress'],
      [organisationsApi.updateGeneral, { ...general, subscriptionLevelID: 9 }, 'subscriptionLevelID'],
      [
        organisationsApi.updatePlaybook,
        { generalAlertNotes: '', alertPlaybookData: '', alertTypes: ['Nothing'] },
        'alertTypes.0',
      ],
    ] as [Endpoint, object, string][]) {
      const answer = await put(endpoint, client, body, clientAdmin);
      expect(answer.statusCode).toBe(400);
      expect(Object.keys(answer.json().errors)).toEqual([field]);
    }
  });

  test('ignores unknown fields', async () => {
    const before = await detailsOf(clientAdmin, client);
    const extra = {
      id: sibling,
      is_partner: true,
      isPartner: true,
      parent_id: 1,
      partnerClientOrgID: 1,
      deactivated_at: '2020-01-01',
    };
    await put(organisationsApi.updateGeneral, client, { ...before.general, ...extra }, clientAdmin);
    expect(await detailsOf(clientAdmin, client)).toEqual(before);
  });
});

test('keep the order of emergency contacts', async () => {
  const names = ['Zoe', 'Ann', 'Mia'];
  await put(
    organisationsApi.updateContacts,
    client,
    { emergencyContacts: names.map((name) => ({ ...contact, name })) },
    clientAdmin,
  );
  await put(organisationsApi.updateContacts, sibling, { emergencyContacts: [] }, partnerAdmin);
  expect((await detailsOf(analyst, client)).contacts.emergencyContacts.map(({ name }) => name)).toEqual(names);
});

describe('escalation addresses', () => {
  const saved = async (addresses: object[]) => {
    const answer = await put(organisationsApi.updateEscalation, client, { escalationEmailAddresses: addresses }, clientAdmin);
    return answer;
  };
  const listOf = async () => (await detailsOf(clientAdmin, client)).escalation.escalationEmailAddresses;

  test('keep their ids when swapped; omitted ones are removed', async () => {
    await saved([address(0, 'one@elm.example'), address(0, 'two@elm.example'), address(0, 'one@elm.example', 'cc')]);
    const [one, two, three] = await listOf();
    await saved([address(one?.id ?? 0, 'two@elm.example'), address(two?.id ?? 0, 'one@elm.example')]);
    expect(await listOf()).toEqual([address(one?.id ?? 0, 'two@elm.example'), address(two?.id ?? 0, 'one@elm.example')]);
    expect((await saved([address(three?.id ?? 0, 'three@elm.example')])).statusCode).toBe(404);
  });

  test('reject foreign and repeated ids as a whole', async () => {
    await put(
      organisationsApi.updateEscalation,
      sibling,
      { escalationEmailAddresses: [address(0, 'soc@fir.example')] },
      partnerAdmin,
    );
    const [theirs] = (await detailsOf(partnerAdmin, sibling)).escalation.escalationEmailAddresses;
    const before = await listOf();
    const own = before[0]?.id ?? 0;
    for (const user of [clientAdmin, partnerAdmin]) {
      const answer = await put(
        organisationsApi.updateEscalation,
        client,
        { escalationEmailAddresses: [address(own, 'new@elm.example'), address(theirs?.id ?? 0, 'stolen@elm.example')] },
        user,
      );
      expect(answer.statusCode).toBe(404);
    }
    expect((await saved([address(own, 'a@elm.example'), address(own, 'b@elm.example')])).statusCode).toBe(404);
    const twice = await saved([address(own, 'a@elm.example'), address(0, 'A@ELM.example')]);
    expect(twice.json().errors).toEqual({ 'escalationEmailAddresses.1.emailAddress': ['A@ELM.example is listed twice.'] });
    expect(await listOf()).toEqual(before);
    expect((await detailsOf(partnerAdmin, sibling)).escalation.escalationEmailAddresses).toEqual([theirs]);
  });

  test('stay consistent under concurrent saves', async () => {
    await saved([address(0, 'one@elm.example')]);
    const list = await listOf();
    const answers = await Promise.all(Array.from({ length: 6 }, () => saved(list)));
    expect(answers.map((answer) => answer.statusCode)).toEqual(answers.map(() => 200));
    expect(await listOf()).toEqual(list);
  });
});

test('limit alert retention to the portal’s, which null selects', async () => {
  const save = (alertRetentionMonths: number | null) =>
    put(organisationsApi.updateRetention, client, { alertRetentionMonths }, clientAdmin);
  expect(Object.keys((await save(14)).json().errors)).toEqual(['alertRetentionMonths']);
  expect((await save(0)).statusCode).toBe(400);
  expect((await save(13)).json().retention).toEqual({ alertRetentionMonths: 13 });
  expect((await save(null)).json().retention).toEqual({ alertRetentionMonths: null });
});

test('stay protected by row-level security when a store omits its scope', async () => {
  await put(organisationsApi.updateContacts, client, { emergencyContacts: [contact] }, clientAdmin);
  await put(organisationsApi.updateSignInPolicy, partner, { ...policy, singleSignOn: provider }, partnerAdmin);
  // The argument spans everything, the transaction only another partner’s organisations.
  const seen = (organisationIds: number[]) =>
    scoped(t.db, { organisationIds }, async (tx) => [
      await findOrganisation(tx, 'system', client),
      ...(await listContacts(tx, 'system', client)),
      ...(await listEscalation(tx, 'system', client)),
      await findIdentityProvider(tx, 'system', partner),
    ]);
  expect(await seen([otherPartner, foreign])).toEqual([undefined, undefined]);
  expect((await seen([partner, client])).filter(Boolean).length).toBeGreaterThan(2);
});
