/**
 * Splunk’s HTTP Event Collector, for shippers that have such an output: its responses are Splunk’s, sent after the commit. The
 * token is an ingest key. Indexer acknowledgement is not offered: a response with code 0 is one already.
 */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { sendRefusal } from '../../core/http/unread.ts';
import {
  countEvents,
  countLines,
  type EventFault,
  type HecContext,
  type HecItem,
  isMetadata,
  readEvents,
  readLines,
} from './hec.read.ts';
import { bodyOf, type IntakeDeps, maxItems, type Refusal, registerProtocol, storeItems } from './intake.ts';

/** Status, code and text as Splunk documents them (Troubleshoot HTTP Event Collector, “Possible error codes”). */
const answers = {
  success: [200, 0, 'Success'],
  'no-key': [401, 2, 'Token is required'],
  'bad-authorization': [401, 3, 'Invalid authorization'],
  'wrong-key': [403, 4, 'Invalid token'],
  'no-data': [400, 5, 'No data'],
  malformed: [400, 6, 'Invalid data format'],
  'unsupported-encoding': [400, 6, 'Invalid data format'],
  'invalid-format': [400, 6, 'Invalid data format'],
  restarting: [503, 9, 'Server is busy'],
  busy: [503, 9, 'Server is busy'],
  'database-away': [503, 9, 'Server is busy'],
  failed: [503, 9, 'Server is busy'],
  'event-required': [400, 12, 'Event field is required'],
  'event-blank': [400, 13, 'Event field cannot be blank'],
  'no-acknowledgement': [400, 14, 'ACK is disabled'],
  'key-in-address': [400, 16, 'Query string authorization is not enabled'],
  healthy: [200, 17, 'HEC is healthy'],
  unhealthy: [503, 18, 'HEC is unhealthy, queues are full'],
  'not-found': [404, 404, 'The requested URL was not found on this server.'],
  'too-large': [413, 27, 'Request entity too large'],
} as const satisfies Record<Refusal | EventFault | string, readonly [number, number, string]>;

export interface HecDeps extends IntakeDeps {
  clock: Clock;
}

/** Registers all routes below /services/collector. */
export async function hecRoutes(app: FastifyInstance, deps: HecDeps): Promise<void> {
  const isHealth = ({ url }: FastifyRequest) => /^\/services\/collector\/health(?:\/1\.0)?\/?(?:\?|$)/i.test(url);
  const protocol = { prefix: '/services/collector', keyOf, refuse: answer, isOpen: isHealth };
  await registerProtocol(app, deps, protocol, (scope) => {
    const config = { operation: 'open' };
    for (const url of ['/', '/event', '/event/1.0'])
      scope.post(url, { config }, (request, reply) => store(deps, request, reply, countEvents, readEvents));
    for (const url of ['/raw', '/raw/1.0'])
      scope.post(url, { config }, (request, reply) => {
        const { time, host, source, sourcetype, index } = request.query as Record<string, unknown>;
        const metadata = { time, host, source, sourcetype, index };
        if (!isMetadata(metadata)) return answer(reply, 'malformed');
        return store(deps, request, reply, countLines, (body, context) => readLines(body, metadata, context));
      });
    for (const url of ['/health', '/health/1.0'])
      scope.get(url, { config }, async (_request, reply) => answer(reply, deps.isStopping?.() ? 'unhealthy' : 'healthy'));
    for (const url of ['/ack', '/ack/1.0'])
      scope.post(url, { config }, async (_request, reply) => answer(reply, 'no-acknowledgement'));
    scope.setNotFoundHandler(async (_request, reply) => answer(reply, 'not-found'));
  });
}

async function store(
  deps: HecDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  countOf: (body: Buffer) => number,
  read: (body: Buffer, context: HecContext) => Iterable<HecItem>,
): Promise<FastifyReply> {
  const body = bodyOf(request);
  if (countOf(body) > maxItems) return answer(reply, 'too-large');
  const organisationId = request.organisationId as number;
  const context = { receivedAt: deps.clock.now(), requestId: randomUUID() };
  const { count, fault, invalidNumber } = await deps.ingest.inTurn(async () => {
    let count = 0;
    let fault: EventFault | undefined;
    let invalidNumber = 0;
    for await (const { items, results } of storeItems(deps.ingest, organisationId, read(body, context))) {
      let next = 0;
      for (const item of items) {
        const found = item.kind === 'fault' ? item.fault : results[next++]?.kind === 'dead' ? 'invalid-format' : undefined;
        if (found !== undefined && fault === undefined) [fault, invalidNumber] = [found, count];
        count++;
      }
    }
    return { count, fault, invalidNumber };
  }, organisationId);
  if (count === 0) return answer(reply, 'no-data');
  if (fault === undefined) return answer(reply, 'success');
  const [status, code, text] = answers[fault];
  return reply.code(status).send({ text, code, 'invalid-event-number': invalidNumber });
}

function answer(reply: FastifyReply, kind: keyof typeof answers): FastifyReply {
  const [status, code, text] = answers[kind];
  reply.code(status).type('application/json; charset=utf-8');
  if (kind === 'no-key' || kind === 'bad-authorization') reply.header('www-authenticate', 'Splunk, Basic realm="collector"');
  return sendRefusal(reply.request, reply, JSON.stringify({ text, code }));
}

/** `Authorization: Splunk <key>`, or Basic with the key as password and any user. */
function keyOf(request: FastifyRequest): { key: string } | { refusal: Refusal } {
  const { authorization } = request.headers;
  if (authorization === undefined)
    return { refusal: (request.query as { token?: unknown }).token === undefined ? 'no-key' : 'key-in-address' };
  const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(authorization.trim()) ?? [];
  if (/^splunk$/i.test(scheme)) return { key: value };
  if (!/^basic$/i.test(scheme)) return { refusal: 'bad-authorization' };
  const decoded = Buffer.from(value, 'base64').toString('utf8');
  const colon = decoded.lastIndexOf(':');
  return colon < 0 ? { refusal: 'bad-authorization' } : { key: decoded.slice(colon + 1) };
}
