/** Paths of TAXII 2.1, for API keys: as a bearer token, or as the password of basic authentication, which most clients send. */
import { allClients, isHost } from '@parapet/contract/access.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { Problem, problem } from '@parapet/contract/problem.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../../core/http/actor.ts';
import { refusalOf, type Serving, underMaintenance } from '../../core/http/serve.ts';
import { type Part, type TaxiiService, taxiiType } from './taxii.service.ts';

const operation = 'taxii';
const accepted = /^\s*(?:\*\/\*|application\/\*|application\/taxii\+json(?:\s*;\s*version\s*=\s*2\.1)?)\s*(?:;\s*q=[\d.]+\s*)?$/i;

interface Params {
  id: string;
  object: string;
}
type Run = (request: FastifyRequest<{ Params: Params }>, reply: FastifyReply) => Promise<unknown>;

export function taxiiRoutes(
  { app, identify, denied, recordAccess, budgets, isUnderMaintenance }: Serving,
  taxii: TaxiiService,
): void {
  if (!app.hasRequestDecorator('actor')) app.decorateRequest('actor', undefined);

  const admit = async (request: FastifyRequest, reply: FastifyReply) => {
    const password = passwordOf(request.headers.authorization);
    if (password !== undefined) request.headers.authorization = `Bearer ${password}`;
    const actor = await identify(request);
    request.actor = actor;
    if (isUnderMaintenance && !(actor && isHost(actor))) throw underMaintenance();
    if (!actor) {
      reply.header('www-authenticate', 'Basic realm="TAXII"');
      await budgets?.count(problem.signInNeeded(), request);
      throw problem.signInNeeded();
    }
    await budgets?.take(casesApi.list, request);
    const reason = actor.apiKey ? refusalOf(actor, casesApi.list) : 'Use an API key with the scope read.';
    if (reason === undefined) return;
    await budgets?.count(problem.forbidden(reason), request);
    await denied(actor, operation, request);
    throw problem.forbidden(reason);
  };

  const get = (path: string, run: Run) =>
    app.route<{ Params: Params }>({
      method: 'GET',
      url: `/taxii2/${path}`,
      config: { operation: 'open' },
      exposeHeadRoute: false,
      onRequest: admit,
      handler: async (request, reply) => {
        reply.header('cache-control', 'no-store').type(taxiiType);
        const accepts = (request.headers.accept ?? '*/*').split(',').some((each) => accepted.test(each));
        if (!accepts) return reply.code(406).send(fault('406', `Accept ${taxiiType}.`));
        try {
          return reply.send(bytesOf(await run(request, reply)));
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          const status = error.code === 'notFound' ? 404 : error.code === 'invalid' ? 400 : undefined;
          if (status === undefined) throw error;
          return reply.code(status).send(fault(String(status), error.message));
        }
      },
    });
  const read = async (request: FastifyRequest<{ Params: Params }>, reply: FastifyReply, resource: 'objects' | 'manifest') => {
    const actor = request.actor as Actor;
    const { id, object } = request.params;
    const part = await taxii.read(actor, request.headers.host ?? '', id, request.query, resource, object);
    recordAccess?.(actor, casesApi.list, { body: { selectedClientOrganizationID: allClients } });
    if (part.first) reply.header('x-taxii-date-added-first', part.first);
    if (part.last) reply.header('x-taxii-date-added-last', part.last);
    return part;
  };

  get('', ({ headers }) => taxii.discovery(headers.host ?? ''));
  get('indicators/', async () => taxii.root());
  get('indicators/collections/', async () => taxii.collections());
  get('indicators/collections/:id/', async ({ params }) => taxii.collection(params.id));
  get('indicators/collections/:id/objects/', async (request, reply) => envelopeOf(await read(request, reply, 'objects')));
  get('indicators/collections/:id/objects/:object/', async (request, reply) => envelopeOf(await read(request, reply, 'objects')));
  get('indicators/collections/:id/manifest/', async (request, reply) => manifestOf(await read(request, reply, 'manifest')));
}

/** An error of the standard (§3.6.1). */
const fault = (http_status: string, title: string): Buffer => bytesOf({ title: title.slice(0, 500), http_status });

/** Bytes, because the framework adds a charset to the media type of texts. */
const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

function passwordOf(header: string | undefined): string | undefined {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]{1,500})$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  return text.slice(text.indexOf(':') + 1);
}

const envelopeOf = ({ more, next, objects }: Part) => ({
  ...(more && { more, next }),
  ...(objects.length > 0 && { objects }),
});

const manifestOf = ({ more, next, objects }: Part) => ({
  ...(more && { more, next }),
  objects: objects.map(({ id, created, modified }) => ({
    id,
    date_added: created,
    version: modified,
    media_type: 'application/stix+json;version=2.1',
  })),
});
