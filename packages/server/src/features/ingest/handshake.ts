/** Requests of shippers before they send: identity, health, templates and policies. The responses let them continue. */
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Beats reject a server older than themselves only by major version; clients of 8 and 9 both accept this one. */
const version = '8.19.2';
const config = { operation: 'open' };
const acknowledged = { acknowledged: true };

/** An error in the format of Elastic’s clients. */
export const elasticError = (status: number, type: string, reason: string) => ({
  error: { root_cause: [{ type, reason }], type, reason },
  status,
});

export function handshakeRoutes(scope: FastifyInstance): void {
  const about = {
    name: 'portal',
    cluster_name: 'portal',
    cluster_uuid: 'portal-ingest-00000000',
    version: {
      number: version,
      build_flavor: 'default',
      build_type: 'tar',
      lucene_version: '9.12.2',
      minimum_wire_compatibility_version: '7.17.0',
      minimum_index_compatibility_version: '7.0.0',
    },
    tagline: 'You Know, for Search',
  };
  scope.route({ method: ['GET', 'HEAD'], url: '/', config, handler: async () => about });
  scope.get('/_license', { config }, async () => ({
    license: { status: 'active', uid: 'portal', type: 'basic', mode: 'basic' },
  }));
  scope.get('/_xpack', { config }, async () => ({
    license: { status: 'active', type: 'basic', mode: 'basic' },
    features: { ilm: { available: true, enabled: true } },
  }));
  scope.get('/_cat/health', { config }, async (_request, reply) => reply.type('text/plain').send('portal green 1 1\n'));
  scope.get('/_cluster/health', { config }, async () => ({
    cluster_name: 'portal',
    status: 'green',
    timed_out: false,
    number_of_nodes: 1,
    number_of_data_nodes: 1,
  }));
  scope.get('/_nodes/*', { config }, async () => ({ cluster_name: 'portal', nodes: {} }));
  scope.get('/_cat/*', { config }, async (_request, reply) => reply.type('text/plain').send('\n'));

  // Templates, policies and pipelines have no effect, because the portal shapes events itself. They always exist and are
  // always accepted.
  for (const kind of [
    '_index_template',
    '_component_template',
    '_template',
    '_ilm/policy',
    '_ingest/pipeline',
    '_data_stream',
    '_alias',
    '_enrich/policy',
  ]) {
    for (const url of [`/${kind}`, `/${kind}/*`]) {
      scope.route({ method: ['PUT', 'POST', 'DELETE'], url, config, handler: async () => acknowledged });
      scope.route({
        method: ['GET', 'HEAD'],
        url,
        config,
        handler: async (request) => {
          const name = (request.params as { '*'?: string })['*'] ?? '';
          if (kind === '_ilm/policy') return { [name]: { version: 1, policy: { phases: {} } } };
          if (kind === '_index_template')
            return { index_templates: name ? [{ name, index_template: { index_patterns: ['*'] } }] : [] };
          if (kind === '_component_template') return { component_templates: [] };
          return {};
        },
      });
    }
  }
  scope.route({ method: ['PUT', 'HEAD'], url: '/:index', config, handler: async () => acknowledged });
  scope.setNotFoundHandler(async (request, reply) => reply.code(404).send(nothingAt(request)));
}

export const nothingAt = ({ method, url }: FastifyRequest) =>
  elasticError(
    404,
    'not_found',
    `There is nothing at ${method} ${url.slice(0, 200)}. Send events to /ingest/_bulk or /ingest/{index}/_bulk.`,
  );
