/** API key behind a new object, so that revoking the key can revoke the object. */
import { problem } from '@parapet/contract/problem.ts';
import type { Tx } from '../core/db/scope.ts';
import type { Actor } from '../core/http/actor.ts';

/** Id of the actor’s API key, locked against revocation until the transaction ends; null for a person. Throws 401 for a revoked key. */
export async function apiKeyInUse(tx: Tx, actor: Actor | undefined): Promise<number | null> {
  if (!actor?.apiKey) return null;
  const row = await tx
    .selectFrom('api_keys')
    .select('id')
    .where('id', '=', actor.apiKey.id)
    .where('organisation_id', '=', actor.organisationId)
    .where('revoked_at', 'is', null)
    .forShare()
    .executeTakeFirst();
  if (!row) throw problem.signInNeeded();
  return row.id;
}
