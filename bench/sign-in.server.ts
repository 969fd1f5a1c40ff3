/** Server for sign-in.bench.ts: the portal with users, beside bare password verifications in one process. */
import { hash, verify } from '@node-rs/argon2';
import { startApplication } from '@parapet/server/application.ts';
import { readConfig } from '@parapet/server/core/config.ts';
import { scoped } from '@parapet/server/core/db/scope.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { hashPassword } from '@parapet/server/core/passwords.ts';
import { createTokens } from '@parapet/server/features/auth/tokens.ts';
import Fastify from 'fastify';
import { sharedSecret } from '../packages/server/test/keys.ts';
import { listen } from './listen.ts';
import { temporaryDatabase } from './temporary-database.ts';

const password = 'Correct-Horse-9-Battery';
const people = 400;
/** Cost parameters: the OWASP minimum. */
const stated = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const database = await temporaryDatabase();
const { userId, sessionId } = await database.session();
const passwordHash = await hashPassword(password);
await scoped(database.db, 'system', async (tx) => {
  await tx.updateTable('organisations').set({ is_mfa_compulsory: false }).execute();
  await tx
    .insertInto('users')
    .values(
      Array.from({ length: people }, (_, i) => ({
        organisation_id: 5000,
        email: `person${i}@bench.example`,
        first_name: 'P',
        last_name: String(i),
        role: 'Analyst',
        password_hash: passwordHash,
      })),
    )
    .execute();
});
const secretKey = 'a secret of the benchmark, long enough';

const tokens = createTokens(await sharedSecret(database.db, 'access tokens', secretKey));
const application = await startApplication(
  readConfig({
    // Lift the rate limits: one user sends the whole load.
    API_CALLS_A_MINUTE: '1000000000',
    DATABASE_URL: database.ownerUrl,
    PORTAL_DEMO: '0',
    PORTAL_ROLES: 'api',
    SECRET_KEY: secretKey,
    TRUST_PROXY: '1',
  }),
  silentLog,
);
await application.ready;

const bareHash = await hash(password, stated);
const bare = Fastify();
/** Verifications per second, two at a time. */
bare.get('/bare/:count', async (request) => {
  let left = Number((request.params as { count: string }).count);
  const count = left;
  const started = performance.now();
  await Promise.all(
    [1, 2].map(async () => {
      while (left-- > 0) if (!(await verify(bareHash, password))) throw new Error('A verification failed.');
    }),
  );
  return String(count / ((performance.now() - started) / 1000));
});

process.once('SIGTERM', async () => {
  await bare.close();
  await application.close();
  await database.close();
  process.exit(0);
});
const ours = await listen(application.app);
console.log(
  JSON.stringify({
    signIn: `${ours}/api/v1/auth/authenticate`,
    other: `${ours}/api/v1/tags?selectedClientOrgID=5000`,
    bare: await listen(bare),
    token: await tokens.issue(userId, sessionId),
    password,
    people,
  }),
);
