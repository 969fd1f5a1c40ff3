/**
 * Splunk by its HTTP Event Collector. Source: help.splunk.com, "Format events for HTTP Event Collector", "Troubleshoot HTTP Event Collector" (codes of
 * responses).
 */
import { hostPattern, originOf } from '../values.ts';
import { formatField } from './ocsf.ts';
import { failureOf, isSuccess, jsonHeaders, jsonOf } from './outcomes.ts';
import { formatted, recordOf } from './records.ts';
import type { TargetKind } from './target.ts';

export const splunk: TargetKind = {
  id: 'splunk',
  title: 'Splunk',
  capabilities: ['export'],
  isForClients: false,
  follows: false,
  documentation: 'https://help.splunk.com/en/splunk-enterprise/get-started/get-data-in/9.4/get-data-with-http-event-collector',
  fields: [
    {
      name: 'collector',
      label: 'Collector',
      hint: 'Such as http-inputs-acme.splunkcloud.com, or a host with port 8088',
      isSecret: false,
      pattern: hostPattern,
      fault: 'Enter a host name, such as http-inputs-acme.splunkcloud.com.',
    },
    {
      name: 'token',
      label: 'Token',
      hint: 'Of the HTTP Event Collector, without indexer acknowledgement',
      isSecret: true,
      pattern: /^[0-9a-fA-F-]{36}$/,
      fault: 'A token has the form 00000000-0000-0000-0000-000000000000.',
    },
    {
      name: 'index',
      label: 'Index',
      hint: 'One of the token’s allowed indexes',
      initial: 'main',
      isSecret: false,
      pattern: /^[a-z0-9_][a-z0-9_-]{0,79}$/,
      fault: 'Enter the name of an index: small letters, digits, underscores and hyphens.',
    },
    formatField,
  ],
  steps: [
    'In Splunk open Settings › Data inputs › HTTP Event Collector and create a token for the index.',
    'Leave indexer acknowledgement off: the portal counts an event as accepted when the collector confirms it.',
    'Copy host and token into the form. A repeated event has the same id.',
  ],
  async send({ message }, values, send) {
    const { collector = '', token = '', index = '' } = values;
    const answer = await send({
      method: 'POST',
      url: `${originOf(collector)}/services/collector/event`,
      headers: { ...jsonHeaders, authorization: `Splunk ${token}` },
      body: JSON.stringify({
        time: Date.parse(message.at) / 1_000,
        source: 'portal',
        sourcetype: '_json',
        index,
        event: formatted(message, values, recordOf),
      }),
    });
    if (!isSuccess(answer)) return failureOf('Splunk', answer);
    const { code, text } = jsonOf(answer.text) ?? {};
    if (code === 0) return { kind: 'accepted', id: null };
    return {
      kind: 'retry',
      words: `Splunk didn’t confirm the event: ${typeof text === 'string' ? text : 'the answer is unreadable.'}`,
    };
  },
};
