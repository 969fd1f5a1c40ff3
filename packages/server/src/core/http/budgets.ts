/**
 * Rate limits per user or key: calls a minute, refusals, and probes of missing or taken names. Counted by each
 * process separately, in bounded memory: a check costs no round trip to the database (docs/decisions/0025-budgets.md).
 */

import type { CreateRateLimitOptions } from '@fastify/rate-limit';
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import { type Problem, problem } from '@parapet/contract/problem.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Actor } from './actor.ts';
import { netOf } from './addresses.ts';
import { createInFlight, type InFlightLimits } from './inFlight.ts';

export interface Limits extends InFlightLimits {
  /** Reads a minute of one person or key; a change costs as much as `costs.change` reads, a file as `costs.file`. */
  callsAMinute: number;
  /** Refused calls a minute of one person or key, and as many tries of what does not exist or is taken. */
  refusalsAMinute: number;
}

/** Kind of limit; becomes the name of the alarm. */
export type BudgetKind = 'calls' | 'refusals' | 'probing' | 'unknownCallers';

export interface Alarm {
  kind: BudgetKind;
  /** Undefined for callers that are not known. */
  actor: Actor | undefined;
  address: string;
  /** Limit per minute. */
  limit: number;
}

export interface BudgetDeps {
  limits: Limits;
  /** Called once for each burst. */
  raise: (alarm: Alarm) => void;
  /** For the process's metrics. */
  refused: (reason: string) => void;
}

const costs = { read: 1, change: 5, file: 25 };
const costOf = (endpoint: Endpoint): keyof typeof costs =>
  endpoint.upload || endpoint.answers === 'file' ? 'file' : endpoint.method === 'GET' ? 'read' : 'change';

const timeWindow = 60_000;
const maxRemembered = 10_000;
/** A whole network may come from one address, each with pages open whose sign-in is over. */
const addressTimes = 10;
/** Quiet for so long, the next excess is another burst. */
const burstMs = 10 * 60_000;

const keyOf = ({ actor, ip }: FastifyRequest): string =>
  actor ? (actor.apiKey ? `key ${actor.apiKey.id}` : `user ${actor.userId}`) : `address ${netOf(ip)}`;

/** Limit that a refusal of a known caller counts against. Version conflicts are no probing. */
function kindOf({ code, versions }: Problem): BudgetKind | undefined {
  if (code === 'forbidden') return 'refusals';
  return code === 'notFound' || (code === 'conflict' && !versions) ? 'probing' : undefined;
}

export type Budgets = ReturnType<typeof createBudgets>;

/** Needs `@fastify/rate-limit` registered on the app. */
export function createBudgets(app: FastifyInstance, { limits, raise, refused }: BudgetDeps) {
  const inFlight = createInFlight(limits);
  const counter = (max: number) => {
    const options: CreateRateLimitOptions & { cache: number } = { max, timeWindow, keyGenerator: keyOf, cache: maxRemembered };
    return { max, count: app.createRateLimit(options) };
  };
  const perCost = {
    read: counter(limits.callsAMinute / costs.read),
    change: counter(Math.ceil(limits.callsAMinute / costs.change)),
    file: counter(Math.ceil(limits.callsAMinute / costs.file)),
  };
  const perKind = {
    refusals: counter(limits.refusalsAMinute),
    probing: counter(limits.refusalsAMinute),
    unknownCallers: counter(limits.refusalsAMinute * addressTimes),
  };
  /** End of the block, by `performance.now()`: a set clock neither prolongs nor ends one. */
  const blocked = new Map<string, number>();
  const bursts = new Map<string, number>();

  const put = (map: Map<string, number>, key: string, value: number): void => {
    map.delete(key);
    map.set(key, value);
    if (map.size > maxRemembered) map.delete(map.keys().next().value as string);
  };

  const exceeded = (kind: BudgetKind, limit: number, request: FastifyRequest, seconds: number): Problem => {
    refused(kind);
    const burst = `${kind} ${keyOf(request)}`;
    const now = performance.now();
    if ((bursts.get(burst) ?? Number.NEGATIVE_INFINITY) < now - burstMs)
      raise({ kind, actor: request.actor, address: request.ip, limit });
    put(bursts, burst, now);
    return problem.tooManyRequests(
      kind === 'calls'
        ? 'Too many requests within a minute. Please wait a moment.'
        : 'Too many refused requests within a minute. Please wait a moment.',
      Math.max(seconds, 1),
    );
  };

  return {
    /** Counts a call of a known caller; throws tooManyRequests above the limit. `bytes`: announced body size. */
    async take(endpoint: Endpoint, request: FastifyRequest): Promise<void> {
      const key = keyOf(request);
      const until = blocked.get(key);
      if (until !== undefined) {
        const seconds = Math.ceil((until - performance.now()) / 1000);
        if (seconds > 0) {
          refused('blocked');
          throw problem.tooManyRequests('Too many refused requests within a minute. Please wait a moment.', seconds);
        }
        blocked.delete(key);
      }
      const { max, count } = perCost[costOf(endpoint)];
      const taken = await count(request);
      if (!taken.isAllowed && taken.isExceeded) throw exceeded('calls', max, request, taken.ttlInSeconds);
    },

    /**
     * Counts an error before it is sent; throws tooManyRequests in its place when the budget is spent. A known caller then receives nothing else
     * for the rest of the minute, as other responses would reveal the result of a probe.
     */
    async count(error: Problem, request: FastifyRequest): Promise<void> {
      const kind = request.actor ? kindOf(error) : 'unknownCallers';
      if (!kind || kind === 'calls') return;
      refused(error.code);
      const { max, count } = perKind[kind];
      const counted = await count(request);
      if (counted.isAllowed || !counted.isExceeded) return;
      if (request.actor) put(blocked, keyOf(request), performance.now() + counted.ttl);
      throw exceeded(kind, max, request, counted.ttlInSeconds);
    },

    hold: (request: FastifyRequest, bytes: number, reply: Parameters<typeof inFlight.hold>[3]): void =>
      inFlight.hold(keyOf(request), `address ${netOf(request.ip)}`, bytes, reply),
  };
}
