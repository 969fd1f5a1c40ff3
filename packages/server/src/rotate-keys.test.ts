/** The command itself, beside a running portal: killed half-way, run again, and with a new master key. */
import { authApi } from '@parapet/contract/auth.ts';
import { sql } from 'kysely';
import { TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeAccount, password, signIn } from '../test/accounts.ts';
import { type TestApp, testApp } from '../test/app.ts';
import { runCommand } from '../test/command.ts';
import { keysOf, secretKey } from '../test/keys.ts';
import { scoped, type Tx } from './core/db/scope.ts';
import { dataKeyIdOf } from './core/keys/sealed.ts';

const secret = 'JBSWY3DPEHPK3PXP';
const count = 1000;
const nextKey = 'the next secret key of these tests, long';
let t: TestApp;
let organisationId: number;
let person: { id: number; email: string };
const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(t.db, 'system', work);

beforeAll(async () => {
  t = await testApp({ TRUST_PROXY: '1' });
  organisationId = await t.organisation();
  person = await makeAccount(t, organisationId, { email: 'first@acme.example' });
  const { rows } = await system((tx) =>
    sql<{ id: number }>`insert into users (organisation_id, email, first_name, last_name, role)
      select ${organisationId}, 'many' || n || '@acme.example', 'A', 'B', 'Analyst' from generate_series(1, ${count - 1}::integer) n returning id`.execute(
      tx,
    ),
  );
  // The key, so that it is known when all of them are sealed.
  await system((tx) => t.keys.seal(tx, { organisationId, column: 'users.mfa_secret', id: person.id }, secret));
  await system(async (tx) => {
    const ids = [person.id, ...rows.map(({ id }) => id)];
    const sealed: Buffer[] = [];
    for (const id of ids) sealed.push(await t.keys.seal(tx, { organisationId, column: 'users.mfa_secret', id }, secret));
    await sql`update users u set mfa_secret = v.sealed, is_mfa_set = true
      from unnest(${ids}::integer[], ${sealed}::bytea[]) v (id, sealed) where u.id = v.id`.execute(tx);
  });
});
afterAll(() => t?.close());

const rotate = (env: Record<string, string>, args: string[] = [], onOutput?: Parameters<typeof runCommand>[3]) =>
  runCommand('rotate-keys.ts', args, { DATABASE_URL: t.database.ownerUrl, ...env }, onOutput);

/** Number of values sealed with each key. */
const keysInUse = async () => {
  const rows = await system((tx) => tx.selectFrom('users').select('mfa_secret').where('mfa_secret', 'is not', null).execute());
  const counts = new Map<number, number>();
  for (const { mfa_secret } of rows) {
    const id = dataKeyIdOf(mfa_secret as Buffer);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
};
/** Each with keys read again. */
const allOpen = async (key = secretKey) => {
  const keys = await keysOf(t.db, key);
  await system(async (tx) => {
    const rows = await tx.selectFrom('users').select(['id', 'mfa_secret']).where('mfa_secret', 'is not', null).execute();
    expect(rows).toHaveLength(count);
    for (const { id, mfa_secret } of rows)
      expect((await keys.open(tx, { organisationId, column: 'users.mfa_secret', id }, mfa_secret as Buffer)).toString()).toBe(
        secret,
      );
  });
};
let step = 0;
/** In the running portal, independent of the command; each code works once. */
const signsIn = async () => {
  await system((tx) => tx.updateTable('users').set({ mfa_last_step: null }).where('id', '=', person.id).execute());
  const challenge = (await signIn(t, person.email, password, `192.0.3.${++step}`)).json().mfaChallenge;
  const code = new TOTP({ secret }).generate();
  const answer = await t.call(authApi.completeMfa, { body: { nonce: challenge.nonce, code, password: challenge.password } });
  expect([answer.statusCode, answer.json().user?.emailAddress]).toEqual([200, person.email]);
};

test('leaves every value readable when killed half-way, and completes in a second run', { timeout: 120_000 }, async () => {
  const killed = await rotate({ SECRET_KEY: secretKey }, [], (out, end) => {
    if (out.includes('users.mfa_secret: 200 values')) end();
  });
  expect(killed.code).toBe(null);
  const between = await keysInUse();
  expect(between.size).toBe(2);
  await allOpen();
  await signsIn();

  const again = await rotate({ SECRET_KEY: secretKey });
  expect([again.code, again.errors]).toEqual([0, '']);
  expect(again.out).toMatch(
    new RegExp(`users\\.mfa_secret: ${count} values checked[\\s\\S]*Done: \\d+ values are sealed with new data keys`),
  );
  const after = await keysInUse();
  expect([...after.values()]).toEqual([count]);
  expect([...between.keys()]).not.toContain([...after.keys()][0]);
  await allOpen();
  await signsIn();
});

test('accepts a new master key when the former one is given, while the portal continues with the former', {
  timeout: 120_000,
}, async () => {
  const missing = await rotate({ SECRET_KEY: nextKey });
  expect([missing.code, missing.out]).toEqual([1, '']);
  expect(missing.errors).toContain('SECRET_KEY_OLD');
  expect((await rotate({})).errors).toContain('No master key is configured');

  const done = await rotate({ SECRET_KEY: nextKey, SECRET_KEY_OLD: secretKey }, ['--master-only']);
  expect([done.code, done.errors]).toEqual([0, '']);
  expect(done.out).not.toContain(secretKey);
  expect(done.out).not.toContain(nextKey);
  await allOpen(nextKey);
  await signsIn();
  await expect(keysOf(t.db)).rejects.toThrow('wrapped by the master key');
});
