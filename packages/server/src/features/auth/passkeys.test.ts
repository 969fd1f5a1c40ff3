import { secondFactorApi } from '@parapet/contract/secondFactor.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { auditOf, liveSessions, mailsTo, signIn } from '../../../test/accounts.ts';
import { useTestApp } from '../../../test/app.ts';
import { softwareAuthenticator } from '../../../test/authenticator.ts';
import { codeOf, type Enrolled, portalHost, portalOrigin, secondFactorWorld } from '../../../test/secondFactor.fixture.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { createSecondFactor, type SecondFactor } from './mfa.service.ts';

const brandHost = `harbor.${portalHost}`;
let client: number;
let world: ReturnType<typeof secondFactorWorld>;

const t = useTestApp({ TRUST_PROXY: '1', PUBLIC_URL: portalOrigin });
beforeAll(async () => {
  const partner = await t.organisation({ isPartner: true, name: 'Harbor' });
  await scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('brands')
      .values({
        organisation_id: partner,
        sub_domain: 'harbor',
        name: 'Harbor',
        self_hosted_domain: null,
        logo_light_version: null,
        logo_dark_version: null,
        favicon_version: null,
      })
      .execute(),
  );
  client = await t.organisation({ parentId: partner });
  world = secondFactorWorld(t);
});

type Authenticator = ReturnType<typeof softwareAuthenticator>;

const add = (made: Enrolled, authenticator: Authenticator, challenge: string, token = made.token) =>
  world.send(secondFactorApi.addPasskey, { body: { name: 'Laptop', passkey: authenticator.create({ challenge }) } }, token);
const startAt = async (made: Enrolled, host: string) =>
  (await world.send(secondFactorApi.startPasskey, {}, made.token, host)).json() as { challenge: string; rp: { id: string } };

async function withPasskey(host = portalHost): Promise<Enrolled & { authenticator: Authenticator }> {
  const made = await world.enrolled(client);
  const authenticator = softwareAuthenticator(`https://${host}`);
  const added = await add(made, authenticator, (await startAt(made, host)).challenge);
  if (added.statusCode !== 200) throw new Error(added.body);
  return { ...made, authenticator };
}

const challengeAt = async (made: Enrolled, host = portalHost) => {
  const challenge = await world.challenge(made.email, host);
  if (!challenge.passkey) throw new Error('No passkey is requested.');
  return { ...challenge, passkey: challenge.passkey };
};

describe('adding a passkey', () => {
  test('lists it with its host, emails the owner and writes an audit entry', async () => {
    const made = await withPasskey(brandHost);
    const state = (await world.send(secondFactorApi.get, {}, made.token, brandHost)).json();
    expect(state.host).toBe(brandHost);
    expect(state.passkeys).toMatchObject([{ name: 'Laptop', host: brandHost, lastUsedAt: null }]);
    expect((await mailsTo(t, made.email)).at(-1)).toMatchObject({ kind: 'user.passkeyAdded' });
    expect(await auditOf(t, made.id)).toContain('user.passkeyAdded');
  });

  test('works at the brand’s own address only, regardless of the Host header', async () => {
    const made = await world.enrolled(client);
    for (const host of ['evil.example', `harbor.evil.example`, `www.${portalHost}`, `${portalHost}:8443`, '127.0.0.1']) {
      expect((await world.send(secondFactorApi.startPasskey, {}, made.token, host)).statusCode, host).toBe(409);
      expect((await world.send(secondFactorApi.get, {}, made.token, host)).json().host).toBe('');
    }
    expect((await startAt(made, brandHost)).rp.id).toBe(brandHost);
  });

  test('refuses foreign origins, used challenges and those of another session or account', async () => {
    const [made, other] = [await world.enrolled(client), await world.enrolled(client)];
    const phishing = softwareAuthenticator('https://portal.example.evil.test', portalHost);
    const { challenge } = await startAt(made, portalHost);
    expect((await add(made, phishing, challenge)).statusCode).toBe(400);
    const authenticator = softwareAuthenticator(portalOrigin);
    expect((await add(made, authenticator, challenge)).statusCode).toBe(400);

    const next = await startAt(made, portalHost);
    expect((await add(other, authenticator, next.challenge)).statusCode).toBe(400);
    expect((await add(made, authenticator, next.challenge)).statusCode).toBe(200);
    const third = await startAt(made, portalHost);
    expect((await add(made, authenticator, third.challenge)).statusCode).toBe(409);
  });

  test('requires an authenticator app', async () => {
    const made = await world.enrolled(client);
    await world.send(secondFactorApi.disable, {}, made.token);
    expect((await world.send(secondFactorApi.startPasskey, {}, made.token)).statusCode).toBe(409);
  });
});

