/** Webhooks by Standard Webhooks (github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md, version 1). */
import type { Values } from '../connector.ts';
import { formatField, isOcsf, ocsfOf } from './ocsf.ts';
import { jsonHeaders, outcomeOf } from './outcomes.ts';
import type { Delivery, Message, Send, TargetKind } from './target.ts';

export const secretPrefix = 'whsec_';
export const addressPattern = /^https?:\/\/[^\s@]{1,1500}$/;
export const addressFault = 'Enter an address that begins with https://.';

/** Body of a webhook: the same bytes on every attempt, because they are signed. */
export const payloadOf = (message: Message, values: Values = {}): string =>
  JSON.stringify(isOcsf(values) ? ocsfOf(message) : { type: message.event, timestamp: message.at, data: message.data });

/** `v1,<base64>` for each valid secret: HMAC-SHA256 over id, timestamp in seconds, and body. */
export async function signaturesOf(secrets: readonly string[], id: string, timestamp: number, body: string): Promise<string> {
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signatures = secrets.map(async (secret) => {
    const bytes = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    return `v1,${Buffer.from(await crypto.subtle.sign('HMAC', key, signed)).toString('base64')}`;
  });
  return (await Promise.all(signatures)).join(' ');
}

export const webhook: TargetKind = {
  id: 'webhook',
  title: 'Webhook',
  capabilities: ['notify', 'export'],
  isForClients: true,
  follows: false,
  generated: 'secret',
  documentation: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  fields: [
    {
      name: 'url',
      label: 'Address',
      hint: 'An https address of your system that accepts POST requests',
      isSecret: false,
      pattern: addressPattern,
      fault: addressFault,
    },
    formatField,
  ],
  steps: [
    'Enter the address at which your system accepts POST requests with JSON.',
    'Copy the signing secret, which is shown once, into your system. Verify each request with it by Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature.',
    'Answer with a status of 200 to 299 within 10 seconds. Anything else is repeated for up to 72 hours with the same webhook-id.',
  ],
  send: sendWebhook,
};

async function sendWebhook({ message, at }: Delivery, values: Values, send: Send) {
  const body = payloadOf(message, values);
  const timestamp = Math.floor(at / 1_000);
  const secrets = [values.secret, values['secret.previous']].filter((secret) => secret !== undefined && secret !== '');
  const answer = await send({
    method: 'POST',
    url: values.url ?? '',
    headers: {
      ...jsonHeaders,
      'webhook-id': message.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': await signaturesOf(secrets as string[], message.id, timestamp, body),
    },
    body,
  });
  return outcomeOf('The webhook', answer);
}
