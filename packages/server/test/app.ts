/** The whole server on its own database, without a port, for feature tests. Each test creates its own organisations and users. */
import { randomUUID } from 'node:crypto';
import type { Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import type { LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import { type RunningApplication, startApplication } from '../src/application.ts';
import { readConfig } from '../src/core/config.ts';
import { connect, type Database } from '../src/core/db/connect.ts';
import { scoped } from '../src/core/db/scope.ts';
import type { Keys } from '../src/core/keys/keys.ts';
import { silentLog } from '../src/core/log.ts';
import type { RulesInForce } from '../src/domain/rulesInForce.ts';
import { createTokens } from '../src/features/auth/tokens.ts';
import { createIngestKeysService } from '../src/features/ingest-keys/ingest-keys.service.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { keysOf, secretKey } from './keys.ts';
import { builtInOf } from './rules.ts';
import { useFixture } from './use.ts';

/** A mail server never contacted, because no worker runs: emails stay queued with sealed links. */
export const waitingMails = { SMTP_URL: 'smtp://127.0.0.1:1' };

/** Every rule is in force, and none lacks a field. */
export const allInForce: RulesInForce = {
  isInForce: () => true,
  listBlocked: async () => ({ organisations: new Map(), nameFields: async () => [] }),
};

export interface TestUser {
  id: number;
  organisationId: number;
  email: string;
  token: string;
}

export interface TestApp {
  application: RunningApplication;
  database: TestDatabase;
  db: Database;
  keys: Keys;
  /** A new organisation’s id, above 1000 so that none is the provider by chance. */
  organisation(options?: { isPartner?: boolean; parentId?: number; id?: number; name?: string }): Promise<number>;
  /** Account age in days; 90 by default, because new accounts can’t approve. */
  user(options: { organisationId: number; role: string; ageMs?: number }): Promise<TestUser>;
  ingestKey(organisationId: number): Promise<string>;
  /** Posts events to the bulk API, one `create` each. */
  send(key: string, documents: (object | string)[], index?: string): Promise<LightMyRequestResponse>;
  call<E extends Endpoint>(endpoint: E, input: InputOf<E>, user?: Pick<TestUser, 'token'>): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

export async function testApp(environment: Record<string, string> = {}, given?: TestDatabase): Promise<TestApp> {
  const database = given ?? (await testDatabase());
  const config = readConfig({
    DATABASE_URL: database.ownerUrl,
    PORTAL_DEMO: '0',
    PORTAL_ROLES: 'api,ingest',
    SECRET_KEY: secretKey,
    // Test sweeps exceed the budgets of real users.
    API_CALLS_A_MINUTE: '1000000000',
    API_REFUSALS_A_MINUTE: '1000000000',
    // No resolver: tests of DNS bring their own server.
    DNS_SERVERS: '127.0.0.1:9',
    ...environment,
  });
  const application = await startApplication(config, silentLog, { builtIn: builtInOf(config.rulesDir) });
  await application.ready;
  const db = connect({ url: database.url, applicationName: 'test', poolSize: 2 });
  const keys = await keysOf(db);
  const tokens = createTokens(await keys.shared('access tokens'));
  const ingestKeys = createIngestKeysService({ db });
  let next = 1000;

  return {
    application,
    database,
    db,
    keys,
    async organisation({ isPartner = false, parentId, id = ++next, name = `Organisation ${id}` } = {}) {
      await scoped(db, 'system', (tx) =>
        tx
          .insertInto('organisations')
          .values({ id, name, is_partner: isPartner, parent_id: parentId ?? null, is_mfa_compulsory: false })
          // Of `databaseWith`.
          .onConflict((conflict) =>
            conflict.column('id').doUpdateSet({ name, is_partner: isPartner, parent_id: parentId ?? null }),
          )
          .execute(),
      );
      return id;
    },
    async user({ organisationId, role, ageMs = 90 * 86_400_000 }) {
      const email = `${randomUUID()}@test.example`;
      const sessionId = randomUUID();
      const id = await scoped(db, 'system', async (tx) => {
        const user = await tx
          .insertInto('users')
          .values({
            organisation_id: organisationId,
            email,
            first_name: 'Test',
            last_name: role,
            role,
            created_at: new Date(Date.now() - ageMs),
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        await tx
          .insertInto('sessions')
          .values({
            id: sessionId,
            organisation_id: organisationId,
            user_id: user.id,
            expires_at: new Date(Date.now() + 3_600_000),
          })
          .execute();
        return user.id;
      });
      return { id, organisationId, email, token: await tokens.issue(id, sessionId) };
    },
    ingestKey: (organisationId) => ingestKeys.createUnattended(organisationId, 'test'),
    send(key, documents, index = 'logs') {
      const lines = documents.flatMap((document) => [
        '{"create":{}}',
        typeof document === 'string' ? document : JSON.stringify(document),
      ]);
      return application.app.inject({
        method: 'POST',
        url: `/ingest/${index}/_bulk`,
        headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/x-ndjson' },
        payload: `${lines.join('\n')}\n`,
      });
    },
    call(endpoint, input, user) {
      const {
        params = {},
        query = {},
        body,
      } = input as { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: object };
      const path = endpoint.path.replace(/:([A-Za-z]+)/g, (_whole: string, name: string) =>
        encodeURIComponent(String(params[name])),
      );
      return application.app.inject({
        method: endpoint.method,
        url: endpoint.prefix + path,
        query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
        headers: { ...(user && { authorization: `Bearer ${user.token}` }) },
        ...(endpoint.method !== 'GET' && { payload: body ?? {} }),
      });
    },
    async close() {
      await db.close();
      await application.close();
      await database.close();
    },
  };
}

/** The application of one test file. */
export const useTestApp = (environment: Record<string, string> = {}): TestApp =>
  useFixture(
    () => testApp(environment),
    (t) => t.close(),
  );

/** A database with organisations, which the setting SYSLOG needs at the start. */
export async function databaseWith(...organisations: number[]): Promise<TestDatabase> {
  const database = await testDatabase();
  const rows = organisations.map((id) => ({ id, name: `Organisation ${id}`, is_partner: false, is_mfa_compulsory: false }));
  await scoped(database.db, 'system', (tx) => tx.insertInto('organisations').values(rows).execute());
  return database;
}

/** Ages the sign-ins of a user beyond the step-up period. */
export const ageSessions = (t: Pick<TestApp, 'db'>, userId: number): Promise<unknown> =>
  scoped(t.db, 'system', (tx) =>
    tx
      .updateTable('sessions')
      .set({
        signed_in_at: sql<Date>`now() - interval '11 minutes'`,
        proven_at: sql<Date>`now() - interval '11 minutes'`,
        second_factor_at: sql<Date>`second_factor_at - interval '11 minutes'`,
      })
      .where('user_id', '=', userId)
      .execute(),
  );
