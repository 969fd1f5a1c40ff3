/** Names by which events name a device or a user, as conditions of a search. */
import { sql } from 'kysely';
import { storable } from '../../core/db/like.ts';
import type { Tx } from '../../core/db/scope.ts';
import { namesOfDevice } from '../deviceCounts.ts';
import { namesOfUser } from '../identities.ts';

/** All names of the device and of the user, within what the transaction sees; undefined for any. */
export async function namesOf(tx: Tx, { device, user }: { device?: string | undefined; user?: string | undefined }) {
  if (device === undefined && user === undefined) return { devices: undefined, users: undefined };
  const { rows } = await sql<{ devices: string[] | null; users: string[] | null }>`
    select ${device === undefined ? sql`null` : namesOfDevice(storable(device))} as devices,
      ${user === undefined ? sql`null` : namesOfUser(storable(user))} as users`.execute(tx);
  return { devices: rows[0]?.devices ?? undefined, users: rows[0]?.users ?? undefined };
}
