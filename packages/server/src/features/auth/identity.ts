/**
 * Who a bearer token belongs to. The answer is remembered for a few seconds, and only while the bus listens: whatever changes who may do
 * what is told to every process in its own transaction, and forgets everything remembered, so a change holds from the next request on.
 */
import type { FastifyRequest } from 'fastify';
import type { Bus } from '../../core/bus.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { Identify } from '../../core/http/serve.ts';
import { idleMinutes } from './auth.service.ts';
import { findActor } from './auth.store.ts';
import type { Tokens } from './tokens.ts';

const rememberMs = 5_000;
const maxRemembered = 10_000;

type Remembered = { actor: Omit<Actor, 'address'>; until: number };

export function createIdentify({ db, bus, tokens }: { db: Database; bus: Bus; tokens: Tokens }): Identify {
  const remembered = new Map<string, Remembered>();
  let changes = 0;
  const forget = () => {
    changes++;
    remembered.clear();
  };
  bus.on('identity.changed', forget);
  bus.on('bus.reconnected', forget);

  return async (request: FastifyRequest) => {
    const header = request.headers.authorization;
    if (!header?.startsWith('Bearer ')) return undefined;
    const token = header.slice(7);
    const known = remembered.get(token);
    if (known && known.until > Date.now() && bus.isListening()) return { ...known.actor, address: request.ip };

    remembered.delete(token);
    const claims = await tokens.read(token);
    if (!claims) return undefined;
    const changesBefore = changes;
    const actor = await scoped(db, 'system', (tx) => findActor(tx, claims.sessionId, claims.userId, idleMinutes));
    if (!actor) return undefined;
    if (remembered.size >= maxRemembered) remembered.clear();
    // What was read before a change must not be remembered after it.
    if (changes === changesBefore) remembered.set(token, { actor, until: Math.min(Date.now() + rememberMs, claims.expiresAt * 1000) });
    return { ...actor, address: request.ip };
  };
}
