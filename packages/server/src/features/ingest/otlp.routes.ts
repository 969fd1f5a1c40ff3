/**
 * OpenTelemetry’s protocol for logs over HTTP, as its collectors and SDKs send it: protobuf or JSON, with responses in the encoding
 * of the request after the commit, with the number of rejected records. The key is an ingest key.
 */
import { randomUUID } from 'node:crypto';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { sendRefusal } from '../../core/http/unread.ts';
import type { Document } from '../../pipeline/event.ts';
import { checkLimits } from '../../pipeline/normalise/limits.ts';
import { maxEventBytes } from '../../pipeline/steps/parse.ts';
import {
  bodyOf,
  type IntakeDeps,
  type Item,
  maxItems,
  type Refusal,
  refusalTexts,
  registerProtocol,
  storeItems,
} from './intake.ts';
import { type LogRecord, OtlpError, type PendingRecord, recordsOfJson, recordsOfProtobuf } from './otlp.read.ts';
import { documentOf, isObject, isoTime } from './payload.ts';

export interface OtlpDeps extends IntakeDeps {
  clock: Clock;
}

/** HTTP status and code of google.rpc.Status. */
const statuses: Record<Refusal, readonly [status: number, code: number]> = {
  'no-key': [401, 16],
  'bad-authorization': [401, 16],
  'key-in-address': [401, 16],
  'wrong-key': [401, 16],
  malformed: [400, 3],
  'not-found': [404, 5],
  'too-large': [413, 8],
  'unsupported-encoding': [415, 3],
  busy: [429, 8],
  restarting: [503, 14],
  'database-away': [503, 14],
  failed: [503, 14],
};

/** Registers POST /v1/logs. */
export async function otlpRoutes(app: FastifyInstance, deps: OtlpDeps): Promise<void> {
  const protocol = { prefix: '/v1/logs', keyOf, refuse };
  await registerProtocol(app, deps, protocol, (scope) => {
    scope.post('/', { config: { operation: 'open' } }, (request, reply) => store(deps, request, reply));
  });
}

async function store(deps: OtlpDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const type = encodingOf(request);
  if (type === undefined)
    return refuse(reply, 'unsupported-encoding', 'Send application/x-protobuf or application/json as content type.');
  const organisationId = request.organisationId as number;
  const { rejected, why } = await deps.ingest.inTurn(async () => {
    const body = bodyOf(request);
    const records = type === 'json' ? recordsOfJson(body.toString('utf8')) : recordsOfProtobuf(body);
    if (records.length > maxItems) throw Object.assign(new Error('too many records'), { statusCode: 413 });
    const whys = new Set<string>();
    let rejected = 0;
    const all = itemsOf(records, deps.clock.now(), `${randomUUID()}`);
    for await (const { items, results } of storeItems(deps.ingest, organisationId, all)) {
      for (const item of items) if (item.kind === 'fault') whys.add(item.reason);
      for (const result of results) if (result.kind === 'dead') whys.add(result.reason);
      rejected += items.length - results.filter((result) => result.kind !== 'dead').length;
    }
    return { rejected, why: [...whys].join(', ') };
  }, organisationId);
  const message = rejected === 0 ? '' : `${rejected} records were not stored as events: ${why}. They are kept as unprocessed.`;
  return send(reply, 200, type, {
    json: rejected === 0 ? {} : { partialSuccess: { rejectedLogRecords: rejected, errorMessage: message } },
    protobuf: () => (rejected === 0 ? new Uint8Array() : partialSuccess(rejected, message)),
  });
}

