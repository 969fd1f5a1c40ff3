/**
 * Webhooks: products post JSON to the address of a webhook source, mapped as a person decided. The response comes after the
 * commit. Refused records become dead letters; the others of the request are stored.
 */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { sendRefusal } from '../../core/http/unread.ts';
import { type ArrivalContext, arrivalOf, faultTexts, type MappedItem } from '../../pipeline/mapping/arrivals.ts';
import { type BodyRecord, recordsIn, UnreadableBody } from '../../pipeline/mapping/records.ts';
import type { OpenedSource, WebhookLookup } from '../webhook-sources/webhook-sources.ports.ts';
import { bodyOf, type IntakeDeps, maxItems, type Refusal, refusalTexts, registerProtocol, storeItems } from './intake.ts';
import { faultOfSignature, isSigned, provesSecret } from './webhook.proof.ts';

export interface WebhookDeps extends IntakeDeps {
  clock: Clock;
  webhooks: WebhookLookup;
}

declare module 'fastify' {
  interface FastifyRequest {
    webhook?: OpenedSource;
  }
}

const statuses: Record<Refusal, number> = {
  'no-key': 401,
  'bad-authorization': 401,
  'key-in-address': 401,
  'wrong-key': 401,
  malformed: 400,
  'not-found': 404,
  'too-large': 413,
  'unsupported-encoding': 415,
  busy: 429,
  restarting: 503,
  'database-away': 503,
  failed: 503,
};

/** Records named in a response. */
const maxNamed = 20;
const maxInvalidText = 64 * 1024;

/** Registers POST /webhook/:address. */
export async function webhookRoutes(app: FastifyInstance, deps: WebhookDeps): Promise<void> {
  const protocol = {
    prefix: '/webhook',
    keyOf: ({ params }: FastifyRequest) => ({ key: String((params as { address?: string }).address ?? '') }),
    identify: (request: FastifyRequest, key: string) => identify(deps, request, key),
    refuse,
  };
  // Without the keys of shippers, which have no place in an address.
  const own = { ...deps, organisationOf: async () => undefined };
  await registerProtocol(app, own, protocol, (scope) => {
    scope.post('/:address', { config: { operation: 'open' } }, (request, reply) => store(deps, request, reply));
  });
}

/** Signatures are verified once the body is read. */
async function identify({ webhooks }: WebhookDeps, request: FastifyRequest, address: string): Promise<boolean> {
  const source = await webhooks.find(address);
  if (!source || (!isSigned(source) && !provesSecret(source, request.headers))) return false;
  request.webhook = source;
  request.organisationId = source.organisationId;
  return true;
}

async function store(deps: WebhookDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const source = request.webhook as OpenedSource;
  const body = bodyOf(request);
  const fault = isSigned(source) ? faultOfSignature(source, request.headers, body, deps.clock.now()) : undefined;
  if (fault !== undefined) {
    deps.counted('wrong-key', 1);
    await deps.webhooks.countUnproven(source);
    return send(reply, 401, { error: fault });
  }
  if (source.isPaused)
    return send(reply, 403, { error: 'This webhook is paused in the portal. Resume it there, then send again.' });
  let records: Iterable<BodyRecord>;
  try {
    records = recordsIn(body.toString('utf8'), source.mapping.records);
  } catch (error) {
    if (!(error instanceof UnreadableBody)) throw error;
    return refuseBody(deps, source, body, reply, error.message);
  }
  return deps.ingest.inTurn(() => storeRecords(deps, source, request, reply, records), source.organisationId);
}

/** Keeps a body that can’t be read as unprocessed input. */
async function refuseBody(
  { ingest, webhooks }: WebhookDeps,
  source: OpenedSource,
  body: Buffer,
  reply: FastifyReply,
  error: string,
) {
  const raw = body.toString('utf8', 0, maxInvalidText);
  if (raw.trim() !== '') await ingest.take(source.organisationId, [], [{ raw, reason: 'not-json', step: 'read' }]);
  await webhooks.count(source, { stored: 0, refused: 1, refusal: error });
  return send(reply, 400, { error });
}

async function storeRecords(
  { ingest, webhooks, clock }: WebhookDeps,
  source: OpenedSource,
  request: FastifyRequest,
  reply: FastifyReply,
  records: Iterable<BodyRecord>,
): Promise<FastifyReply> {
  const delivery = request.headers['webhook-id'];
  const context: ArrivalContext = {
    mapping: source.mapping,
    receivedAt: clock.now(),
    // A delivery that is sent again has the same id.
    requestId: typeof delivery === 'string' ? delivery.slice(0, 200) : randomUUID(),
    index: `webhook-${source.id}`,
    source: source.source,
    met: new Map(),
  };
  let [number, stored, duplicates, refused] = [0, 0, 0, 0];
  const named: { record: number; error: string }[] = [];
  const refuseRecord = (record: number, error: string) => {
    refused++;
    if (named.length < maxNamed) named.push({ record, error });
  };
  for await (const { items, results } of storeItems(ingest, source.organisationId, itemsOf(records, context))) {
    let next = 0;
    for (const item of items) {
      number++;
      if (item.kind === 'fault') {
        refuseRecord(number, item.why);
        continue;
      }
      const result = results[next++];
      if (result?.kind === 'stored') stored++;
      else if (result?.kind === 'dead') refuseRecord(number, faultTexts[result.reason] ?? result.text);
      else duplicates++;
    }
  }
  const [first] = named;
  const refusal = first && `Record ${first.record}: ${first.error}${refused > 1 ? ` (${refused} records of this request)` : ''}`;
  await webhooks.count(source, { stored, refused, refusal });
  if (refused === 0) return send(reply, 200, { stored, duplicates });
  const error = `${refused} of ${number} records were refused; the others are stored. Don’t send those again.`;
  return send(reply, 422, { error, stored, duplicates, refused, records: named });
}

function* itemsOf(records: Iterable<BodyRecord>, context: ArrivalContext): Generator<MappedItem, void> {
  let number = 0;
  for (const record of records) {
    if (number >= maxItems) throw Object.assign(new Error('too many records'), { statusCode: 413 });
    yield arrivalOf(record, number++, context);
  }
}

function send(reply: FastifyReply, status: number, answer: object): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(answer));
}

function refuse(reply: FastifyReply, refusal: Refusal, detail?: string): FastifyReply {
  const error =
    refusal === 'wrong-key' ? 'This webhook address is unknown, or the secret is missing or wrong.' : refusalTexts[refusal];
  reply.code(statuses[refusal]).type('application/json; charset=utf-8');
  return sendRefusal(reply.request, reply, JSON.stringify({ error: detail ? `${error} ${detail}` : error }));
}
