import { type NewClient, onboardingApi } from '@parapet/contract/onboarding.ts';
import { organisationsApi } from '@parapet/contract/organisations.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp, waitingMails } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';

const t = useTestApp({ ...waitingMails, PUBLIC_URL: 'https://portal.example' });
let partner: number;
let otherPartner: number;
let admin: TestUser;
beforeAll(async () => {
  await t.organisation({ isPartner: true, id: 1 });
  partner = await t.organisation({ isPartner: true, name: 'Reef Security' });
  otherPartner = await t.organisation({ isPartner: true });
  admin = await t.user({ organisationId: partner, role: 'Administrator' });
});

const general = {
  name: 'Coral Foods',
  phoneNumber: '',
  emailAddress: '',
  websiteURL: '',
  industry: 'Food',
  addressData: { street: '', suite: '', city: '', state: '', zipCode: '' },
  subscriptionLevelID: 2,
};
const client = (name: string, more: Partial<NewClient> = {}): NewClient => ({
  general: { ...general, name },
  contact: null,
  escalationEmailAddresses: [],
  administrator: null,
  ...more,
});
const create = (clients: NewClient[], user = admin, partnerClientOrgID = partner) =>
  t.call(onboardingApi.create, { body: { partnerClientOrgID, clients } }, user);
const preview = async (lines: string[]) => {
  const answer = await t.call(onboardingApi.preview, { body: { partnerClientOrgID: partner, csv: lines.join('\n') } }, admin);
  return { statusCode: answer.statusCode, ...answer.json() };
};
const namesBelow = () =>
  scoped(t.db, 'system', async (tx) =>
    (await tx.selectFrom('organisations').select('name').where('parent_id', '=', partner).execute())
      .map(({ name }) => name)
      .sort(),
  );

describe('creation', () => {
  test('makes the client, its contacts and its administrator, and welcomes them in the partner’s brand', async () => {
    const answer = await create([
      client('Coral Foods', {
        contact: { name: 'Kim Reed', title: 'IT', phoneNumber: '+1 555 0100', emailAddress: '', hours: '' },
        escalationEmailAddresses: ['soc@coral.example', 'SOC@coral.example'],
        administrator: { firstName: 'Ana', lastName: 'Diaz', emailAddress: 'ana@coral.example' },
      }),
    ]);
    expect(answer.statusCode).toBe(200);
    const { clients, invited, isSending } = answer.json();
    expect([clients, invited, isSending]).toEqual([[{ id: expect.any(Number), name: 'Coral Foods' }], 1, true]);
    const { id } = clients[0];
    const details = (await t.call(organisationsApi.details, { params: { id } }, admin)).json();
    expect(details).toMatchObject({
      partnerClientOrgID: partner,
      userCount: 1,
      general: { industry: 'Food', subscriptionLevelID: 2 },
      contacts: { emergencyContacts: [{ name: 'Kim Reed' }] },
      escalation: { escalationEmailAddresses: [{ emailType: 'to', emailAddress: 'soc@coral.example' }] },
    });
    const [mail, ...more] = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('mails').select(['to_addresses', 'kind', 'subject', 'text']).where('organisation_id', '=', id).execute(),
    );
    expect(more).toEqual([]);
    expect(mail).toMatchObject({
      to_addresses: ['ana@coral.example'],
      kind: 'client.welcome',
      subject: 'Welcome to Reef Security',
    });
    expect(mail?.text).toContain('Reef Security monitors Coral Foods');
    expect(mail?.text).not.toMatch(/parapet/i);
    const actions = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('audit').select(['action', 'actor_user_id']).where('organisation_id', '=', id).orderBy('id').execute(),
    );
    expect(actions.map(({ action }) => action)).toEqual([
      'organisation.created',
      'organisation.contactsUpdated',
      'organisation.escalationUpdated',
      'user.created',
    ]);
    expect(new Set(actions.map((row) => row.actor_user_id))).toEqual(new Set([admin.id]));
  });

  test('makes none of many when one fails', async () => {
    const before = await namesBelow();
    const answer = await create([
      client('First'),
      client('Second', { administrator: { firstName: 'A', lastName: 'B', emailAddress: admin.email.toUpperCase() } }),
    ]);
    expect([answer.statusCode, Object.keys(answer.json().errors)]).toEqual([400, ['clients.1.administrator.emailAddress']]);
    expect(await namesBelow()).toEqual(before);
  });

  test('needs an administrator of the partner', async () => {
    const analyst = await t.user({ organisationId: partner, role: 'Analyst' });
    const own = await t.organisation({ parentId: partner });
    const clientAdmin = await t.user({ organisationId: own, role: 'Administrator' });
    expect((await create([client('X')], analyst)).statusCode).toBe(403);
    expect((await create([client('X')], clientAdmin, own)).statusCode).toBe(403);
    expect((await create([client('X')], admin, otherPartner)).statusCode).toBe(403);
    expect((await create([client('X')], admin, own)).statusCode).toBe(400);
    const body = { partnerClientOrgID: otherPartner, csv: 'Name\nX' };
    expect((await t.call(onboardingApi.preview, { body }, admin)).statusCode).toBe(403);
  });
});

