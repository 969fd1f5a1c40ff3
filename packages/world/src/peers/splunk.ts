/**
 * Simulated HTTP Event Collector of Splunk, from help.splunk.com ("Format events for HTTP Event Collector", "Possible error codes"): a token, an index,
 * concatenated JSON with `event`, and `{"text":"Success","code":0}`.
 */
import { jsonIn, type Peer, servePeer } from './peer.ts';

const token = '5d0c2a7e-0000-4000-8000-0000deadbeef';
const index = 'soc';

/** Starts a simulated collector. */
export const startSplunk = (port?: number): Promise<Peer> =>
  servePeer(
    'splunk',
    port,
    ({ method, url, headers, body }) => {
      const error = (status: number, code: number, text: string) => ({ status, body: { text, code } });
      if (method !== 'POST' || url.pathname !== '/services/collector/event')
        return error(404, 404, 'The requested URL was not found on this server.');
      if (headers.authorization === undefined) return error(401, 2, 'Token is required');
      if (headers.authorization !== `Splunk ${token}`) return error(403, 4, 'Invalid token');
      const event = jsonIn(body);
      if (!event) return error(400, 6, 'Invalid data format');
      if (event.event === undefined) return error(400, 12, 'Event field is required');
      if (event.index !== index) return error(400, 7, 'Incorrect index');
      return { body: { text: 'Success', code: 0 } };
    },
    (url) => ({ collector: url, token, index }),
  );
