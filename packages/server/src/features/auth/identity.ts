/**
 * Who a bearer token or an API key belongs to, asked anew at every request, so that a sign-out, a role change or a move holds from the next one on. Requests
 * that come while a question is under way share the next one: under load many sessions cost one round trip.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../core/db/connect.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { Identify } from '../../core/http/serve.ts';
import { hashOfToken } from '../../core/secrets.ts';
import { findActors, findActorsByKey } from './auth.store.ts';
import { idleMinutes } from './sessions.ts';
import type { TokenClaims, Tokens } from './tokens.ts';

type Known = Omit<Actor, 'address'>;

const maxRemembered = 10_000;
/** An API key, as account.createApiKey makes it. */
const apiKeyShape = /^pak_[\w-]{43}$/;
/** One is being answered while another gathers. */
const maxUnderWay = 2;

export function createIdentify({ db, tokens }: { db: Database; tokens: Tokens }): Identify {
  const load = createLoader((sessionIds) => findActors(db, sessionIds, idleMinutes));
  const loadByKey = createLoader((hashes) => findActorsByKey(db, hashes));
  // What a token says never changes, so its signature is checked once. Whether its session lives is not remembered.
  const read = new Map<string, TokenClaims>();

  return async (request) => {
    const header = request.headers.authorization;
    if (!header?.startsWith('Bearer ')) return undefined;
    const token = header.slice(7);
    if (apiKeyShape.test(token)) {
      const owner = await loadByKey(hashOfToken(token).toString('hex'));
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
    const actor = await load(claims.sessionId);
    return actor?.userId === claims.userId ? { ...actor, address: request.ip } : undefined;
  };
}

/** Answers by key from a question that is asked for many keys at once, always after the key was given in. */
function createLoader(ask: (keys: readonly string[]) => Promise<Map<string, Known>>) {
  let gathering: { keys: Set<string>; answer: Promise<Map<string, Known>> } | undefined;
  const underWay = new Set<Promise<unknown>>();

  return async (key: string): Promise<Known | undefined> => {
    if (!gathering) {
      const keys = new Set<string>();
      // All that this turn of the event loop brings goes into one question.
      const turn = underWay.size < maxUnderWay ? nextTurn() : Promise.race(underWay);
      const answer = turn.then(() => {
        gathering = undefined;
        const question = ask([...keys]);
        const settled: Promise<unknown> = question.catch(() => {}).finally(() => underWay.delete(settled));
        underWay.add(settled);
        return question;
      });
      gathering = { keys, answer };
    }
    gathering.keys.add(key);
    return (await gathering.answer).get(key);
  };
}
