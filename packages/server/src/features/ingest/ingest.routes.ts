/**
 * Bulk intake compatible with Elasticsearch, so that Beats, rsyslog and Elastic’s clients work unchanged. Retryable errors
 * (busy, database unavailable, a wrong key) are sent as text: rsyslog discards a batch on any JSON error.
 */
import { setTimeout as pause } from 'node:timers/promises';
import compress from '@fastify/compress';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseAway } from '../../core/db/scope.ts';
import { sendRefusal } from '../../core/http/unread.ts';
import type { Log } from '../../core/log.ts';
import { shouldYield, yieldToEventLoop } from '../../core/yielding.ts';
import type { Admission } from './admission.ts';
import { type BulkItem, readBulk } from './bulk.ts';
import { elasticError, handshakeRoutes } from './handshake.ts';
import { eventsPerBatch, type IngestService, newRequestState, type Taken } from './ingest.service.ts';

export const maxRequestBytes = 10 * 1024 * 1024;
/** Each has an entry in the response. */
const maxItems = 100_000;
/** Characters of events processed at once: parsed, they take many times that. */
const bitLength = 4 * 1024 * 1024;
/** Assumed expansion of a compressed body until its size is known. */
const assumedRatio = 8;
const wrongKeyPauseMs = 500;
const databaseAwayPauseMs = 500;

const tooLargeText = `A request may have at most ${maxRequestBytes / 1024 / 1024} MiB, uncompressed, and ${maxItems} events. Send smaller batches.`;

declare module 'fastify' {
  interface FastifyRequest {
    organisationId?: number;
    /** An agent’s own device. */
    deviceName?: string;
    release?: () => void;
  }
}

export interface IngestRoutesDeps {
  ingest: IngestService;
  organisationOf: (key: string) => Promise<number | undefined>;
  /** An agent’s key is bound to its organisation and its own device. */
  agentOf?: (key: string) => Promise<{ organisationId: number; deviceName: string } | undefined>;
  /** Complete file of a collector, for a host with an ingest key; undefined for an unknown collector. */
  configFor: (organisationId: number, kind: string, key: string) => Promise<string | undefined>;
  admission: Admission;
  /** True while the process shuts down: work in flight is finished, nothing new is started. */
  isStopping?: () => boolean;
  counted: (reason: string, count: number) => void;
  log: Log;
}

/** Registers all routes below /ingest. */
export async function ingestRoutes(app: FastifyInstance, parts: IngestRoutesDeps): Promise<void> {
  await app.register(
    async (scope) => {
      await scope.register(compress, { global: false, globalDecompression: true });
      // Every shipper has its own content type.
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxRequestBytes }, (_request, body, done) =>
        done(null, body),
      );

      scope.addHook('onRequest', (request, reply) => authenticate(parts, request, reply));
      scope.addHook('onResponse', async (request) => request.release?.());

      scope.setErrorHandler((error, request, reply) => sendError(parts, error, request, reply));
      const bulk = (request: FastifyRequest, reply: FastifyReply) => storeBulk(parts, request, reply);
      const config = { operation: 'open' };
      scope.post('/_bulk', { config }, bulk);
      scope.put('/_bulk', { config }, bulk);
      scope.post('/:index/_bulk', { config }, bulk);
      scope.put('/:index/_bulk', { config }, bulk);
      scope.get('/config/:kind', { config }, async (request, reply) => {
        const key = keyOf(request) ?? '';
        const { kind } = request.params as { kind: string };
        // The key becomes part of the file, and an agent’s key must not leave its host.
        if (!key.startsWith('pk_'))
          return retryLater(reply, 403, 'Files are for ingest keys. Create one under Ingest keys and use it.');
        const file = await parts.configFor(request.organisationId as number, kind, key);
        if (file === undefined) return retryLater(reply, 404, `There is no collector "${kind.slice(0, 100)}" here.`);
        return reply.type('text/plain; charset=utf-8').header('cache-control', 'no-store').send(file);
      });
      handshakeRoutes(scope);
    },
    { prefix: '/ingest' },
  );
}

