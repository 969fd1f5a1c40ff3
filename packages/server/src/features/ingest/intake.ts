/**
 * Parts that all HTTP protocols of the intake share: authentication before the body is read, admission, decompression, and the
 * kinds of refusal, which each protocol words in its own way.
 */
import { setTimeout as pause } from 'node:timers/promises';
import compress from '@fastify/compress';
import { Problem } from '@parapet/contract/problem.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseAway } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { shouldYield, yieldToEventLoop } from '../../core/yielding.ts';
import type { Arrival } from '../../pipeline/event.ts';
import type { DeadReason } from '../../pipeline/result.ts';
import type { Admission } from './admission.ts';
import { eventsPerBatch, type IngestService, newRequestState, type Taken } from './ingest.service.ts';

export const maxRequestBytes = 10 * 1024 * 1024;
/** Most events of a request. */
export const maxItems = 100_000;
/** Characters of events processed at once: parsed, they take many times that. */
const bitLength = 4 * 1024 * 1024;
/** Assumed expansion of a compressed body until its size is known. */
const assumedRatio = 8;
const wrongKeyPauseMs = 500;
const databaseAwayPauseMs = 500;

declare module 'fastify' {
  interface FastifyRequest {
    organisationId?: number;
    /** An agent’s own device. */
    deviceName?: string;
    release?: () => void;
  }
}

/** Reasons to refuse a whole request. Of these, `busy`, `restarting`, `database-away` and `failed` are worth another try. */
export type Refusal =
  | 'no-key'
  | 'bad-authorization'
  | 'key-in-address'
  | 'wrong-key'
  | 'restarting'
  | 'busy'
  | 'database-away'
  | 'failed'
  | 'too-large'
  | 'unsupported-encoding'
  | 'not-found'
  | 'malformed';

export const refusalTexts: Readonly<Record<Refusal, string>> = {
  'no-key': 'This request has no ingest key.',
  'bad-authorization': 'This Authorization header is not understood.',
  'key-in-address': 'A key in the address is not accepted. Send it in the Authorization header.',
  'wrong-key': 'This ingest key is unknown or revoked.',
  restarting: 'The portal is being restarted. Send it again.',
  busy: 'The intake is at capacity. Send it again in a second.',
  'database-away': 'The database is unavailable. Send this batch again; events with an id are never stored twice.',
  failed: 'This batch could not be stored. Nothing of it was stored; send it again.',
  'too-large': `A request may have at most ${maxRequestBytes / 1024 / 1024} MiB, uncompressed, and ${maxItems} events. Send smaller batches.`,
  'unsupported-encoding': 'This content encoding is not supported. Send it plain, or as gzip, deflate, br or zstd.',
  'not-found': 'Not found.',
  malformed: 'This request cannot be read.',
};

const retryAfterS: Partial<Record<Refusal, string>> = { busy: '1', 'database-away': '2', failed: '5' };

export interface IntakeDeps {
  ingest: IngestService;
  organisationOf: (key: string) => Promise<number | undefined>;
  admission: Admission;
  /** True while the process shuts down: work in flight is finished, nothing new is started. */
  isStopping?: () => boolean;
  counted: (reason: string, count: number) => void;
  log: Log;
}

export interface Protocol {
  prefix: string;
  keyOf: (request: FastifyRequest) => { key: string } | { refusal: Refusal };
  /** Sets organisation and device of a request by its key; false for an unknown key. */
  identify?: (request: FastifyRequest, key: string) => Promise<boolean>;
  refuse: (reply: FastifyReply, refusal: Refusal, detail?: string) => FastifyReply | Promise<FastifyReply>;
  /** Headers of every answer. */
  headers?: Record<string, string>;
  /** Paths without a key, below the prefix. */
  isOpen?: (request: FastifyRequest) => boolean;
}

/** Registers a protocol’s routes with what all share. */
export async function registerProtocol(
  app: FastifyInstance,
  deps: IntakeDeps,
  protocol: Protocol,
  routes: (scope: FastifyInstance) => void,
): Promise<void> {
  await app.register(
    async (scope) => {
      await scope.register(compress, { global: false, globalDecompression: true });
      // Every shipper has its own content type.
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxRequestBytes }, (_request, body, done) =>
        done(null, body),
      );
      scope.addHook('onRequest', (request, reply) => authenticate(deps, protocol, request, reply));
      scope.addHook('onResponse', async (request) => request.release?.());
      scope.setErrorHandler((error, request, reply) => refuseError(deps, protocol, error, request, reply));
      routes(scope);
    },
    { prefix: protocol.prefix },
  );
}

function refuse(protocol: Protocol, reply: FastifyReply, refusal: Refusal, detail?: string) {
  const seconds = retryAfterS[refusal];
  if (seconds !== undefined) reply.header('retry-after', seconds);
  if (refusal === 'restarting') reply.header('connection', 'close');
  return protocol.refuse(reply, refusal, detail);
}

