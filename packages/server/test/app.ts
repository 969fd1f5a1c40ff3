/** The whole server on a database of its own, without a port: what feature tests call. Each test makes its own organisations and users. */
import { randomUUID } from 'node:crypto';
import type { Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import type { LightMyRequestResponse } from 'fastify';
import { readConfig } from '../src/core/config.ts';
import { connect, type Database } from '../src/core/db/connect.ts';
import { scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { sharedSecret } from '../src/core/secrets.ts';
import { createTokens } from '../src/features/auth/tokens.ts';
import { createIngestKeysService } from '../src/features/ingest-keys/ingest-keys.service.ts';
import { type House, openHouse } from '../src/house.ts';
import { type TestDatabase, testDatabase } from './database.ts';

const secretKey = 'a secret of the tests, long enough to be one';

export interface TestUser {
  id: number;
  organisationId: number;
  email: string;
  token: string;
}

export interface TestApp {
  house: House;
  database: TestDatabase;
  db: Database;
  /** A new organisation's id. Ids above 1000, so that nobody is the provider by chance. */
  organisation(options?: { isPartner?: boolean; parentId?: number; id?: number; name?: string }): Promise<number>;
  user(options: { organisationId: number; role: string }): Promise<TestUser>;
  ingestKey(organisationId: number): Promise<string>;
  /** Posts events to the bulk intake, one `create` each. */
  send(key: string, documents: (object | string)[], index?: string): Promise<LightMyRequestResponse>;
  call<E extends Endpoint>(endpoint: E, input: InputOf<E>, user?: Pick<TestUser, 'token'>): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

export async function testApp(environment: Record<string, string> = {}): Promise<TestApp> {
  const database = await testDatabase();
  const config = readConfig({
    DATABASE_URL: database.ownerUrl,
    PORTAL_DEMO: '0',
    PORTAL_ROLES: 'api,ingest',
    SECRET_KEY: secretKey,
    ...environment,
  });
  const house = await openHouse(config, silentLog);
  await house.ready;
  const db = connect({ url: database.url, applicationName: 'test', poolSize: 2 });
  const tokens = createTokens(await sharedSecret(db, 'access tokens', secretKey));
  const keys = createIngestKeysService({ db });
  let next = 1000;

  return {
    house,
    database,
    db,
    async organisation({ isPartner = false, parentId, id = ++next, name = `Organisation ${id}` } = {}) {
      await scoped(db, 'system', (tx) =>
        tx
          .insertInto('organisations')
          .values({ id, name, is_partner: isPartner, parent_id: parentId ?? null, is_mfa_compulsory: false })
          .execute(),
      );
      return id;
    },
    async user({ organisationId, role }) {
      const email = `${randomUUID()}@test.example`;
      const sessionId = randomUUID();
      const id = await scoped(db, 'system', async (tx) => {
        const user = await tx
          .insertInto('users')
          .values({ organisation_id: organisationId, email, first_name: 'Test', last_name: role, role })
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
    ingestKey: (organisationId) => keys.createUnattended(organisationId, 'test'),
    send(key, documents, index = 'logs') {
      const lines = documents.flatMap((document) => [
        '{"create":{}}',
        typeof document === 'string' ? document : JSON.stringify(document),
      ]);
      return house.app.inject({
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
      return house.app.inject({
        method: endpoint.method,
        url: endpoint.prefix + path,
        query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
        headers: { ...(user && { authorization: `Bearer ${user.token}` }) },
        ...(endpoint.method !== 'GET' && { payload: body ?? {} }),
      });
    },
    async close() {
      await db.close();
      await house.close();
      await database.close();
    },
  };
}