/** Resolves the key, then reserves capacity for the body of an upload. */
async function authenticate(parts: IngestRoutesDeps, request: FastifyRequest, reply: FastifyReply) {
  reply.header('x-elastic-product', 'Elasticsearch');
  const key = keyOf(request);
  const agent = key?.startsWith('pa_') ? await parts.agentOf?.(key) : undefined;
  const organisationId = agent?.organisationId ?? (key === undefined ? undefined : await parts.organisationOf(key));
  if (organisationId === undefined) {
    parts.counted('wrong-key', 1);
    await pause(wrongKeyPauseMs);
    reply.header('www-authenticate', 'Basic realm="ingest", ApiKey');
    return retryLater(
      reply,
      401,
      'This ingest key is missing, unknown or revoked. Send it as "Authorization: ApiKey <key>" or as the password.',
    );
  }
  request.organisationId = organisationId;
  if (agent) request.deviceName = agent.deviceName;
  if (request.method === 'POST' || request.method === 'PUT') return admit(parts, request, reply, organisationId);
}

function admit(parts: IngestRoutesDeps, request: FastifyRequest, reply: FastifyReply, organisationId: number) {
  if (parts.isStopping?.()) {
    reply.header('connection', 'close');
    return retryLater(reply, 503, 'The portal is being restarted. Send it again.');
  }
  const length = Number(request.headers['content-length'] ?? 1024 * 1024);
  if (length > maxRequestBytes) {
    parts.counted('request-too-large', 1);
    return retryLater(reply, 413, tooLargeText);
  }
  // The client disconnected during the key lookup: nothing would release its capacity.
  if (reply.raw.destroyed) return reply.hijack();
  const bytes = Math.min(maxRequestBytes, request.headers['content-encoding'] ? length * assumedRatio : length);
  const release = parts.admission.admit(organisationId, bytes);
  if (!release) {
    parts.counted('busy', 1);
    reply.header('retry-after', '1');
    return retryLater(reply, 429, 'The intake is at capacity. Send it again in a second.');
  }
  request.release = release;
  // The connection may break before a response is sent.
  reply.raw.once('close', release);
}

async function sendError(parts: IngestRoutesDeps, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  if (isDatabaseAway(error)) {
    // Some shippers retry at once; each attempt costs the starting database a process.
    await pause(databaseAwayPauseMs);
    reply.header('retry-after', '2');
    return retryLater(
      reply,
      503,
      'The database is unavailable. Send this batch again; events with an id are never stored twice.',
    );
  }
  if (status === 413) {
    parts.counted('request-too-large', 1);
    return retryLater(reply, 413, tooLargeText);
  }
  if (status === 415) {
    parts.counted('request-malformed', 1);
    return retryLater(reply, 415, 'This content encoding is not supported. Send it plain, or as gzip, deflate, br or zstd.');
  }
  if (status < 500) {
    parts.counted('request-malformed', 1);
    return reply.code(400).send(elasticError(400, 'parse_exception', String((error as Error).message).slice(0, 300)));
  }
  parts.log.error({ err: error, requestId: request.id }, 'a bulk request failed');
  reply.header('retry-after', '5');
  return retryLater(reply, 503, 'This batch could not be stored. Nothing of it was stored; send it again.');
}

async function storeBulk(parts: IngestRoutesDeps, request: FastifyRequest, reply: FastifyReply) {
  const started = performance.now();
  const index = (request.params as { index?: string }).index ?? '';
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const organisationId = request.organisationId as number;
  const { deviceName } = request;
  const isBrief = wantsStatusOnly((request.query as { filter_path?: unknown }).filter_path);
  const answer = await parts.ingest.inTurn(async () => {
    const met = newRequestState();
    const itemResults: string[] = [];
    let hasErrors = false;
    let count = 0;
    // In slices, so that neither decompressed data nor work in progress grows with the request.
    for await (const items of bitsOf(readBulk(body, index, deviceName !== undefined))) {
      count += items.length;
      if (count > maxItems) throw Object.assign(new Error('too many items'), { statusCode: 413 });
      const arrivals = items.flatMap((item) => (item.kind === 'event' ? [item.arrival] : []));
      if (deviceName !== undefined) for (const arrival of arrivals) arrival.deviceName = deviceName;
      const unparseable = items.flatMap((item) =>
        item.kind === 'fault' ? [{ raw: item.raw, reason: item.reason, step: 'read' }] : [],
      );
      const results = await parts.ingest.take(organisationId, arrivals, unparseable, met);
      hasErrors ||= unparseable.length > 0 || results.some((result) => result.kind === 'dead');
      itemResults.push(itemTexts(items, results, isBrief));
    }
    if (itemResults.length === 0) return undefined;
    return `{"took":${Math.round(performance.now() - started)},"errors":${hasErrors},"items":[${itemResults.join(',')}]}`;
  }, organisationId);
  if (answer === undefined) {
    return reply
      .code(400)
      .send(
        elasticError(400, 'parse_exception', 'The request has no action. Send pairs of lines: an action, then its document.'),
      );
  }
  return reply.type('application/json').send(answer);
}

