/**
 * Simulated bulk API of Elasticsearch, from elastic.co ("Bulk index or delete documents"): pairs of lines, a status for each item, 409 for an id that
 * exists, errors as `{"error": {"type", "reason"}}`.
 */
import type { VendorAnswer } from '../vendors/vendor.ts';
import { jsonIn, type Peer, servePeer } from './peer.ts';

const apiKey = 'ZGVtb0RlbW9EZW1vOmRlbW9EZW1vRGVtbw==';

/** Starts a simulated Elasticsearch; `documents` are stored by id. */
export async function startElasticsearch(port?: number): Promise<Peer & { documents: Map<string, unknown> }> {
  const documents = new Map<string, unknown>();
  const fault = (status: number, type: string, reason: string): VendorAnswer => ({
    status,
    body: { error: { type, reason }, status },
  });

  const create = (action: Record<string, unknown>, source: Record<string, unknown>) => {
    const { _index, _id } = action as { _index: string; _id: string };
    if (typeof source['@timestamp'] !== 'string')
      return { _index, _id, status: 400, error: { type: 'document_parsing_exception', reason: 'field [@timestamp] is missing' } };
    if (documents.has(_id)) {
      const reason = `[${_id}]: version conflict, document already exists (current version [1])`;
      return { _index, _id, status: 409, error: { type: 'version_conflict_engine_exception', reason } };
    }
    documents.set(_id, source);
    return { _index, _id, _version: 1, result: 'created', status: 201 };
  };

  const peer = await servePeer(
    'elasticsearch',
    port,
    ({ method, url, headers, body }) => {
      if (method !== 'POST' || url.pathname !== '/_bulk') return fault(400, 'illegal_argument_exception', 'no handler found');
      if (headers.authorization !== `ApiKey ${apiKey}`)
        return fault(401, 'security_exception', 'unable to authenticate with provided credentials');
      if (!body.endsWith('\n'))
        return fault(400, 'illegal_argument_exception', 'The bulk request must be terminated by a newline [\\n]');
      const lines = body.trimEnd().split('\n').map(jsonIn);
      const items = [];
      for (let at = 0; at < lines.length; at += 2) {
        const action = lines[at]?.create as Record<string, unknown> | undefined;
        const source = lines[at + 1];
        if (!action || !source) return fault(400, 'illegal_argument_exception', 'Malformed action/metadata line');
        items.push({ create: create(action, source) });
      }
      return { body: { took: 3, errors: items.some((item) => item.create.status >= 300), items } };
    },
    (url) => ({ host: url, apiKey, stream: 'logs-portal.cases-default' }),
  );
  return { ...peer, documents };
}
