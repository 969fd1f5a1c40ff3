/**
 * One line serves an endpoint: who is it, may they, is the shape right; then the handler; then the answer is parsed by its schema, so
 * that nothing outside the contract can leave. A route that is not made here (or listed as open) is refused at start.
 */

import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isAvailableToKeys, isHost, may, missingKeyScope } from '@parapet/contract/access.ts';
import { type Endpoint, type FreshnessLevel, freshnessOf } from '@parapet/contract/endpoint.ts';
import { Problem, problem } from '@parapet/contract/problem.ts';
import type { AccessChannel } from '@parapet/contract/rules/client-access-log.ts';
import { validationMessage } from '@parapet/contract/texts.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isWithin } from '../address-ranges.ts';
import { traced } from '../telemetry/tracing.ts';
import { type Actor, requireFresh } from './actor.ts';
import type { Budgets } from './budgets.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The endpoint's id, or 'open' for the few routes that are no calls (static files, health, ingest). */
    operation?: string;
  }
  interface FastifyRequest {
    /** Set before the body is read; undefined on calls that allow anyone, and on routes that are no calls. */
    actor: Actor | undefined;
  }
}

/** Below, packing costs more than it saves. A page of 50 alerts is 32 kB, packed 3 kB, for 0.13 ms; higher levels gain little. */
const worthPacking = 1024;
const pack = promisify(gzip);

export interface Call<E extends Endpoint> {
  /** Undefined only where the endpoint allows anyone. */
  actor: Actor;
  params: z.output<E['params']>;
  query: z.output<E['query']>;
  body: z.output<E['body']>;
  request: FastifyRequest;
  reply: FastifyReply;
}

export type Identify = (request: FastifyRequest) => Promise<Actor | undefined>;
/** Called for every denied call, for the audit log. */
export type Denied = (actor: Actor, operation: string, request: FastifyRequest) => Promise<void>;

/** Parts of a call that name what it reads. */
export interface AccessInput {
  params?: unknown;
  query?: unknown;
  body?: unknown;
  answer?: unknown;
}
/** Called after every call that succeeded, for the access log of clients; must neither wait nor throw. */
export type RecordAccess = (actor: Actor, endpoint: Endpoint, input: AccessInput, channel?: AccessChannel) => void;

export interface Serving {
  app: FastifyInstance;
  identify: Identify;
  denied: Denied;
  /** Undefined: accesses are not recorded. */
  recordAccess?: RecordAccess | undefined;
  /** Undefined: nothing is counted. */
  budgets?: Budgets | undefined;
  /** True: only a Host may call; sign-in stays open. */
  isUnderMaintenance?: boolean;
}

/** Body limit of endpoints that allow anyone, in bytes. */
const maxPublicBytes = 64 * 1024;
const maxJsonBytes = 1024 * 1024;

/** Refusal of everyone but hosts during maintenance. */
export const underMaintenance = (): Problem =>
  problem.unavailable('The portal is under maintenance. Please come back in a few minutes.', 300);

/** Response of an endpoint that returns a file. */
export interface FileAnswer {
  type: string;
  bytes: Buffer | string | Readable;
  /** Given, the browser saves it under this name. */
  downloadName?: string;
  /** Private browser cache lifetime; default none. */
  maxAgeSeconds?: number;
}

/** Events and redirects are written to the reply by the handler itself. */
type Answer<E extends Endpoint> = E['answers'] extends 'json'
  ? z.input<E['answer']>
  : E['answers'] extends 'file'
    ? FileAnswer
    : // biome-ignore lint/suspicious/noConfusingVoidType: such a handler returns nothing
      void;
type Handler<E extends Endpoint> = (call: Call<E>) => Promise<Answer<E>>;

