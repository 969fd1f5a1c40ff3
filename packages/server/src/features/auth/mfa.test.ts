import { authApi, wrongCodeText } from '@parapet/contract/auth.ts';
import { Secret, TOTP } from 'otpauth';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { auditOf, liveSessions, type Made, mailsTo, makeAccount, password, post, signIn } from '../../../test/accounts.ts';
import { useTestApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';

const t = useTestApp({ TRUST_PROXY: '1' });
let client: number;

beforeAll(async () => {
  client = await t.organisation({ name: 'Acme' });
});
afterEach(() => vi.useRealTimers());

const generator = (secret: string) => new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: Secret.fromBase32(secret) });
const codeOf = (secret: string, stepsFromNow = 0) =>
  generator(secret).generate({ timestamp: Date.now() + stepsFromNow * 30_000 });
const wrongCode = (secret: string) => {
  const right = new Set([-1, 0, 1].map((steps) => codeOf(secret, steps)));
  return ['000000', '111111', '222222', '333333'].find((code) => !right.has(code)) as string;
};
const challenge = async (email: string) => {
  const answer = await signIn(t, email);
  expect(answer.statusCode).toBe(200);
  expect(answer.body).not.toContain('accessToken');
  return answer.json().mfaChallenge as {
    nonce: string;
    password: string;
    setupNeeded: boolean;
    qrSecret: string;
    qrCodeImage: string;
  };
};
const complete = (nonce: string, code: string, continuation: string) =>
  post(t, authApi.completeMfa.path, { nonce, code, password: continuation });

/** Account with an authenticator app. Its tests freeze the time, so that time steps are distinct. */
async function enrolled(): Promise<Made & { secret: string }> {
  const made = await makeAccount(t, client, { is_mfa_required: true });
  const { nonce, password: continuation, qrSecret } = await challenge(made.email);
  expect((await complete(nonce, codeOf(qrSecret, -1), continuation)).statusCode).toBe(200);
  return { ...made, secret: qrSecret };
}
const freezeTime = () => vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 30_000) * 30_000 + 10_000 });

describe('enrolment', () => {
  test('shows QR code and secret once, takes effect after a code and emails the owner', async () => {
    freezeTime();
    const made = await makeAccount(t, client, { is_mfa_required: true });
    const first = await challenge(made.email);
    expect(first.setupNeeded).toBe(true);
    expect(first.qrSecret).toMatch(/^[A-Z2-7]{32}$/);
    expect(first.qrCodeImage).toMatch(/^<svg [\s\S]*<\/svg>\s*$/);
    expect(first.password).not.toBe(password);
    const stored = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('mfa_challenges').selectAll().where('user_id', '=', made.id).executeTakeFirstOrThrow(),
    );
    expect(JSON.stringify(Object.values(stored).map(String))).not.toContain(first.qrSecret);

    const refused = await complete(first.nonce, wrongCode(first.qrSecret), first.password);
    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toMatchObject({ errors: { wrongCode: [wrongCodeText] } });
    const before = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('users').select(['is_mfa_set', 'mfa_secret']).where('id', '=', made.id).executeTakeFirstOrThrow(),
    );
    expect(before).toEqual({ is_mfa_set: false, mfa_secret: null });

    const done = await complete(first.nonce, codeOf(first.qrSecret), first.password);
    expect(done.statusCode).toBe(200);
    expect(done.json().user).toMatchObject({ id: made.id, emailAddress: made.email });
    const [mail] = await mailsTo(t, made.email);
    expect(mail).toMatchObject({ kind: 'user.mfaSet', state: 'kept' });
    expect(`${mail?.text}${mail?.html}`).not.toContain(first.qrSecret);
    expect(await auditOf(t, made.id)).toEqual(['user.signInRefused', 'user.mfaSet', 'user.signedIn']);
    expect((await liveSessions(t, made.id)).map(({ method }) => method)).toEqual(['mfa']);

    const second = await challenge(made.email);
    expect(second).toMatchObject({ setupNeeded: false, qrSecret: '', qrCodeImage: '' });
  });

  test('shows a QR code for any brand name', async () => {
    for (const letter of ['港', '😀', 'x']) {
      const partner = await t.organisation({ isPartner: true, name: letter.repeat(letter === '😀' ? 100 : 200) });
      const made = await makeAccount(t, partner, { is_mfa_required: true, email: `${'a'.repeat(60)}.${partner}@acme.example` });
      expect((await challenge(made.email)).qrCodeImage).toContain('<svg');
    }
  });

  test('keeps the first confirmed of two concurrent enrolments', async () => {
    freezeTime();
    const made = await makeAccount(t, client, { is_mfa_required: true });
    const [one, other] = [await challenge(made.email), await challenge(made.email)];
    expect(one.qrSecret).not.toBe(other.qrSecret);
    expect((await complete(one.nonce, codeOf(one.qrSecret), one.password)).statusCode).toBe(200);
    expect((await complete(other.nonce, codeOf(other.qrSecret), other.password)).statusCode).toBe(400);
    expect(await liveSessions(t, made.id)).toHaveLength(1);
  });

  test('applies by the organisation’s policy', async () => {
    const strict = await t.organisation();
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('organisations').set({ is_mfa_compulsory: true }).where('id', '=', strict).execute(),
    );
    expect((await challenge((await makeAccount(t, strict)).email)).setupNeeded).toBe(true);
  });
});

