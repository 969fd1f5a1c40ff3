/** SQL of password resets. Runs in the portal’s own scope. */
import { administratorRoles } from '@parapet/contract/access.ts';
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';

export async function updatePassword(tx: Tx, userId: number, hash: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({ password_hash: hash, password_changed_at: sql<Date>`now()` })
    .where('id', '=', userId)
    .execute();
}

export async function hasIdentity(tx: Tx, userId: number): Promise<boolean> {
  return (
    (await tx.selectFrom('user_identities').select('subject').where('user_id', '=', userId).executeTakeFirst()) !== undefined
  );
}

/** Addresses of up to 20 administrators who can invite users; the organisation’s own address when there are none. */
export async function findAdministrators(tx: Tx, organisationId: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('users')
    .select('email')
    .where('organisation_id', '=', organisationId)
    .where('role', 'in', administratorRoles)
    .where('is_deleted', '=', false)
    .orderBy('id')
    .limit(20)
    .execute();
  if (rows.length > 0) return rows.map(({ email }) => email);
  const organisation = await tx
    .selectFrom('organisations')
    .select('email_address')
    .where('id', '=', organisationId)
    .executeTakeFirst();
  return organisation?.email_address ? [organisation.email_address] : [];
}