function* itemsOf(records: readonly PendingRecord[], receivedAt: number, requestId: string): Generator<Item, void> {
  for (const [number, pending] of records.entries()) {
    const { length } = pending;
    const invalid = (reason: Extract<Item, { kind: 'fault' }>['reason']): Item => ({
      kind: 'fault',
      raw: pending.raw().slice(0, maxEventBytes),
      reason,
    });
    if (length > maxEventBytes) {
      yield invalid('too-large');
      continue;
    }
    let record: LogRecord;
    try {
      record = pending.decode();
    } catch (error) {
      yield invalid(error instanceof OtlpError && error.message === 'too-deep' ? 'too-deep' : 'not-an-object');
      continue;
    }
    const document = documentOfRecord(record, pending, receivedAt);
    const violation = checkLimits(document);
    if (violation !== 'ok') yield invalid(violation);
    // Without a time, equal records of two requests are two.
    else {
      const documentId = record.timeNs === 0n ? `${requestId}-${number}` : undefined;
      yield { kind: 'event', arrival: { raw: document, index: 'otlp', documentId }, length };
    }
  }
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

/**
 * Attributes are named as ECS names its fields, so they stand beside those of the body, which win; `normalise` nests them. Of
 * two equal names the more specific wins: body, record, resource.
 */
function documentOfRecord(record: LogRecord, { resource, scope }: PendingRecord, receivedAt: number): Document {
  const { body, timeNs, severityNumber, severityText, attributes, traceId, spanId, eventName } = record;
  const document = body === undefined ? {} : documentOf(body, receivedAt);
  const time =
    timeNs === 0n ? undefined : isoTime(Number(timeNs / 1_000_000_000n), String(timeNs % 1_000_000_000n).padStart(9, '0'));
  const level = severityText || levels[Math.floor((severityNumber - 1) / 4)];
  const own: Document = {
    '@timestamp': time,
    'log.level': level,
    'log.logger': scope || undefined,
    'event.severity': severityNumber || undefined,
    'event.action': eventName || undefined,
    trace: traceId ? { id: traceId } : undefined,
    span: spanId ? { id: spanId } : undefined,
  };
  for (const fields of [attributes, own, resource]) {
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined || value === null || Object.hasOwn(document, name)) continue;
      Object.defineProperty(document, name, { value, enumerable: true, configurable: true, writable: true });
    }
  }
  // The resource’s host is that of the shipper where the line is a relayed syslog message.
  if (isObject(document.host) && document.host.name !== undefined) delete document['host.name'];
  return document;
}

function refuse(reply: FastifyReply, refusal: Refusal, detail?: string): FastifyReply {
  const [status, code] = statuses[refusal];
  const message =
    status === 401
      ? 'This ingest key is missing, unknown or revoked. Send it as "Authorization: Bearer <key>".'
      : (detail ?? refusalTexts[refusal]);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  return send(reply, status, encodingOf(reply.request) ?? 'json', {
    json: { code, message },
    protobuf: () => new BinaryWriter().tag(1, 0).int32(code).tag(2, 2).string(message).finish(),
  });
}

function send(
  reply: FastifyReply,
  status: number,
  type: 'json' | 'protobuf',
  { json, protobuf }: { json: object; protobuf: () => Uint8Array },
): FastifyReply {
  reply.code(status).type(type === 'json' ? 'application/json' : 'application/x-protobuf');
  return sendRefusal(reply.request, reply, type === 'json' ? JSON.stringify(json) : Buffer.from(protobuf()));
}

const partialSuccess = (rejected: number, message: string): Uint8Array =>
  new BinaryWriter().tag(1, 2).fork().tag(1, 0).int64(rejected).tag(2, 2).string(message).join().finish();

function encodingOf(request: FastifyRequest): 'json' | 'protobuf' | undefined {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/x-protobuf') return 'protobuf';
  return type === 'application/json' ? 'json' : undefined;
}

/** `Authorization: Bearer <key>` or `ApiKey <key>`. */
function keyOf(request: FastifyRequest): { key: string } | { refusal: Refusal } {
  const { authorization } = request.headers;
  if (authorization === undefined) return { refusal: 'no-key' };
  const [, key] = /^(?:bearer|apikey) +(\S+)$/i.exec(authorization.trim()) ?? [];
  return key === undefined ? { refusal: 'bad-authorization' } : { key };
}