/** Resolves the key, then reserves capacity for the body of an upload. */
async function authenticate(deps: IntakeDeps, protocol: Protocol, request: FastifyRequest, reply: FastifyReply) {
  if (protocol.headers) reply.headers(protocol.headers);
  if (protocol.isOpen?.(request)) return undefined;
  const found = protocol.keyOf(request);
  const isKnown = 'key' in found && (await identify(deps, protocol, request, found.key));
  if (!isKnown) {
    deps.counted('wrong-key', 1);
    await pause(wrongKeyPauseMs);
    return refuse(protocol, reply, 'key' in found ? 'wrong-key' : found.refusal);
  }
  if (request.method === 'POST' || request.method === 'PUT') return admit(deps, protocol, request, reply);
  return undefined;
}

async function identify(deps: IntakeDeps, protocol: Protocol, request: FastifyRequest, key: string): Promise<boolean> {
  if (await protocol.identify?.(request, key)) return true;
  const organisationId = await deps.organisationOf(key);
  if (organisationId === undefined) return false;
  request.organisationId = organisationId;
  return true;
}

function admit(deps: IntakeDeps, protocol: Protocol, request: FastifyRequest, reply: FastifyReply) {
  if (deps.isStopping?.()) return refuse(protocol, reply, 'restarting');
  const length = Number(request.headers['content-length'] ?? 1024 * 1024);
  if (length > maxRequestBytes) {
    deps.counted('request-too-large', 1);
    return refuse(protocol, reply, 'too-large');
  }
  // The client disconnected during the key lookup: nothing would release its capacity.
  if (reply.raw.destroyed) return reply.hijack();
  const bytes = Math.min(maxRequestBytes, request.headers['content-encoding'] ? length * assumedRatio : length);
  const release = deps.admission.admit(request.organisationId as number, bytes);
  if (!release) {
    deps.counted('busy', 1);
    return refuse(protocol, reply, 'busy');
  }
  request.release = release;
  // The connection may break before a response is sent.
  reply.raw.once('close', release);
  return undefined;
}

async function refuseError(deps: IntakeDeps, protocol: Protocol, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const status = error instanceof Problem ? error.status : ((error as { statusCode?: number }).statusCode ?? 500);
  if (isDatabaseAway(error)) {
    // Some shippers retry at once; each attempt costs the starting database a process.
    await pause(databaseAwayPauseMs);
    return refuse(protocol, reply, 'database-away');
  }
  if (status === 413) {
    deps.counted('request-too-large', 1);
    return refuse(protocol, reply, 'too-large');
  }
  if (status < 500) {
    deps.counted('request-malformed', 1);
    if (status === 404) return refuse(protocol, reply, 'not-found');
    if (status === 415) return refuse(protocol, reply, 'unsupported-encoding');
    return refuse(protocol, reply, 'malformed', String((error as Error).message).slice(0, 300));
  }
  deps.log.error({ err: error, requestId: request.id }, `a request to ${protocol.prefix} failed`);
  return refuse(protocol, reply, 'failed');
}

/** Body of a request, empty without one. */
export const bodyOf = (request: FastifyRequest): Buffer => (Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));

/** An event, or a part of the request that is none and becomes a dead letter. */
export type Item = { kind: 'event'; arrival: Arrival; length?: number } | { kind: 'fault'; raw: string; reason: DeadReason };

/**
 * Stores the items of a request in slices, so that neither decompressed data nor work in progress grows with it. Yields each
 * slice after its commit, with one result per event.
 */
export async function* storeItems<T extends Item>(
  ingest: IngestService,
  organisationId: number,
  all: Iterable<T>,
): AsyncGenerator<{ items: T[]; results: Taken[] }, void> {
  const met = newRequestState();
  let count = 0;
  for await (const items of bitsOf(all)) {
    count += items.length;
    if (count > maxItems) throw Object.assign(new Error('too many items'), { statusCode: 413 });
    const arrivals = items.flatMap((item) => (item.kind === 'event' ? [item.arrival] : []));
    const unparseable = items.flatMap((item) =>
      item.kind === 'fault' ? [{ raw: item.raw, reason: item.reason, step: 'read' }] : [],
    );
    yield { items, results: await ingest.take(organisationId, arrivals, unparseable, met) };
  }
}

/** Groups items for one transaction, bounded by number and length. */
async function* bitsOf<T extends Item>(all: Iterable<T>): AsyncGenerator<T[], void> {
  let items: T[] = [];
  let length = 0;
  for (const item of all) {
    items.push(item);
    length += lengthOf(item);
    if (items.length >= eventsPerBatch || length >= bitLength) {
      yield items;
      items = [];
      length = 0;
    }
    if (shouldYield()) await yieldToEventLoop();
  }
  if (items.length > 0) yield items;
}

function lengthOf(item: Item): number {
  if (item.kind === 'fault') return item.raw.length;
  if (item.length !== undefined) return item.length;
  return typeof item.arrival.raw === 'string' ? item.arrival.raw.length : 0;
}
