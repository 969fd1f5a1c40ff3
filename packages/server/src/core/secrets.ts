/** Keys that all processes of one installation share: made once, kept in the database, or derived from SECRET_KEY where that is set. */
import { createHmac, randomBytes } from 'node:crypto';
import type { Database } from './db/connect.ts';
import { scoped } from './db/scope.ts';

/** 32 bytes named by their purpose. */
export async function sharedSecret(db: Database, name: string, secretKey: string | undefined): Promise<Buffer> {
  if (secretKey) return createHmac('sha256', secretKey).update(name).digest();
  return scoped(db, 'system', async (tx) => {
    await tx
      .insertInto('secrets')
      .values({ name, value: randomBytes(32) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const { value } = await tx.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirstOrThrow();
    return value;
  });
}
