/** Users that send questions: one per conversation, to stay below the per-user message limit. */
import { randomUUID } from 'node:crypto';
import type { Database } from '@parapet/server/core/db/connect.ts';
import { scoped } from '@parapet/server/core/db/scope.ts';
import { createTokens } from '@parapet/server/features/auth/tokens.ts';
import { personaOf } from '@parapet/world/personas.ts';
import { sharedSecret } from '../../packages/server/test/keys.ts';

export const secretKey = 'a secret of the benchmark, long enough';

export interface Asker {
  userId: number;
  token: string;
}

/** Returns signed-in users with a persona's role and organisation. */
export async function openPeople(db: Database) {
  const tokens = createTokens(await sharedSecret(db, 'access tokens', secretKey));
  const session = async (organisationId: number, userId: number): Promise<Asker> => {
    const id = randomUUID();
    await scoped(db, 'system', (tx) =>
      tx
        .insertInto('sessions')
        .values({ id, organisation_id: organisationId, user_id: userId, expires_at: new Date(Date.now() + 3_600_000) })
        .execute(),
    );
    return { userId, token: await tokens.issue(userId, id) };
  };
  return {
    /** A new user of the same kind. */
    async like(key: string): Promise<Asker> {
      const { organisationId, role } = personaOf(key);
      const { id } = await scoped(db, 'system', (tx) =>
        tx
          .insertInto('users')
          .values({
            organisation_id: organisationId,
            email: `${randomUUID()}@bench.example`,
            first_name: 'Bench',
            last_name: 'Asker',
            role,
          })
          .returning('id')
          .executeTakeFirstOrThrow(),
      );
      return session(organisationId, id);
    },
    /** The persona itself, for questions about its own cases. */
    async self(key: string): Promise<Asker> {
      const { organisationId, email } = personaOf(key);
      const { id } = await scoped(db, 'system', (tx) =>
        tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow(),
      );
      return session(organisationId, id);
    },
  };
}
