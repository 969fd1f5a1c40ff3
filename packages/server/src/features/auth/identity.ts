/**
 * Who a bearer token or an API key belongs to, asked anew at every request, so that a sign-out, a role change or a move holds from the next one on. Requests
 * that come while a question is under way share the next one: under load many sessions cost one round trip.
 */

import { createBatchLoader } from '../../core/batch-loader.ts';
import type { Database } from '../../core/db/connect.ts';
import type { Identify } from '../../core/http/serve.ts';
import { hashOfToken } from '../../core/secrets.ts';
import { findActors, findActorsByKey } from './auth.store.ts';
import { idleMinutes } from './sessions.ts';
import type { TokenClaims, Tokens } from './tokens.ts';

const maxRemembered = 10_000;
/** An API key, as account.createApiKey makes it. */
const apiKeyShape = /^pak_[\w-]{43}$/;

export function createIdentify({ db, tokens }: { db: Database; tokens: Tokens }): Identify {
  const load = createBatchLoader((sessionIds: ReadonlyMap<string, null>) => findActors(db, [...sessionIds.keys()], idleMinutes));
  const loadByKey = createBatchLoader((hashes: ReadonlyMap<string, null>) => findActorsByKey(db, [...hashes.keys()]));
  // What a token says never changes, so its signature is checked once. Whether its session lives is not remembered.
  const read = new Map<string, TokenClaims>();

  return async (request) => {
    const header = request.headers.authorization;
    if (!header?.startsWith('Bearer ')) return undefined;
    const token = header.slice(7);
    if (apiKeyShape.test(token)) {
      const owner = await loadByKey(hashOfToken(token).toString('hex'), null);
      return owner && { ...owner, address: request.ip };
    }
    let claims = read.get(token);
    if (!claims) {
      claims = await tokens.read(token);
      if (!claims) return undefined;
      if (read.size >= maxRemembered) read.clear();
      read.set(token, claims);
    } else if (claims.expiresAt * 1000 <= Date.now()) {
      read.delete(token);
      return undefined;
    }
    const actor = await load(claims.sessionId, null);
    return actor?.userId === claims.userId ? { ...actor, address: request.ip } : undefined;
  };
}