describe('preview', () => {
  test('reads what creation takes, and stores nothing', async () => {
    const before = await namesBelow();
    const { rows, ignoredColumns } = await preview([
      'Name;subscription LEVEL;Escalation emails;Administrator email;Administrator first name;Administrator last name;Notes',
      'Anemone Labs;Respond 24x7;a@anemone.example, b@anemone.example;eve@anemone.example;Eve;Ray;x',
    ]);
    expect(ignoredColumns).toEqual(['Notes']);
    expect(rows).toMatchObject([{ line: 2, name: 'Anemone Labs', errors: [], warnings: [] }]);
    expect(await namesBelow()).toEqual(before);
    expect((await create(rows.map((row: { client: NewClient }) => row.client))).statusCode).toBe(200);
    expect(await namesBelow()).toEqual([...before, 'Anemone Labs'].sort());
  });

  test('names the column of each error, and repeated names and addresses', async () => {
    const { rows } = await preview([
      'Name,Subscription level,Website,Administrator email,Administrator first name,Administrator last name',
      `Coral Foods,,,${admin.email},Ana,Diaz`,
      ',Gold,coral,no address,,',
      'Kelp,,,kay@kelp.example,Kay,Low',
      'kelp,,,KAY@kelp.example,Kay,Low',
      'Wide,1,,,,,,,',
    ]);
    expect(rows.map((row: { errors: string[] }) => row.errors.map((error) => error.split(':')[0]))).toEqual([
      ['Administrator email'],
      ['Subscription level', 'Name', 'Website', 'Administrator first name', 'Administrator last name', 'Administrator email'],
      [],
      ['Administrator email'],
      ['The row has 9 cells, but the header names 6 columns.'],
    ]);
    expect(rows.map((row: { client: unknown }) => row.client !== null)).toEqual([false, false, true, false, false]);
    expect(rows[0].warnings).toEqual(['A client of this name exists already.']);
    expect(rows[3].warnings).toEqual(['Line 4 has the same name.']);
  });

  test('refuses files that are no list of clients', async () => {
    const texts: string[] = [];
    for (const lines of [[''], ['Client,Email', 'X,y'], ['Name,name', 'X,Y'], ['Name'], ['Name', ...Array(201).fill('X')]]) {
      const { statusCode, errors } = await preview(lines);
      expect(statusCode).toBe(400);
      texts.push(errors.csv[0]);
    }
    expect(new Set(texts).size).toBe(5);
  });

  test('takes hostile cells as text', async () => {
    const { rows } = await preview(['Name', '"<img src=x onerror=alert(1)>"', '=HYPERLINK("x")', '"a\nb"']);
    expect(rows.map((row: { name: string }) => row.name)).toEqual(['<img src=x onerror=alert(1)>', '=HYPERLINK("x")', 'a\nb']);
    const answer = await create([rows[2].client]);
    expect(answer.statusCode).toBe(400);
  });
});
