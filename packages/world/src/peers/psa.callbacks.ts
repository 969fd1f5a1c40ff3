/** Callbacks of the simulated PSA systems, as their vendors describe them; tests and people send them. */
import { createHash, createHmac } from 'node:crypto';

export interface PsaCallback {
  headers: Record<string, string>;
  body: string;
}

export const connectwiseKeyPath = '/v4_6_release/apis/3.0/system/callbackkey';
export const connectwiseSigningKey = 'demo-signing-key-of-connectwise';

const json = { 'content-type': 'application/json' };

interface Given {
  /** Origin of the PSA. */
  site: string;
  ticket: number;
  /** Of the target's callbacks; ConnectWise signs with its own key, unless another is given. */
  secret: string;
}

function connectwiseCallback({ site, ticket, secret }: Given): PsaCallback {
  const key = createHash('sha256')
    .update(secret || connectwiseSigningKey)
    .digest();
  const [entity, metadata] = ['{"status":{"id":19}}', { key_url: `${site}${connectwiseKeyPath}` }];
  const body = JSON.stringify({ Action: 'updated', Type: 'ticket', ID: ticket, Entity: entity, Metadata: metadata });
  return { headers: { ...json, 'x-content-signature': createHmac('sha256', key).update(body).digest('base64') }, body };
}

function autotaskCallback({ ticket, secret }: Given): PsaCallback {
  const body = JSON.stringify({
    Action: 'Update',
    Guid: 'demo',
    EntityType: 'Ticket',
    Id: ticket,
    Fields: { Status: 'Complete' },
  });
  return { headers: { ...json, 'x-hook-signature': `sha1=${createHmac('sha1', secret).update(body).digest('base64')}` }, body };
}

function haloCallback({ ticket, secret }: Given): PsaCallback {
  const authorization = `Basic ${Buffer.from(`portal:${secret}`).toString('base64')}`;
  return {
    headers: { ...json, authorization },
    body: JSON.stringify({ event: 'Ticket Updated', ticket: { id: ticket, status_id: 9 } }),
  };
}

/** A callback about a ticket, which claims that it was closed. */
export const psaCallback: Readonly<Record<string, (given: Given) => PsaCallback>> = {
  connectwise: connectwiseCallback,
  autotask: autotaskCallback,
  halo: haloCallback,
};