describe('passkey at sign-in', () => {
  test('signs in at its own host and is not requested at another', async () => {
    const made = await withPasskey();
    expect((await world.challenge(made.email, brandHost)).passkey).toBeNull();
    expect((await world.challenge(made.email, 'evil.example')).passkey).toBeNull();
    const challenge = await challengeAt(made);
    expect(challenge.passkey).toMatchObject({ rpId: portalHost, allowCredentials: [{ id: made.authenticator.id }] });
    const answer = await world.complete(challenge, { passkey: made.authenticator.get(challenge.passkey) });
    expect(answer.json()).toMatchObject({ user: { id: made.id } });
    expect((await liveSessions(t, made.id)).map(({ method }) => method)).toEqual(['mfa', 'mfa']);
    const { passkeys } = (await world.send(secondFactorApi.get, {}, made.token)).json();
    expect(passkeys[0].lastUsedAt).not.toBeNull();
  });

  test('fails for foreign or used challenges, stale counters and other authenticators', async () => {
    const made = await withPasskey();
    const [one, other] = [await challengeAt(made), await challengeAt(made)];
    const swapped = await world.complete(one, { passkey: made.authenticator.get(other.passkey) });
    expect(swapped.json().errors).toHaveProperty('passkey');

    const right = { passkey: made.authenticator.get(one.passkey) };
    expect((await world.complete(one, right)).statusCode).toBe(200);
    const replayed = await challengeAt(made);
    expect((await world.complete(replayed, right)).statusCode).toBe(400);

    const cloned = await challengeAt(made);
    expect((await world.complete(cloned, { passkey: made.authenticator.get(cloned.passkey, -1) })).statusCode).toBe(400);
    // The wrong response consumed the challenge.
    expect((await world.complete(cloned, { passkey: made.authenticator.get(cloned.passkey, 5) })).statusCode).toBe(400);

    const foreign = await challengeAt(made);
    const stranger = softwareAuthenticator(portalOrigin);
    expect((await world.complete(foreign, { passkey: stranger.get(foreign.passkey) })).statusCode).toBe(400);
    // The code of the same sign-in remains valid.
    expect((await world.complete(foreign, { code: codeOf(made.secret) })).statusCode).toBe(200);
  });

  test('expires after five minutes', async () => {
    const made = await withPasskey();
    const challenge = await challengeAt(made);
    await scoped(t.db, 'system', (tx) =>
      tx
        .updateTable('passkey_challenges')
        .set({ expires_at: new Date(Date.now() - 1000) })
        .where('user_id', '=', made.id)
        .execute(),
    );
    expect((await world.complete(challenge, { passkey: made.authenticator.get(challenge.passkey) })).statusCode).toBe(400);
  });

  test('stops working once removed', async () => {
    const made = await withPasskey();
    const challenge = await challengeAt(made);
    const { passkeys } = (await world.send(secondFactorApi.get, {}, made.token)).json();
    const other = await world.enrolled(client);
    const params = { id: passkeys[0].id };
    expect((await world.send(secondFactorApi.removePasskey, { params }, other.token)).statusCode).toBe(404);
    expect((await world.send(secondFactorApi.removePasskey, { params }, made.token)).statusCode).toBe(200);
    expect((await world.complete(challenge, { passkey: made.authenticator.get(challenge.passkey) })).statusCode).toBe(400);
    expect((await mailsTo(t, made.email)).at(-1)).toMatchObject({ kind: 'user.passkeyRemoved' });
    expect((await world.challenge(made.email)).passkey).toBeNull();
  });
});

describe('proof within a session', () => {
  /** Stubs of encryption and sessions, which these proofs do not reach. */
  const verify: SecondFactor['verify'] = (...proof) =>
    createSecondFactor({ db: t.db, clock: systemClock, outbox: { queue: async () => undefined } } as unknown as Parameters<
      typeof createSecondFactor
    >[0]).verify(...proof);
  const actorOf = async (made: Enrolled) => {
    const [session] = await liveSessions(t, made.id);
    return { userId: made.id, sessionId: session?.id as string, address: '192.0.2.1' };
  };

  test('accepts a recovery code and a passkey of the same session, each once', async () => {
    const made = await withPasskey();
    const actor = await actorOf(made);
    const recoveryCode = made.recoveryCodes[0] as string;
    await verify(actor, { recoveryCode });
    await expect(verify(actor, { recoveryCode })).rejects.toMatchObject({ errors: { recoveryCode: expect.anything() } });

    const { request } = (await world.send(secondFactorApi.requestPasskey, {}, made.token)).json();
    const passkey = made.authenticator.get(request);
    const elsewhere = { ...actor, sessionId: (await actorOf(await world.enrolled(client))).sessionId };
    await expect(verify(elsewhere, { passkey })).rejects.toMatchObject({ errors: { passkey: expect.anything() } });
    await verify(actor, { passkey });
    await expect(verify(actor, { passkey })).rejects.toMatchObject({ errors: { passkey: expect.anything() } });
  });

  test('shares its attempt limit with sign-in', async () => {
    const made = await world.enrolled(client);
    const actor = await actorOf(made);
    for (let i = 0; i < 10; i++)
      await expect(verify(actor, { recoveryCode: 'aaaaa-aaaaa' })).rejects.toMatchObject({ code: 'invalid' });
    await expect(verify(actor, { recoveryCode: made.recoveryCodes[0] as string })).rejects.toMatchObject({
      code: 'tooManyRequests',
    });
    expect((await signIn(t, made.email)).statusCode).toBe(200);
  });
});
