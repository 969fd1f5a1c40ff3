/** Fixture of MFA tests: authenticator codes, two-step sign-ins, and calls with a session on a host. */
import { authApi } from '@parapet/contract/auth.ts';
import type { Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import type { SecondFactorProof } from '@parapet/contract/secondFactor.proof.ts';
import { secondFactorApi } from '@parapet/contract/secondFactor.ts';
import { Secret, TOTP } from 'otpauth';
import { scoped } from '../src/core/db/scope.ts';
import { passwordHash, post, signIn } from './accounts.ts';
import type { TestApp, TestUser } from './app.ts';

export const portalHost = 'portal.example';
export const portalOrigin = `https://${portalHost}`;

const generator = (secret: string) => new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: Secret.fromBase32(secret) });
export const codeOf = (secret: string, stepsFromNow = 0) =>
  generator(secret).generate({ timestamp: Date.now() + stepsFromNow * 30_000 });

export interface Enrolled extends TestUser {
  secret: string;
  recoveryCodes: string[];
}

export function secondFactorWorld(t: TestApp) {
  /** Call with a session on a host. */
  const send = <E extends Endpoint>(endpoint: E, input: InputOf<E>, token: string, host = portalHost) => {
    const { params = {}, body } = input as { params?: Record<string, unknown>; body?: object };
    const path = endpoint.path.replace(/:([A-Za-z]+)/g, (_whole: string, name: string) => String(params[name]));
    return t.application.app.inject({
      method: endpoint.method,
      url: endpoint.prefix + path,
      headers: { host, authorization: `Bearer ${token}` },
      ...(endpoint.method !== 'GET' && { payload: body ?? {} }),
    });
  };

  const complete = (challenge: { nonce: string; password: string }, proof: SecondFactorProof) =>
    post(t, authApi.completeMfa.path, { nonce: challenge.nonce, password: challenge.password, ...proof });

  /** Accepted password on a host. */
  const challenge = async (email: string, host = portalHost) => {
    const answer = await signIn(t, email, undefined, undefined, { host });
    return answer.json().mfaChallenge as {
      nonce: string;
      password: string;
      setupNeeded: boolean;
      qrSecret: string;
      hasRecoveryCodes: boolean;
      passkey: { rpId: string; challenge: string; allowCredentials: { id: string }[] } | null;
    };
  };

  /** An account with a password and a session. */
  const signedIn = async (organisationId: number): Promise<TestUser> => {
    const made = await t.user({ organisationId, role: 'Manager' });
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', made.id).execute(),
    );
    return made;
  };

  /** Account with MFA enabled in Settings. */
  const enrolled = async (organisationId: number): Promise<Enrolled> => {
    const made = await signedIn(organisationId);
    const started = (await send(secondFactorApi.startAuthenticator, {}, made.token)).json();
    const body = { nonce: started.nonce, code: codeOf(started.qrSecret) };
    const confirmed = await send(secondFactorApi.confirmAuthenticator, { body }, made.token);
    if (confirmed.statusCode !== 200) throw new Error(confirmed.body);
    // Marks its time step as unused, so that tests need not wait for the next one.
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('users').set({ mfa_last_step: null }).where('id', '=', made.id).execute(),
    );
    return { ...made, secret: started.qrSecret, recoveryCodes: confirmed.json().recoveryCodes };
  };

  return { send, complete, signedIn, challenge, enrolled };
}