describe('code', () => {
  test('works for its own step and the next, once across nonces', async () => {
    freezeTime();
    const { email, secret } = await enrolled();
    const replayed = codeOf(secret, -1);
    const next = await challenge(email);
    expect((await complete(next.nonce, replayed, next.password)).json().errors).toEqual({ wrongCode: [wrongCodeText] });
    expect((await complete(next.nonce, codeOf(secret, 1), next.password)).statusCode).toBe(400);
    expect((await complete(next.nonce, codeOf(secret, -2), next.password)).statusCode).toBe(400);
    expect((await complete(next.nonce, codeOf(secret), next.password)).statusCode).toBe(200);
  });

  test('signs in exactly once under concurrent use over several nonces', async () => {
    freezeTime();
    const { id, email, secret } = await enrolled();
    const challenges = [await challenge(email), await challenge(email), await challenge(email)];
    const before = (await liveSessions(t, id)).length;
    const code = codeOf(secret);
    const answers = await Promise.all([...challenges, ...challenges].map((one) => complete(one.nonce, code, one.password)));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect(await liveSessions(t, id)).toHaveLength(before + 1);
  });

  test('requires exactly six characters', async () => {
    for (const [code, text] of [
      ['12345', 'Min character length is 6'],
      ['1234567', 'Max character length is 6'],
    ])
      expect((await complete('x', code as string, 'y')).json().errors).toEqual({ code: [text] });
  });

  test('allows five attempts per nonce and ten per account', async () => {
    freezeTime();
    const { id, email, secret } = await enrolled();
    const wrong = wrongCode(secret);
    const first = await challenge(email);
    for (let i = 0; i < 5; i++)
      expect((await complete(first.nonce, wrong, first.password)).json().errors).toHaveProperty('wrongCode');
    expect((await complete(first.nonce, codeOf(secret), first.password)).json().errors).toHaveProperty('nonce');
    const second = await challenge(email);
    const answers = await Promise.all(Array.from({ length: 8 }, () => complete(second.nonce, wrong, second.password)));
    expect(answers.filter((answer) => answer.json().errors?.wrongCode)).toHaveLength(5);
    const third = await challenge(email);
    const locked = await complete(third.nonce, codeOf(secret), third.password);
    expect(locked.statusCode).toBe(429);
    expect(Number(locked.headers['retry-after'])).toBeGreaterThan(600);
    expect(await liveSessions(t, id)).toHaveLength(1);
  });
});

describe('nonce', () => {
  test('requires its own continuation secret or the typed password', async () => {
    freezeTime();
    const { email, secret } = await enrolled();
    const [one, other] = [await challenge(email), await challenge(email)];
    for (const word of [other.password, 'x', 'Wrong-Horse-9-Battery'])
      expect((await complete(one.nonce, codeOf(secret), word)).json().errors).toHaveProperty('nonce');
    expect((await complete(one.nonce, codeOf(secret), password)).statusCode).toBe(200);
  });

  test('expires on use and after five minutes and is refused like an unknown one', async () => {
    freezeTime();
    const { id, email, secret } = await enrolled();
    const used = await challenge(email);
    expect((await complete(used.nonce, codeOf(secret), used.password)).statusCode).toBe(200);
    const old = await challenge(email);
    await scoped(t.db, 'system', (tx) =>
      tx
        .updateTable('mfa_challenges')
        .set({ expires_at: new Date(Date.now() - 60_000) })
        .where('user_id', '=', id)
        .where('used_at', 'is', null)
        .execute(),
    );
    vi.setSystemTime(Date.now() + 30_000);
    const answers = [
      await complete(used.nonce, codeOf(secret), used.password),
      await complete(old.nonce, codeOf(secret), old.password),
      await complete('unknown', codeOf(secret), old.password),
    ];
    for (const answer of answers) {
      expect(answer.statusCode).toBe(400);
      expect({ ...answer.json(), requestId: '' }).toEqual({ ...answers[0]?.json(), requestId: '' });
    }
    expect(answers[0]?.json().error).toContain('Start again');
  });

  test('expires when the account is deleted or its MFA reset', async () => {
    freezeTime();
    for (const change of [{ is_deleted: true }, { is_mfa_set: false, mfa_secret: null }]) {
      const { id, email, secret } = await enrolled();
      const { nonce, password: continuation } = await challenge(email);
      await scoped(t.db, 'system', (tx) => tx.updateTable('users').set(change).where('id', '=', id).execute());
      expect((await complete(nonce, codeOf(secret), continuation)).statusCode).toBe(400);
      expect(await liveSessions(t, id)).toHaveLength(1);
    }
  });
});