export function serve<E extends Endpoint>(
  { app, identify, denied, recordAccess, budgets, isUnderMaintenance }: Serving,
  endpoint: E,
  handler: Handler<E>,
): void {
  if (!app.hasRequestDecorator('actor')) app.decorateRequest('actor', undefined);
  const isWrite = endpoint.method !== 'GET';
  // A path that begins with a parameter also matches malformed paths, which get 404 for every caller.
  const catchesAll = endpoint.path.startsWith('/:');
  // Unknown query parameters: refused on writes, ignored on reads.
  const querySchema = isWrite && endpoint.query instanceof z.ZodObject ? endpoint.query.strict() : endpoint.query;

  const refuseOtherShapes = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    if (endpoint.params.safeParse(request.params).success) done();
    else reply.callNotFound();
  };
  const bodyLimit = endpoint.upload?.maxBytes ?? (endpoint.allow === 'anyone' ? maxPublicBytes : maxJsonBytes);
  // Size, identity and permission are checked from the headers: the body of a refused request is never read.
  const measure = (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) =>
    done(Number(request.headers['content-length'] ?? 0) > bodyLimit ? problem.tooLarge(tooLargeText(bodyLimit)) : undefined);
  const admit = async (request: FastifyRequest, reply: FastifyReply) => {
    const actor = await identify(request);
    request.actor = actor;
    if (isUnderMaintenance && !(actor && isHost(actor))) throw underMaintenance();
    if (!actor) throw await refused(problem.signInNeeded(), request);
    await budgets?.take(endpoint, request);
    const refusal = refusalOf(actor, endpoint);
    if (refusal !== undefined) throw await refused(problem.forbidden(refusal), request);
    if (typeof endpoint.freshness === 'string') await requireProof(actor, endpoint.freshness, request);
    if (isWrite) budgets?.hold(request, bytesOf(request, bodyLimit), reply);
  };
  /** Counts and records a refusal; returns it, or throws tooManyRequests instead. */
  const refused = async (error: Problem, request: FastifyRequest): Promise<Problem> => {
    await budgets?.count(error, request);
    if (request.actor && error.code === 'forbidden') await denied(request.actor, endpoint.id, request);
    return error;
  };
  const requireProof = async (actor: Actor, needs: FreshnessLevel, request: FastifyRequest) => {
    try {
      requireFresh(actor, needs);
    } catch (error) {
      throw await refused(error as Problem, request);
    }
  };

  app.route({
    method: endpoint.method,
    url: endpoint.prefix + endpoint.path,
    config: { operation: endpoint.id },
    onRequest: [
      ...(catchesAll ? [refuseOtherShapes] : []),
      ...(isWrite ? [measure] : []),
      ...(endpoint.allow === 'anyone' ? [] : [admit]),
    ],
    // A stream without its body would stay open for nothing.
    exposeHeadRoute: endpoint.method === 'GET' && endpoint.answers === 'json',
    bodyLimit,
    handler: async (request, reply) => {
      const { actor } = request;
      const call = {
        actor: actor as Actor,
        params: parsePart(endpoint.params, request.params),
        query: parsePart(querySchema, request.query),
        body: endpoint.method === 'GET' ? {} : bodyOf(endpoint, request),
        request,
        reply,
      } as Call<E>;
      if (actor && typeof endpoint.freshness !== 'string') await requireProof(actor, freshnessOf(endpoint, call.body), request);
      reply.header('cache-control', 'no-store');
      // A handler may throw synchronously.
      const answer = await traced(`service ${endpoint.id}`, {}, async () => handler(call)).catch(async (error: unknown) => {
        throw actor && error instanceof Problem ? await refused(error, request) : error;
      });
      const { params, query, body } = call;
      if (actor) recordAccess?.(actor, endpoint, { params, query, body, answer });
      if (endpoint.answers === 'events' || endpoint.answers === 'redirect') return reply;
      if (endpoint.answers === 'file') return sendFile(reply, answer as FileAnswer);
      reply.type('application/json; charset=utf-8');
      const text = JSON.stringify(endpoint.answer.parse(answer));
      if (text.length < worthPacking || !/\bgzip\b/.test(String(request.headers['accept-encoding']))) return text;
      reply.header('content-encoding', 'gzip').header('vary', 'accept-encoding');
      return pack(text, { level: 1 });
    },
  });
}

const tooLargeText = (limit: number): string =>
  `The body of this request is too large; it may have ${limit >= 1024 * 1024 ? `${Math.floor(limit / 1024 / 1024)} MiB` : `${limit / 1024} KiB`}.`;

/** Announced by the headers; the maximum where they are silent. */
const bytesOf = ({ headers }: FastifyRequest, bodyLimit: number): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : bodyLimit;

/** Reason to refuse the call; undefined where it is allowed. */
export function refusalOf(actor: Actor, endpoint: Endpoint): string | undefined {
  if (!may(actor, endpoint.allow)) return `Your role (${actor.role || 'none'}) may not do this: ${endpoint.summary}`;
  if (!actor.apiKey) return undefined;
  if (!isAvailableToKeys(endpoint.allow) || endpoint.answers === 'events')
    return `An API key may not do this; sign in for it: ${endpoint.summary}`;
  if (!isWithin(actor.address, actor.apiKey.addressRanges)) return `This API key may not be used from ${actor.address}.`;
  const missing = missingKeyScope(actor.apiKey.scopes, endpoint.allow);
  return missing && `This API key lacks the scope ${missing}. Create one with it for: ${endpoint.summary}`;
}

function bodyOf(endpoint: Endpoint, request: FastifyRequest): unknown {
  if (!endpoint.upload) {
    if (Buffer.isBuffer(request.body))
      throw problem.invalid({}, 'Send the body as JSON, with the content type application/json.');
    return parsePart(endpoint.body, request.body ?? {});
  }
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  // A route that reads a file as it comes in has a parser of its own, which hands on the stream.
  const isFile = Buffer.isBuffer(request.body) || request.body instanceof Readable;
  if (!endpoint.upload.types.includes(type) || !isFile)
    throw problem.invalid({}, `Send the file itself as the body, as ${endpoint.upload.types.join(' or ')}.`);
  return request.body;
}

function sendFile(reply: FastifyReply, { type, bytes, downloadName, maxAgeSeconds = 0 }: FileAnswer): FastifyReply {
  reply.type(type);
  if (maxAgeSeconds > 0) reply.header('cache-control', `private, max-age=${maxAgeSeconds}`);
  if (downloadName) reply.header('content-disposition', `attachment; filename="${downloadName.replace(/[^\w.-]/g, '_')}"`);
  return reply.send(bytes);
}

/** The value in its shape; throws invalid with the faults by field. */
export function parsePart<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value, { error: validationMessage });
  if (parsed.success) return parsed.data;
  const errors: Record<string, string[]> = {};
  for (const issue of parsed.error.issues.slice(0, 50)) {
    const field = issue.path.join('.').slice(0, 200) || 'request';
    errors[field] = [...(errors[field] ?? []), issue.message.slice(0, 500)];
  }
  throw problem.invalid(errors);
}
