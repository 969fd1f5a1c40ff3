/** The API key behind what is being created, so that it can be revoked together with the key. */
import { problem } from '@parapet/contract/problem.ts';
import type { Actor } from '../http/actor.ts';
import type { Tx } from './scope.ts';

/** The id of the actor's API key, kept from being revoked until the transaction ends; null for a person. Throws 401 when it was revoked meanwhile. */
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
