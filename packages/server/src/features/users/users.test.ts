import type { InputOf } from '@parapet/contract/endpoint.ts';
import { deactivatedAccountText, hostRoleText, usersApi } from '@parapet/contract/users.ts';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { mailsTo, passwordHash } from '../../../test/accounts.ts';
import type { TestUser } from '../../../test/app.ts';
import { sealedLink } from '../../../test/keys.ts';
import { password, usersWorld } from '../../../test/users.fixture.ts';
import { scoped } from '../../core/db/scope.ts';

const { t, partner, host, otherClient, aClient, get, stored, mails, actionsOn, isSignedIn, setUser, ageSession } =
  await usersWorld();
let client: number;
let admin: TestUser;
let partnerAdmin: TestUser;
beforeEach(async () => {
  ({ client, admin, partnerAdmin } = await aClient());
});
afterAll(() => t.close());

let number = 0;
const newAddress = () => `person${++number}@acme.example`;
type CreateBody = NonNullable<InputOf<typeof usersApi.create>['body']>;
const form = (fields: Partial<CreateBody> = {}): CreateBody => ({
  firstName: 'Ada',
  lastName: 'Byron',
  emailAddress: newAddress(),
  UserRoleID: 5,
  clientOrganizationID: client,
  password,
  confirmPassword: password,
  ...fields,
});
const create = (body: CreateBody, user = admin) => t.call(usersApi.create, { body }, user);
const change = (id: number, body: Partial<NonNullable<InputOf<typeof usersApi.update>['body']>>, user = admin) =>
  t.call(usersApi.update, { params: { id }, body: { clientOrganizationID: client, ...body } }, user);
const remove = (id: number, user = admin) => t.call(usersApi.remove, { params: { id } }, user);
const liveLinks = (id: number) =>
  scoped(t.db, 'system', (tx) =>
    tx.selectFrom('one_time_links').where('user_id', '=', id).where('used_at', 'is', null).select('kind').execute(),
  );