/** Sends text, never JSON and never empty: rsyslog then keeps the batch and retries. */
const retryLater = (reply: FastifyReply, status: number, text: string) =>
  sendRefusal(reply.request, reply.code(status).type('text/plain; charset=utf-8'), `${text}\n`);

function keyOf(request: FastifyRequest): string | undefined {
  const [scheme, value] = (request.headers.authorization ?? '').split(' ', 2);
  if (!value) return undefined;
  // Agents use the Bearer scheme only.
  if (scheme === 'Bearer') return value.startsWith('pa_') ? value : undefined;
  if (/^apikey$/i.test(scheme ?? '')) {
    if (value.startsWith('pk_') || value.startsWith('pa_')) return value;
    // Elastic’s own tools send base64 of id:key.
    return afterColon(value);
  }
  return /^basic$/i.test(scheme ?? '') ? afterColon(value) : undefined;
}

/** A key has no colon, its prefix may have some. */
const afterColon = (base64: string): string => {
  const decoded = Buffer.from(base64, 'base64').toString('utf8');
  return decoded.slice(decoded.lastIndexOf(':') + 1);
};

/**
 * Beats select fields of the response: `errors,items.*.error,items.*.status`, a fifth of the bytes. Any other selection gets
 * all.
 */
const statusOnly = 'errors,items.*.error,items.*.status';
const wantsStatusOnly = (filterPath: unknown): boolean =>
  typeof filterPath === 'string' && filterPath.split(',').sort().join() === statusOnly;

/** Groups items for one transaction, bounded by number and bytes. */
async function* bitsOf(all: Iterable<BulkItem>): AsyncGenerator<BulkItem[], void> {
  let items: BulkItem[] = [];
  let length = 0;
  for (const item of all) {
    items.push(item);
    length += item.kind === 'event' ? (item.arrival.raw as string).length : item.raw.length;
    if (items.length >= eventsPerBatch || length >= bitLength) {
      yield items;
      items = [];
      length = 0;
    }
    if (shouldYield()) await yieldToEventLoop();
  }
  if (items.length > 0) yield items;
}

function itemTexts(items: readonly BulkItem[], taken: readonly Taken[], isBrief: boolean): string {
  let next = 0;
  return items
    .map((item) => {
      if (item.kind === 'fault') return itemText(item.action, item.index, item.documentId, 400, item.text, item.reason);
      const { arrival, action } = item;
      const result = taken[next++] as Taken;
      if (result.kind === 'dead') return itemText(action, arrival.index, arrival.documentId, 400, result.text, result.reason);
      const status = result.kind === 'stored' ? 201 : 200;
      return isBrief ? `{"${action}":{"status":${status}}}` : itemText(action, arrival.index, arrival.documentId, status);
    })
    .join(',');
}

function itemText(
  action: string,
  index: string,
  documentId: string | undefined,
  status: number,
  fault?: string,
  reason?: string,
): string {
  const named = `"_index":${JSON.stringify(index)}${documentId === undefined ? '' : `,"_id":${JSON.stringify(documentId)}`}`;
  if (fault !== undefined) {
    return `{${JSON.stringify(action)}:{${named},"status":${status},"error":{"type":"mapper_parsing_exception","reason":${JSON.stringify(fault)},"code":${JSON.stringify(reason)}}}}`;
  }
  return `{${JSON.stringify(action)}:{${named},"_version":1,"result":"${status === 201 ? 'created' : 'noop'}","status":${status},"_shards":{"total":1,"successful":1,"failed":0}}}`;
}
