/** Elasticsearch by its bulk API. Source: elastic.co, "Bulk index or delete documents": one `create` with the message's id, which a repetition repeats. */
import { hostPattern, objectOf, originOf } from '../values.ts';
import { formatField } from './ocsf.ts';
import { failureOf, isSuccess, jsonHeaders, jsonOf, quotedOf } from './outcomes.ts';
import { formatted, recordOf } from './records.ts';
import type { Message, OutAnswer, Outcome, TargetKind } from './target.ts';

/** A document of the Elastic Common Schema, but its time. */
export const documentOf = (message: Message) => {
  const { id, ...record } = recordOf(message);
  return {
    message: message.title,
    event: { kind: 'alert', id, action: message.event, provider: message.sender, url: message.url },
    organization: { id: String(message.data.organisation), name: message.client },
    portal: record,
  };
};

/** Outcome of the only item. An id that exists was stored by an attempt whose answer was lost. */
function outcomeOfItem(answer: OutAnswer): Outcome {
  const items = jsonOf(answer.text)?.items;
  const item = objectOf(objectOf(Array.isArray(items) ? items[0] : undefined)?.create);
  const status = Number(item?.status);
  const id = typeof item?._id === 'string' ? item._id : null;
  if ((status >= 200 && status < 300) || status === 409) return { kind: 'accepted', id };
  const reason = objectOf(item?.error)?.reason;
  const words = `Elasticsearch didn’t store the document: ${typeof reason === 'string' ? quotedOf(reason) : 'its answer is unreadable.'}`;
  return status === 400 ? { kind: 'refused', words } : { kind: 'retry', words };
}

export const elasticsearch: TargetKind = {
  id: 'elasticsearch',
  title: 'Elasticsearch',
  capabilities: ['export'],
  isForClients: false,
  follows: false,
  documentation: 'https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-bulk',
  fields: [
    {
      name: 'host',
      label: 'Host',
      hint: 'Such as acme.es.eu-central-1.aws.cloud.es.io',
      isSecret: false,
      pattern: hostPattern,
      fault: 'Enter a host name, such as acme.es.eu-central-1.aws.cloud.es.io.',
    },
    {
      name: 'apiKey',
      label: 'API key',
      hint: 'Encoded, with create_doc on the data stream',
      isSecret: true,
      pattern: /^[A-Za-z0-9+/=_-]{20,300}$/,
      fault: 'Enter the encoded API key.',
    },
    {
      name: 'stream',
      label: 'Data stream',
      hint: 'Such as logs-portal.cases-default',
      initial: 'logs-portal.cases-default',
      isSecret: false,
      pattern: /^[a-z0-9][a-z0-9._-]{0,200}$/,
      fault: 'Enter the name of a data stream or index in small letters.',
    },
    formatField,
  ],
  steps: [
    'In Kibana open Stack Management › API keys, and create a key that may create documents (create_doc) in the data stream.',
    'Copy the encoded key and the host of Elasticsearch into the form.',
    'Each event becomes one document with its own id: a repetition changes nothing.',
  ],
  async send({ message }, values, send) {
    const { host = '', apiKey = '', stream = '' } = values;
    const document = { '@timestamp': message.at, ...formatted(message, values, documentOf) };
    const lines = [{ create: { _index: stream, _id: message.id } }, document];
    const answer = await send({
      method: 'POST',
      url: `${originOf(host)}/_bulk`,
      headers: { ...jsonHeaders, 'content-type': 'application/x-ndjson', authorization: `ApiKey ${apiKey}` },
      body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    });
    return isSuccess(answer) ? outcomeOfItem(answer) : failureOf('Elasticsearch', answer);
  },
};
