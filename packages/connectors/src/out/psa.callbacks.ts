/**
 * Callbacks of PSA systems. A genuine one only has its ticket read, so that lost, doubled, late and reordered ones end in the state that polling finds.
 * Sources: developer.connectwise.com, "Callbacks"; autotask.net/help/developerhelp, "Webhooks" (X-Hook-Signature); usehalo.com/guide,
 * "Webhook Integration".
 */
import { createHash } from 'node:crypto';
import type { Values } from '../connector.ts';
import { UnavailableError } from '../errors.ts';
import { objectOf, originOf } from '../values.ts';
import { callbackSecret, headerIn, hmac, isSame, jsonBody, ticketIdIn } from './callbacks.ts';
import { isSuccess, jsonHeaders, jsonOf } from './outcomes.ts';
import type { Callback, CallbackRequest, Callbacks, Send } from './target.ts';

/** Without an id, all tickets that changed are read. */
const ofTickets = (...ids: string[]): Callback => ({ kind: 'tickets', ids: ids.slice(0, 100) });

/** Key of ConnectWise for a callback; undefined unless the target's own site has it. */
async function connectwiseKey(body: Buffer, { site = '' }: Values, send: Send): Promise<string | undefined> {
  const address = objectOf(jsonBody(body)?.Metadata)?.key_url;
  if (typeof address !== 'string' || address.length > 1_000 || !URL.canParse(address)) return undefined;
  // An address of others would let anyone sign.
  if (new URL(address).origin !== originOf(site)) return undefined;
  const answer = await send({ method: 'GET', url: address, headers: jsonHeaders, isConfidential: true });
  // ConnectWise repeats a callback that was not received.
  if (!isSuccess(answer)) throw new UnavailableError(`ConnectWise returned ${answer.status} for the key of a callback.`);
  const key = jsonOf(answer.text)?.signing_key;
  return typeof key === 'string' && key !== '' ? key : undefined;
}

export const connectwiseCallbacks: Callbacks = {
  secret: 'none',
  isOnce: false,
  steps: [
    'The API member needs the permission System › Callbacks (add).',
    'Switch on: the portal registers its address with ConnectWise, and verifies each callback by the key of your site.',
  ],
  async prove(request, values, send) {
    const signature = headerIn(request, 'x-content-signature');
    const key = signature && (await connectwiseKey(request.body, values, send));
    if (!key) return undefined;
    const expected = hmac('sha256', createHash('sha256').update(key).digest(), request.body).toString('base64');
    return isSame(signature, expected) ? expected : undefined;
  },
  read({ body }): Callback {
    const { Type: type, ID: id } = jsonBody(body) ?? {};
    return typeof type === 'string' && type.toLowerCase() === 'ticket' ? ofTickets(...ticketIdIn(id)) : undefined;
  },
};

export const autotaskCallbacks: Callbacks = {
  secret: 'generated',
  isOnce: false,
  steps: [
    'Switch on, and copy address and secret.',
    'Autotask creates webhooks by its API only: POST /TicketWebhooks with name, webhookUrl and deactivationUrl (the address), secretKey (the secret), isActive, isSubscribedToUpdateEvents and isSubscribedToDeleteEvents.',
    'Subscribe the webhook to the field Status: POST /TicketWebhooks/{id}/Fields.',
  ],
  async prove(request, values) {
    const given = headerIn(request, 'x-hook-signature')?.replace(/^sha1=/i, '');
    const secret = values[callbackSecret];
    if (!given || !secret) return undefined;
    const expected = hmac('sha1', secret, request.body);
    return isSame(Buffer.from(given, /^[0-9a-f]{40}$/i.test(given) ? 'hex' : 'base64'), expected)
      ? expected.toString('base64')
      : undefined;
  },
  read({ body }): Callback {
    const { EntityType: type, Id: id } = jsonBody(body) ?? {};
    return type === 'Ticket' ? ofTickets(...ticketIdIn(id)) : undefined;
  },
};

const haloUser = 'portal';

/** Ids of the tickets of a webhook; a batch is a list. */
function haloIds(body: Buffer): string[] {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return [];
  }
  return (Array.isArray(value) ? value.slice(0, 100) : [value]).flatMap((each: unknown) => {
    const row = objectOf(each);
    return ticketIdIn(objectOf(row?.ticket)?.id ?? row?.ticket_id ?? row?.object_id);
  });
}

export const haloCallbacks: Callbacks = {
  secret: 'generated',
  isOnce: false,
  steps: [
    'Switch on, and copy address and secret.',
    `In HaloPSA add a webhook under Configuration › Integrations › Webhooks: the address as Payload URL, POST, Basic Authentication with the user ${haloUser} and the secret as password.`,
    'Add the events Ticket Updated, Ticket Closed, Ticket Deleted and New Action.',
  ],
  async prove(request: CallbackRequest, values) {
    const secret = values[callbackSecret];
    const given = headerIn(request, 'authorization');
    if (!secret || !given) return undefined;
    const expected = `Basic ${Buffer.from(`${haloUser}:${secret}`).toString('base64')}`;
    return isSame(given, expected) ? expected : undefined;
  },
  read: ({ body }) => ofTickets(...haloIds(body)),
};
