/** A system that receives webhooks by Standard Webhooks: returns 200 for any JSON with the three headers of the specification. */
import { jsonIn, type Peer, plain, servePeer } from './peer.ts';

/** Starts a simulated receiver. */
export const startWebhook = (port?: number): Promise<Peer> =>
  servePeer(
    'webhook',
    port,
    ({ method, headers, body }) => {
      if (method !== 'POST') return plain(405, 'Method Not Allowed');
      if (!headers['webhook-id'] || !headers['webhook-timestamp'] || !headers['webhook-signature'])
        return { status: 401, body: { message: 'Missing required headers' } };
      return jsonIn(body) ? { body: { received: true } } : { status: 400, body: { message: 'The body is not JSON' } };
    },
    (url) => ({ url: `${url}/hooks/portal` }),
  );
