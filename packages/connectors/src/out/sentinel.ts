/**
 * Microsoft Sentinel by the Logs Ingestion API of Azure Monitor, version 2023-01-01. Source: learn.microsoft.com, "Logs Ingestion API in Azure Monitor"
 * and "OAuth 2.0 client credentials flow". An accepted call returns 204 without an id; the record has the message's id.
 */
import { applicationFields } from '../microsoft.ts';
import { hostPattern, originOf } from '../values.ts';
import { formatField, isOcsf, ocsfOf } from './ocsf.ts';
import { failureOf, isSuccess, jsonHeaders, jsonOf, segment } from './outcomes.ts';
import { recordOf } from './records.ts';
import type { Message, OutAnswer, Send, TargetKind } from './target.ts';

const who = 'Microsoft Sentinel';

/** Audience of a token by the cloud of the sign-in address. */
const audienceOf = (login: string): string =>
  /\.us(?::\d+)?\/?$/.test(login)
    ? 'https://monitor.azure.us'
    : /\.cn(?::\d+)?\/?$/.test(login)
      ? 'https://monitor.azure.cn'
      : 'https://monitor.azure.com';

/** Columns of the table. `TimeGenerated` is required by every table; nested values are of the type dynamic. */
const rowOf = (message: Message, isInOcsf: boolean) => {
  const { id, type, severity, sender, client, title, url, data } = recordOf(message);
  return {
    TimeGenerated: message.at,
    EventId: id,
    EventType: type,
    Severity: severity ?? 'none',
    Sender: sender,
    Client: client,
    Title: title,
    Url: url,
    Data: isInOcsf ? ocsfOf(message) : data,
  };
};

const signIn = (
  send: Send,
  { tenant = '', client = '', secret = '', login = '' }: Readonly<Record<string, string>>,
): Promise<OutAnswer> =>
  send({
    method: 'POST',
    url: `${originOf(login)}/${segment(tenant)}/oauth2/v2.0/token`,
    headers: { ...jsonHeaders, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client,
      client_secret: secret,
      scope: `${audienceOf(login)}/.default`,
    }).toString(),
    isConfidential: true,
  });

export const sentinel: TargetKind = {
  id: 'sentinel',
  title: 'Microsoft Sentinel',
  capabilities: ['export'],
  isForClients: false,
  follows: false,
  documentation: 'https://learn.microsoft.com/azure/azure-monitor/logs/logs-ingestion-api-overview',
  fields: [
    {
      name: 'endpoint',
      label: 'Logs ingestion endpoint',
      hint: 'Of the data collection rule or endpoint, such as acme-a1b2.westeurope-1.ingest.monitor.azure.com',
      isSecret: false,
      pattern: hostPattern,
      fault: 'Enter a host name, such as acme-a1b2.westeurope-1.ingest.monitor.azure.com.',
    },
    {
      name: 'rule',
      label: 'Immutable ID of the rule',
      hint: 'Of the data collection rule, such as dcr-00000000000000000000000000000000',
      isSecret: false,
      pattern: /^dcr-[0-9a-f]{32}$/i,
      fault: 'The ID begins with dcr- and has 32 hexadecimal digits.',
    },
    {
      name: 'stream',
      label: 'Stream',
      hint: 'Declared by the rule, such as Custom-Portal_CL',
      initial: 'Custom-Portal_CL',
      isSecret: false,
      pattern: /^[A-Za-z][\w-]{0,99}$/,
      fault: 'Enter the name of the stream, such as Custom-Portal_CL.',
    },
    ...applicationFields,
    formatField,
  ],
  steps: [
    'In the Log Analytics workspace of Sentinel create a custom table with a data collection rule and the columns TimeGenerated (datetime), EventId, EventType, Severity, Sender, Client, Title, Url (string) and Data (dynamic).',
    'Register an application in Microsoft Entra ID, add a client secret, and give it the role Monitoring Metrics Publisher on the rule. The role can take half an hour to apply.',
    'Copy the endpoint, the immutable ID and the stream of the rule into the form. A repeated event has the same EventId.',
  ],
  async send({ message }, values, send) {
    const { endpoint = '', rule = '', stream = '' } = values;
    const signedIn = await signIn(send, values);
    const token = jsonOf(signedIn.text)?.access_token;
    // Faulty credentials are a bad request here; they can be corrected, so the delivery waits.
    if (typeof token !== 'string') {
      const failure = failureOf('The sign-in for Microsoft Sentinel', signedIn);
      return failure.kind === 'accepted' ? failure : { ...failure, kind: 'retry' };
    }
    const answer = await send({
      method: 'POST',
      url: `${originOf(endpoint)}/dataCollectionRules/${segment(rule)}/streams/${segment(stream)}?api-version=2023-01-01`,
      headers: { ...jsonHeaders, authorization: `Bearer ${token}`, 'x-ms-client-request-id': message.id },
      body: JSON.stringify([rowOf(message, isOcsf(values))]),
    });
    if (answer.status === 204) return { kind: 'accepted', id: null };
    return isSuccess(answer)
      ? { kind: 'retry', words: `${who} returned ${answer.status} instead of 204, which confirms nothing.` }
      : failureOf(who, answer);
  },
};
