import { authApi, wrongCodeText } from '@parapet/contract/auth.ts';
import { secondFactorApi } from '@parapet/contract/secondFactor.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { auditOf, liveSessions, mailsTo, makeAccount, post, signIn } from '../../../test/accounts.ts';
import { useTestApp } from '../../../test/app.ts';
import { codeOf, portalOrigin, secondFactorWorld } from '../../../test/secondFactor.fixture.ts';
import { scoped } from '../../core/db/scope.ts';

let client: number;
let world: ReturnType<typeof secondFactorWorld>;

const t = useTestApp({ TRUST_PROXY: '1', PUBLIC_URL: portalOrigin });
beforeAll(async () => {
  client = await t.organisation({ name: 'Acme' });
  world = secondFactorWorld(t);
});
afterEach(() => vi.useRealTimers());

/** Freezes the time, so that time steps of codes are distinct. */
const freezeTime = () => vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 30_000) * 30_000 + 10_000 });
const tokenOf = async (email: string) => (await signIn(t, email)).json().user.accessToken as string;
const stateOf = async (token: string) => (await world.send(secondFactorApi.get, {}, token)).json();
const kindsTo = async (email: string) => (await mailsTo(t, email)).map(({ kind }) => kind);

describe('turning MFA on', () => {
  test('requires the app’s first code, returns ten recovery codes, emails the owner and applies from the next sign-in', async () => {
    freezeTime();
    const made = await world.signedIn(client);
    const { token } = made;
    expect(await stateOf(token)).toMatchObject({ isSet: false, isRequired: false, recoveryCodesLeft: 0, passkeys: [] });
    const started = (await world.send(secondFactorApi.startAuthenticator, {}, token)).json();
    expect(started.qrCodeImage).toMatch(/^<svg [\s\S]*<\/svg>\s*$/);

    const wrong = { nonce: started.nonce, code: codeOf(started.qrSecret, 5) };
    expect((await world.send(secondFactorApi.confirmAuthenticator, { body: wrong }, token)).json().errors).toEqual({
      wrongCode: [wrongCodeText],
    });
    expect((await stateOf(token)).isSet).toBe(false);

    const body = { nonce: started.nonce, code: codeOf(started.qrSecret) };
    const { recoveryCodes } = (await world.send(secondFactorApi.confirmAuthenticator, { body }, token)).json();
    expect(new Set(recoveryCodes).size).toBe(10);
    for (const code of recoveryCodes) expect(code).toMatch(/^[a-z2-9]{5}-[a-z2-9]{5}$/);
    expect(await stateOf(token)).toMatchObject({ isSet: true, recoveryCodesLeft: 10 });
    expect(await kindsTo(made.email)).toEqual(['user.mfaSet']);
    expect(await auditOf(t, made.id)).toEqual(['user.mfaSet']);
    expect((await liveSessions(t, made.id)).map(({ method }) => method)).toEqual(['mfa']);
    expect(await world.challenge(made.email)).toMatchObject({ setupNeeded: false, hasRecoveryCodes: true, passkey: null });
    expect((await world.send(secondFactorApi.startAuthenticator, {}, token)).statusCode).toBe(409);
  });

  test('works within its session only and completes no sign-in', async () => {
    freezeTime();
    const made = await makeAccount(t, client);
    const [token, other] = [await tokenOf(made.email), await tokenOf(made.email)];
    const { nonce, qrSecret } = (await world.send(secondFactorApi.startAuthenticator, {}, token)).json();
    const body = { nonce, code: codeOf(qrSecret) };
    const foreign = await world.send(secondFactorApi.confirmAuthenticator, { body }, other);
    expect(foreign.json().errors).toHaveProperty('nonce');
    const completed = await post(t, authApi.completeMfa.path, { ...body, password: 'Correct-Horse-9-Battery' });
    expect(completed.json().errors).toHaveProperty('nonce');
    expect((await stateOf(token)).isSet).toBe(false);
    expect((await world.send(secondFactorApi.confirmAuthenticator, { body }, token)).statusCode).toBe(200);
    expect((await world.send(secondFactorApi.confirmAuthenticator, { body }, token)).statusCode).toBe(400);
  });
});

describe('turning MFA off', () => {
  test('removes app, recovery codes and passkeys and emails the owner', async () => {
    const made = await world.enrolled(client);
    expect((await world.send(secondFactorApi.disable, {}, made.token)).statusCode).toBe(200);
    expect(await stateOf(made.token)).toMatchObject({ isSet: false, recoveryCodesLeft: 0 });
    expect((await signIn(t, made.email)).json()).toHaveProperty('user');
    expect(await kindsTo(made.email)).toEqual(['user.mfaSet', 'user.mfaDisabled']);
    expect(await auditOf(t, made.id)).toContain('user.mfaDisabled');
  });

  test('fails where the organisation or the account requires MFA', async () => {
    const strict = await t.organisation();
    const [policy, own] = [await world.enrolled(strict), await world.enrolled(client)];
    await scoped(t.db, 'system', async (tx) => {
      await tx.updateTable('organisations').set({ is_mfa_compulsory: true }).where('id', '=', strict).execute();
      await tx.updateTable('users').set({ is_mfa_required: true }).where('id', '=', own.id).execute();
    });
    for (const { token } of [policy, own]) {
      expect((await world.send(secondFactorApi.disable, {}, token)).statusCode).toBe(403);
      expect(await stateOf(token)).toMatchObject({ isSet: true, isRequired: true, recoveryCodesLeft: 10 });
    }
  });
});

