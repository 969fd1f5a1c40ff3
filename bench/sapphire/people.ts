/** The personas that send questions. */
import { randomUUID } from 'node:crypto';
import type { Database } from '@parapet/server/core/db/connect.ts';
import { scoped } from '@parapet/server/core/db/scope.ts';
import { createTokens } from '@parapet/server/features/auth/tokens.ts';
import { organisations } from '@parapet/world/organisations.ts';
import { personaOf } from '@parapet/world/personas.ts';
import { sharedSecret } from '../../packages/server/test/keys.ts';

export const secretKey = 'a secret of the benchmark, long enough';

/** Organisations visible to a persona: for a manager only the own one, also at a partner. */
export function scopeOf(persona: string): number[] {
  const { organisationId, role } = personaOf(persona);
  if (role === 'Manager') return [organisationId];
  return organisations
    .filter(({ id, parentId }) => organisationId === 1 || id === organisationId || parentId === organisationId)
    .map(({ id }) => id);
}

export interface Asker {
  userId: number;
  token: string;
}

/** Signs personas in. */
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
    async self(key: string): Promise<Asker> {
      const { organisationId, email } = personaOf(key);
      const { id } = await scoped(db, 'system', (tx) =>
        tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow(),
      );
      return session(organisationId, id);
    },
  };
}
