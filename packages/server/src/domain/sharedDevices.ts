/** Cloud services, which are devices that many people share: a sighting or a habit there belongs to the user, not to the device. */
import type { Tx } from '../core/db/scope.ts';

/** Names in lower case of an organisation's shared devices. */
export async function listSharedDevices(tx: Tx, organisationId: number): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('devices')
    .select('name_key')
    .where('organisation_id', '=', organisationId)
    .where('device_type', 'in', ['productivity', 'cloudPlatform', 'cloudApp'])
    .limit(10_000)
    .execute();
  return new Set(rows.map((row) => row.name_key));
}