describe('recovery code', () => {
  test('signs in once in any spelling, returns the number left and emails the owner', async () => {
    const made = await world.enrolled(client);
    const [first, second] = made.recoveryCodes as [string, string];
    const typed = ` ${first.toUpperCase().replace('-', ' ')} `;
    const answer = await world.complete(await world.challenge(made.email), { recoveryCode: typed });
    expect(answer.json()).toMatchObject({ user: { id: made.id }, recoveryCodesLeft: 9 });
    const again = await world.complete(await world.challenge(made.email), { recoveryCode: first });
    expect(again.statusCode).toBe(400);
    expect(again.json().errors).toHaveProperty('recoveryCode');
    expect((await world.complete(await world.challenge(made.email), { recoveryCode: second })).json().recoveryCodesLeft).toBe(8);
    const used = (await mailsTo(t, made.email)).filter(({ kind }) => kind === 'user.recoveryCodeUsed');
    expect(used.map(({ text }) => /left: \d/.exec(text)?.[0])).toEqual(['left: 9', 'left: 8']);
  });

  test('signs in exactly once under concurrent use', async () => {
    const made = await world.enrolled(client);
    const recoveryCode = made.recoveryCodes[0] as string;
    const challenges = [await world.challenge(made.email), await world.challenge(made.email), await world.challenge(made.email)];
    const answers = await Promise.all(challenges.map((one) => world.complete(one, { recoveryCode })));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
  });

  test('belongs to its owner and is not stored in plain text', async () => {
    const [made, other] = [await world.enrolled(client), await world.enrolled(client)];
    const recoveryCode = other.recoveryCodes[0] as string;
    expect((await world.complete(await world.challenge(made.email), { recoveryCode })).statusCode).toBe(400);
    const rows = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('recovery_codes').selectAll().where('user_id', '=', other.id).execute(),
    );
    expect(rows).toHaveLength(10);
    expect(rows.every(({ code_hash }) => code_hash.length === 32)).toBe(true);
    expect(JSON.stringify(rows.map((row) => row.code_hash.toString('latin1')))).not.toContain(recoveryCode.slice(0, 5));
  });

  test('shares the limits of app codes, five per nonce and ten per account', async () => {
    freezeTime();
    const made = await world.enrolled(client);
    const wrong = { recoveryCode: 'aaaaa-aaaaa' };
    for (let round = 0; round < 2; round++) {
      const one = await world.challenge(made.email);
      for (let i = 0; i < 5; i++) {
        const proof = i % 2 === 0 ? wrong : { code: codeOf(made.secret, 7) };
        expect((await world.complete(one, proof)).statusCode).toBe(400);
      }
      expect((await world.complete(one, { code: codeOf(made.secret) })).json().errors).toHaveProperty('nonce');
    }
    const locked = await world.complete(await world.challenge(made.email), { recoveryCode: made.recoveryCodes[0] as string });
    expect(locked.statusCode).toBe(429);
  });

  test('expires once a new set exists', async () => {
    const made = await world.enrolled(client);
    const { recoveryCodes } = (await world.send(secondFactorApi.renewRecoveryCodes, {}, made.token)).json();
    expect(recoveryCodes).toHaveLength(10);
    const old = { recoveryCode: made.recoveryCodes[0] as string };
    expect((await world.complete(await world.challenge(made.email), old)).statusCode).toBe(400);
    expect((await world.complete(await world.challenge(made.email), { recoveryCode: recoveryCodes[0] })).statusCode).toBe(200);
    expect(await kindsTo(made.email)).toContain('user.recoveryCodesMade');
  });
});

describe('MFA reset', () => {
  test('requires one enrolment at the next sign-in and removes recovery codes and passkeys', async () => {
    freezeTime();
    const made = await world.enrolled(client);
    const reset = await world.send(usersApi.resetMfa, { params: { id: made.id } }, made.token);
    expect(reset.statusCode).toBe(200);
    expect(await stateOf(made.token)).toMatchObject({ isSet: false, isRequired: false, recoveryCodesLeft: 0, passkeys: [] });

    const enrolment = await world.challenge(made.email);
    expect(enrolment).toMatchObject({ setupNeeded: true, hasRecoveryCodes: false, passkey: null });
    for (const proof of [{ recoveryCode: made.recoveryCodes[0] as string }, { code: codeOf(made.secret) }])
      expect((await world.complete(enrolment, proof)).statusCode).toBe(400);
    // A second sign-in does not bypass the enrolment.
    const again = await world.challenge(made.email);
    expect(again.setupNeeded).toBe(true);
    expect((await world.complete(again, { code: codeOf(again.qrSecret) })).statusCode).toBe(200);
    expect(await stateOf(made.token)).toMatchObject({ isSet: true });

    expect((await world.send(secondFactorApi.disable, {}, made.token)).statusCode).toBe(200);
    expect((await signIn(t, made.email)).json()).toHaveProperty('user');
  });
});

test('accepts exactly one proof per sign-in', async () => {
  const made = await world.enrolled(client);
  const { nonce, password } = await world.challenge(made.email);
  for (const proofs of [{}, { code: '123456', recoveryCode: made.recoveryCodes[0] }])
    expect((await post(t, authApi.completeMfa.path, { nonce, password, ...proofs })).json().errors).toHaveProperty('code');
});
