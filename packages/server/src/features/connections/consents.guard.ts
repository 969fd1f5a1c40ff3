import type { Consent } from '@parapet/connectors/connector.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped } from '../../core/db/scope.ts';
import { isConsentedElsewhere } from './consents.store.ts';

/** Throws a `Problem` for a tenant that consented for another organisation. */
export async function requireOwnTenant(
  db: Database,
  { consent }: { consent?: Consent | undefined },
  organisationId: number,
  account: string,
): Promise<void> {
  if (consent && (await readScoped(db, 'system', (tx) => isConsentedElsewhere(tx, organisationId, account))))
    throw problem.conflict('This tenant is connected for another client already, and a tenant belongs to one client only.');
}
