/**
 * Bulk intake compatible with Elasticsearch, so that Beats, rsyslog and Elastic’s clients work unchanged. Retryable errors
 * (busy, database unavailable, a wrong key) are sent as text: rsyslog discards a batch on any JSON error.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendRefusal } from '../../core/http/unread.ts';
import { type BulkItem, readBulk } from './bulk.ts';
import { elasticError, handshakeRoutes, nothingAt } from './handshake.ts';
import type { Taken } from './ingest.service.ts';
import { bodyOf, type IntakeDeps, type Protocol, type Refusal, refusalTexts, registerProtocol, storeItems } from './intake.ts';

export interface IngestRoutesDeps extends IntakeDeps {
  /** An agent’s key is bound to its organisation and its own device. */
  agentOf?: (key: string) => Promise<{ organisationId: number; deviceName: string } | undefined>;
  /** Complete file of a collector, for a host with an ingest key; undefined for an unknown collector. */
  configFor: (organisationId: number, kind: string, key: string) => Promise<string | undefined>;
}

const statuses: Record<Exclude<Refusal, 'malformed' | 'not-found'>, number> = {
  'no-key': 401,
  'bad-authorization': 401,
  'key-in-address': 401,
  'wrong-key': 401,
  restarting: 503,
  busy: 429,
  'database-away': 503,
  failed: 503,
  'too-large': 413,
  'unsupported-encoding': 415,
};

/** Registers all routes below /ingest. */
export async function ingestRoutes(app: FastifyInstance, parts: IngestRoutesDeps): Promise<void> {
  const protocol: Protocol = {
    prefix: '/ingest',
    headers: { 'x-elastic-product': 'Elasticsearch' },
    keyOf(request) {
      const key = keyOf(request);
      return key === undefined ? { refusal: 'wrong-key' } : { key };
    },
    async identify(request, key) {
      const agent = key.startsWith('pa_') ? await parts.agentOf?.(key) : undefined;
      if (agent) Object.assign(request, agent);
      return agent !== undefined;
    },
    refuse,
  };
  await registerProtocol(app, parts, protocol, (scope) => {
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
        return sendText(reply, 403, 'Files are for ingest keys. Create one under Ingest keys and use it.');
      const file = await parts.configFor(request.organisationId as number, kind, key);
      if (file === undefined) return sendText(reply, 404, `There is no collector "${kind.slice(0, 100)}" here.`);
      return reply.type('text/plain; charset=utf-8').header('cache-control', 'no-store').send(file);
    });
    handshakeRoutes(scope);
  });
}

function refuse(reply: FastifyReply, refusal: Refusal, detail = ''): FastifyReply {
  if (refusal === 'malformed') return reply.code(400).send(elasticError(400, 'parse_exception', detail));
  if (refusal === 'not-found') return reply.code(404).send(nothingAt(reply.request));
  if (refusal !== 'wrong-key') return sendText(reply, statuses[refusal], refusalTexts[refusal]);
  reply.header('www-authenticate', 'Basic realm="ingest", ApiKey');
  return sendText(
    reply,
    401,
    'This ingest key is missing, unknown or revoked. Send it as "Authorization: ApiKey <key>" or as the password.',
  );
}

async function storeBulk(parts: IngestRoutesDeps, request: FastifyRequest, reply: FastifyReply) {
  const started = performance.now();
  const index = (request.params as { index?: string }).index ?? '';
  const organisationId = request.organisationId as number;
  const { deviceName } = request;
  const isBrief = wantsStatusOnly((request.query as { filter_path?: unknown }).filter_path);
  const answer = await parts.ingest.inTurn(async () => {
    const itemResults: string[] = [];
    let hasErrors = false;
    const all = itemsOf(bodyOf(request), index, deviceName);
    for await (const { items, results } of storeItems(parts.ingest, organisationId, all)) {
      hasErrors ||= results.length < items.length || results.some((result) => result.kind === 'dead');
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

function* itemsOf(body: Buffer, index: string, deviceName: string | undefined): Generator<BulkItem, void> {
  for (const item of readBulk(body, index, deviceName !== undefined)) {
    if (deviceName !== undefined && item.kind === 'event') item.arrival.deviceName = deviceName;
    yield item;
  }
}

/** Sends text, never JSON and never empty: rsyslog then keeps the batch and retries. */
const sendText = (reply: FastifyReply, status: number, text: string) =>
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
