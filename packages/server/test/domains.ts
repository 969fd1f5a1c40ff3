/** Marks domains as proven. */
import type { Database } from '../src/core/db/connect.ts';
import { scoped } from '../src/core/db/scope.ts';

export const proveDomain = (db: Database, organisationId: number, domain: string): Promise<unknown> =>
  scoped(db, 'system', (tx) =>
    tx
      .insertInto('domains')
      .values({ organisation_id: organisationId, domain, token: 'of the tests', verified_at: new Date() })
      .onConflict((conflict) => conflict.columns(['organisation_id', 'domain']).doUpdateSet({ verified_at: new Date() }))
      .execute(),
  );
