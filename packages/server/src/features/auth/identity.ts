/**
 * Resolves bearer tokens and API keys to actors, on every request, so that a sign-out, a role change or a move applies from the next
 * one on. Concurrent requests share a query: under load many sessions cost one round trip.
 */
import { createBatchLoader } from '../../core/batch-loader.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import type { Identify } from '../../core/http/serve.ts';
import { hashOfToken } from '../../core/secrets.ts';
import { findActors, findActorsByKey } from './auth.store.ts';
import { idleMinutes } from './sessions.ts';
import type { TokenClaims, Tokens } from './tokens.ts';

const maxCachedTokens = 10_000;
/** Format of an API key (account.createApiKey). */
const apiKeyShape = /^pak_[\w-]{43}$/;

export function createIdentify({ db, tokens, clock }: { db: Database; tokens: Tokens; clock: Clock }): Identify {
  const load = createBatchLoader((sessionIds: ReadonlyMap<string, null>) => findActors(db, [...sessionIds.keys()], idleMinutes));
  const loadByKey = createBatchLoader((hashes: ReadonlyMap<string, null>) => findActorsByKey(db, [...hashes.keys()]));
  // Claims are immutable, so a token’s signature is verified once. Its session is looked up each time.
  const verified = new Map<string, TokenClaims>();

  return async (request) => {
    const header = request.headers.authorization;
    if (!header?.startsWith('Bearer ')) return undefined;
    const token = header.slice(7);
    if (apiKeyShape.test(token)) {
      const owner = await loadByKey(hashOfToken(token).toString('hex'), null);
      return owner && { ...owner, address: request.ip };
    }
    let claims = verified.get(token);
    if (!claims) {
      claims = await tokens.read(token);
      if (!claims) return undefined;
      if (verified.size >= maxCachedTokens) verified.clear();
      verified.set(token, claims);
    } else if (claims.expiresAt * 1000 <= clock.now()) {
      verified.delete(token);
      return undefined;
    }
    const actor = await load(claims.sessionId, null);
    return actor?.userId === claims.userId ? { ...actor, address: request.ip } : undefined;
  };
}