describe('create', () => {
  test('creates a user with a password and no extra rights', async () => {
    const body = { ...form({ phoneNumber: '+49 30 123' }), isPartner: true, role: 'Host', is_mfa_set: true, currentUserID: 1 };
    const answer = await create(body as CreateBody);
    expect(answer.json()).toEqual({ id: expect.any(Number), clientOrganizationID: client, deactivatedUserID: null });
    const { id } = answer.json();
    const row = await stored(id);
    expect(row).toMatchObject({ organisation_id: client, role: 'Analyst', is_mfa_set: false, phone_number: '+49 30 123' });
    expect(row.password_hash).toMatch(/^\$argon2id\$/);
    expect((await get(id, admin)).json()).toMatchObject({
      emailAddress: body.emailAddress,
      currentUserRoleID: 5,
      isInvited: false,
      clientOrganizationName: 'Ackermann Tools',
      can: { edit: true, changePassword: false, delete: true, seeResetMfa: false, reactivate: false },
    });
    const [entry] = await actionsOn(id);
    expect(entry).toMatchObject({ action: 'user.created', by: admin.id });
    expect(JSON.stringify(entry)).not.toMatch(/argon2|Otter/);
    expect(answer.body).not.toContain('Otter');
  });

  test('creates an invited user and stores only the hash of the link', async () => {
    const body = form({ sendInvitation: true, password: undefined, confirmPassword: undefined });
    const { id } = (await create(body)).json();
    expect(await stored(id)).toMatchObject({ password_hash: null });
    expect((await get(id, admin)).json().isInvited).toBe(true);
    const [mail] = await mails(body.emailAddress);
    expect(mail?.kind).toBe('user.invited');
    expect(mail?.text).toMatch(sealedLink);
    expect(await liveLinks(id)).toEqual([{ kind: 'invitation' }]);
  });

  test.each(['Short-1a', 'no-upper-case-1', 'NoDigitsAtAll!!', 'Password-12345', 'Harbour-Cyber-2026!', 'AckermannTools1!'])(
    'refuses simple, common and name-based passwords: %s',
    async (word) => {
      const answer = await create(form({ password: word, confirmPassword: word }));
      expect(answer.statusCode).toBe(400);
      expect(answer.json().errors.password[0]).toMatch(/^The password you provided does not meet our complexity requirements/);
    },
  );

  test('validates like the form', async () => {
    const { errors } = (await create(form({ emailAddress: 'ada@', firstName: ' ', confirmPassword: 'other' }))).json();
    expect(errors.emailAddress).toEqual(['Please provide a valid email address for this user']);
    expect(Object.keys(errors)).toContain('firstName');
  });

  test('refuses the role Host, and Partner Analyst at a client', async () => {
    for (const user of [admin, partnerAdmin, host]) {
      const answer = await create(form({ UserRoleID: 1, clientOrganizationID: user === host ? partner : client }), user);
      expect([answer.statusCode, answer.json().error]).toEqual([403, hostRoleText]);
    }
    const unfit = await create(form({ UserRoleID: 4 }), partnerAdmin);
    expect([unfit.statusCode, Object.keys(unfit.json().errors)]).toEqual([400, ['UserRoleID']]);
    expect((await create(form({ UserRoleID: 99 }))).statusCode).toBe(400);
    expect((await create(form({ UserRoleID: 4, clientOrganizationID: partner }), partnerAdmin)).statusCode).toBe(200);
  });

  test('discloses a deactivated account within scope only', async () => {
    const [mine, foreign, living] = [newAddress(), newAddress(), newAddress()];
    const { id } = (await create(form({ emailAddress: mine }))).json();
    await remove(id);
    const foreignUser = await t.user({ organisationId: otherClient, role: 'Analyst' });
    await setUser(foreignUser.id, { email: foreign, is_deleted: true });
    await setUser((await t.user({ organisationId: otherClient, role: 'Analyst' })).id, { email: living });

    expect((await create(form({ emailAddress: mine.toUpperCase() }))).json()).toEqual({
      id: 0,
      clientOrganizationID: -1,
      deactivatedUserID: id,
    });
    const answers = [await create(form({ emailAddress: foreign })), await create(form({ emailAddress: living }))];
    for (const answer of answers) expect(answer.statusCode).toBe(409);
    expect(new Set(answers.map((answer) => answer.json().error)).size).toBe(1);
    for (const answer of answers) expect(Object.keys(answer.json()).sort()).toEqual(['code', 'error', 'requestId']);
    expect(answers[0]?.json().error).not.toMatch(/\d/);
  });

  test('creates one of two concurrent users with the same address', async () => {
    const emailAddress = newAddress();
    const answers = await Promise.all([create(form({ emailAddress })), create(form({ emailAddress }), partnerAdmin)]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
  });
});

describe('update', () => {
  let person: TestUser;
  beforeEach(async () => {
    person = await t.user({ organisationId: client, role: 'Analyst' });
  });

  test('changes the given fields only and audits before and after', async () => {
    const answer = await change(person.id, { firstName: 'Grace', phoneNumber: '123', currentUserRoleID: 3 });
    expect(answer.json()).toMatchObject({
      firstName: 'Grace',
      lastName: 'Analyst',
      roleName: 'Manager',
      phoneNumber: '123',
      emailAddress: person.email,
    });
    expect(await actionsOn(person.id)).toEqual([
      {
        action: 'user.updated',
        by: admin.id,
        before: { firstName: 'Test', role: 'Analyst', phoneNumber: '' },
        after: { firstName: 'Grace', role: 'Manager', phoneNumber: '123' },
      },
    ]);
  });

  test('writes no audit entry without a change', async () => {
    await change(person.id, { firstName: 'Test', clientOrganizationID: client, currentUserRoleID: 5 });
    expect(await actionsOn(person.id)).toEqual([]);
  });

  test('emails the old and the new address and revokes earlier links', async () => {
    const { id } = (await create(form({ sendInvitation: true, emailAddress: 'old@acme.example' }))).json();
    expect((await change(id, { emailAddress: 'new@acme.example' })).statusCode).toBe(200);
    expect((await mails('old@acme.example')).map(({ kind }) => kind)).toEqual(['user.invited', 'user.emailChanged']);
    expect((await mails('new@acme.example')).map(({ kind }) => kind)).toEqual(['user.emailChanged', 'user.invited']);
    expect((await liveLinks(id)).length).toBe(1);
    expect((await mails('old@acme.example'))[1]?.text).not.toContain('new@acme.example');
  });

  test('requires a sign-in within ten minutes for a new address', async () => {
    const { id } = await t.user({ organisationId: client, role: 'Analyst' });
    await ageSession(admin, 11);
    for (const user of [id, admin.id]) {
      const answer = await change(user, { emailAddress: newAddress() });
      expect([answer.statusCode, answer.json().error]).toEqual([403, 'Please sign in again to continue']);
    }
    expect((await change(id, { lastName: 'Lovelace' })).statusCode).toBe(200);
  });

  test('requires names on one line and renders no links from them', async () => {
    expect((await create(form({ firstName: 'Ada\nYour password has expired' }))).json().errors).toEqual({
      firstName: ['Enter a single line.'],
    });
    for (const [firstName, greeted] of [
      ['https://evil.example', 'Hello,'],
      ['evil.example', 'Hello,'],
      ['Ana-María J.R.', 'Hello Ana-María J.R.,'],
    ] as const) {
      const body = form({ firstName, sendInvitation: true, password: undefined, confirmPassword: undefined });
      expect((await create(body)).statusCode).toBe(200);
      const [mail] = await mailsTo(t, body.emailAddress);
      expect(mail?.text).toContain(`${greeted}\n`);
      expect(mail?.text).not.toContain('evil');
    }
  });

  test('accepts a single name', async () => {
    const { id } = await t.user({ organisationId: client, role: 'Analyst' });
    await setUser(id, { last_name: '' });
    expect((await get(id, admin)).json()).toMatchObject({ displayName: 'Test', lastName: '' });
  });

  test('refuses a taken address, also concurrently', async () => {
    const other = await t.user({ organisationId: client, role: 'Analyst' });
    const taken = await change(person.id, { emailAddress: other.email.toUpperCase() });
    expect(taken.statusCode).toBe(409);
    await remove(other.id);
    expect((await change(person.id, { emailAddress: other.email })).json().error).toBe(deactivatedAccountText);
    expect((await change(person.id, { emailAddress: person.email.toUpperCase() })).statusCode).toBe(200);

    const stranger = await t.user({ organisationId: await t.organisation({ parentId: partner }), role: 'Analyst' });
    const emailAddress = newAddress();
    const answers = await Promise.all([
      change(person.id, { emailAddress }),
      change(stranger.id, { emailAddress, clientOrganizationID: stranger.organisationId }, partnerAdmin),
    ]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
  });

  test('limits users to their own phone number', async () => {
    expect(
      (await change(person.id, { phoneNumber: '5', firstName: 'Test', emailAddress: person.email }, person)).statusCode,
    ).toBe(200);
    for (const body of [
      { firstName: 'X' },
      { emailAddress: newAddress() },
      { currentUserRoleID: 2 },
      { currentUserRoleID: 1 },
      { currentUserRoleID: 4 },
      { clientOrganizationID: otherClient },
    ])
      expect([body, (await change(person.id, body, person)).statusCode]).toEqual([body, 403]);
    expect(await stored(person.id)).toMatchObject({ first_name: 'Test', role: 'Analyst', phone_number: '5' });
  });

  test('refuses the role Host and moves', async () => {
    const answer = await change(person.id, { currentUserRoleID: 1 }, partnerAdmin);
    expect([answer.statusCode, answer.json().error]).toEqual([403, hostRoleText]);
    expect((await change(person.id, { clientOrganizationID: partner }, partnerAdmin)).statusCode).toBe(403);
    expect(await stored(person.id)).toMatchObject({ role: 'Analyst', organisation_id: client });
  });

  test('keeps an unknown role when omitted', async () => {
    await setUser(person.id, { role: 'Auditor' });
    const answer = await change(person.id, { firstName: 'Grace' });
    expect(answer.json()).toMatchObject({ roleName: 'Auditor', currentUserRoleID: 0 });
  });

  test('applies a new role from the next call on', async () => {
    await change(person.id, { currentUserRoleID: 2 });
    expect((await create(form(), person)).statusCode).toBe(200);
    await change(person.id, { currentUserRoleID: 3 });
    expect((await create(form(), person)).statusCode).toBe(403);
  });

  test('refuses deleted users', async () => {
    await remove(person.id);
    expect((await change(person.id, { firstName: 'X' })).statusCode).toBe(403);
  });
});

describe('last administrator', () => {
  test('cannot be demoted or deleted', async () => {
    expect((await change(admin.id, { currentUserRoleID: 3 })).statusCode).toBe(409);
    expect((await remove(admin.id, partnerAdmin)).json().error).toContain('last administrator of Ackermann Tools');
    const second = await t.user({ organisationId: client, role: 'Administrator' });
    expect((await change(admin.id, { currentUserRoleID: 3 })).statusCode).toBe(200);
    expect((await remove(second.id, partnerAdmin)).statusCode).toBe(409);
  });

  test('remains when two are deleted concurrently or delete each other', async () => {
    for (const by of [() => [partnerAdmin, host], (a: TestUser, b: TestUser) => [b, a]]) {
      const organisationId = await t.organisation({ parentId: partner });
      const [a, b] = [
        await t.user({ organisationId, role: 'Administrator' }),
        await t.user({ organisationId, role: 'Administrator' }),
      ];
      const [first, second] = by(a, b) as [TestUser, TestUser];
      const answers = await Promise.all([remove(a.id, first), remove(b.id, second)]);
      expect(answers.filter(({ statusCode }) => statusCode === 200).length).toBe(1);
      expect([(await stored(a.id)).is_deleted, (await stored(b.id)).is_deleted].sort()).toEqual([false, true]);
    }
  });

  test('remains when one loses the role while the other is deleted', async () => {
    const organisationId = await t.organisation({ parentId: partner });
    const [a, b] = [
      await t.user({ organisationId, role: 'Administrator' }),
      await t.user({ organisationId, role: 'Administrator' }),
    ];
    const answers = await Promise.all([
      remove(a.id, partnerAdmin),
      change(b.id, { currentUserRoleID: 5, clientOrganizationID: organisationId }, host),
    ]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
  });
});

describe('delete', () => {
  test('ends sessions and links; reactivation keeps MFA, drops the password and emails the user', async () => {
    const person = await t.user({ organisationId: client, role: 'Analyst' });
    await setUser(person.id, { password_hash: passwordHash, is_mfa_set: true, mfa_secret: Buffer.from('x') });
    expect((await t.call(usersApi.reactivate, { params: { id: person.id } }, admin)).statusCode).toBe(409);
    expect((await remove(person.id)).statusCode).toBe(200);
    expect(await isSignedIn(person)).toBe(false);
    expect((await remove(person.id)).statusCode).toBe(409);
    expect((await get(person.id, admin)).json()).toMatchObject({
      isDeleted: true,
      can: { edit: false, delete: false, reactivate: true },
    });

    const back = await t.call(usersApi.reactivate, { params: { id: person.id } }, admin);
    expect(back.json()).toMatchObject({ isDeleted: false, mfaIsSet: true, isInvited: true, can: { reactivate: false } });
    expect(await stored(person.id)).toMatchObject({ password_hash: null, mfa_secret: Buffer.from('x'), deleted_at: null });
    expect((await mails(person.email)).map(({ kind }) => kind)).toEqual(['user.deleted', 'user.reactivated', 'user.invited']);
    expect(await liveLinks(person.id)).toEqual([{ kind: 'invitation' }]);
    expect(await isSignedIn(person)).toBe(false);
    expect((await actionsOn(person.id)).map(({ action }) => action)).toEqual(['user.deleted', 'user.reactivated']);
  });

  test('refuses the own account', async () => {
    await t.user({ organisationId: client, role: 'Administrator' });
    expect((await remove(admin.id)).statusCode).toBe(403);
    expect((await stored(admin.id)).is_deleted).toBe(false);
  });

  test('resends an invitation, revokes the earlier one, and refuses users with a password', async () => {
    const { id } = (await create(form({ sendInvitation: true }))).json();
    expect((await t.call(usersApi.invite, { params: { id } }, admin)).statusCode).toBe(200);
    expect((await liveLinks(id)).length).toBe(1);
    const { id: second } = (await create(form())).json();
    expect((await t.call(usersApi.invite, { params: { id: second } }, admin)).statusCode).toBe(409);
  });
});
