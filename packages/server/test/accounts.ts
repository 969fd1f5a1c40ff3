/** Accounts that sign in through the real flow, for authentication tests. */
import { authApi } from '@parapet/contract/auth.ts';
import { sql } from 'kysely';
import { scoped } from '../src/core/db/scope.ts';
import type { TestApp } from './app.ts';
import { asDelivered } from './keys.ts';

export const password = 'Correct-Horse-9-Battery';
/** Of `password`, at the lowest cost: sign-ins of tests need not wait for the hashing process. */
export const passwordHash = '$argon2id$v=19$m=8,t=1,p=1$vkhro39y6oOJv0h+NaBi/Q$R/J/dByNX9kfj/X58aLwbsjB4l3maN1cbtYG5U8w8I0';
let number = 0;

/** A unique source address, so that rate limits of tests stay apart. */
export const anAddress = () => `192.0.2.${++number % 250}`;

export interface Made {
  id: number;
  email: string;
  organisationId: number;
}

export async function makeAccount(
  t: TestApp,
  organisationId: number,
  fields: {
    role?: string;
    is_deleted?: boolean;
    is_mfa_required?: boolean;
    password_hash?: string | null;
    email?: string;
    first_name?: string;
    last_name?: string;
  } = {},
): Promise<Made> {
  const values = {
    organisation_id: organisationId,
    email: `person${++number}@acme.example`,
    first_name: 'Ada',
    last_name: 'Byron',
    role: 'Manager',
    password_hash: passwordHash,
    ...fields,
  };
  const { id } = await scoped(t.db, 'system', (tx) =>
    tx.insertInto('users').values(values).returning('id').executeTakeFirstOrThrow(),
  );
  return { id, email: values.email, organisationId };
}

/** Requires an application that trusts X-Forwarded-For. */
export const signIn = (t: TestApp, email: string, word = password, address = anAddress(), headers: Record<string, string> = {}) =>
  post(t, authApi.authenticate.path, { email, password: word }, { 'x-forwarded-for': address, ...headers });

export const post = (t: TestApp, path: string, payload: object, headers: Record<string, string> = {}) =>
  t.application.app.inject({
    method: 'POST',
    url: `/api/v1${path}`,
    payload,
    headers: { 'x-forwarded-for': anAddress(), ...headers },
  });

/** Active sessions of a user. */
export const liveSessions = (t: TestApp, userId: number) =>
  scoped(t.db, 'system', (tx) =>
    tx.selectFrom('sessions').select(['id', 'method']).where('user_id', '=', userId).where('revoked_at', 'is', null).execute(),
  );

export const auditOf = async (t: TestApp, userId: number): Promise<string[]> => {
  const rows = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('audit').select('action').where('target', '=', String(userId)).orderBy('id').execute(),
  );
  return rows.map(({ action }) => action);
};

/** Emails to one address as delivered, oldest first. */
export async function mailsTo(t: TestApp, email: string) {
  const stored = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('mails').selectAll().where(sql<boolean>`${email} = any(to_addresses)`).orderBy('id').execute(),
  );
  return asDelivered(t.db, t.keys, stored);
}
