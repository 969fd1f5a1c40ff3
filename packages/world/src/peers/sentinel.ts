/**
 * Simulated Logs Ingestion API of Azure Monitor with its sign-in, from learn.microsoft.com ("Logs Ingestion API in Azure Monitor", "OAuth 2.0 client
 * credentials flow"): a token for the audience monitor.azure.com, an array of records that the stream declares, and 204 without a body.
 */
import { type Peer, servePeer } from './peer.ts';

const [tenant, client] = ['2b6f0c52-0000-4000-8000-00000000aaaa', '2b6f0c52-0000-4000-8000-00000000bbbb'];
const [secret, token] = ['demo~secret~of~sentinel', 'sentinel-token-demo'];
const [rule, stream] = ['dcr-0123456789abcdef0123456789abcdef', 'Custom-Portal_CL'];
const columns = ['TimeGenerated', 'EventId', 'EventType', 'Severity', 'Sender', 'Client', 'Title', 'Url', 'Data'];

const error = (status: number, code: string, message: string) => ({ status, body: { error: { code, message } } });

function recordsIn(body: string): Record<string, unknown>[] | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Starts a simulated endpoint. */
export const startSentinel = (port?: number): Promise<Peer> =>
  servePeer(
    'sentinel',
    port,
    ({ method, url, headers, body }) => {
      if (method === 'POST' && url.pathname === `/${tenant}/oauth2/v2.0/token`) {
        const form = new URLSearchParams(body);
        if (form.get('client_id') !== client || form.get('client_secret') !== secret)
          return {
            status: 401,
            body: { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret provided.' },
          };
        if (form.get('grant_type') !== 'client_credentials' || form.get('scope') !== 'https://monitor.azure.com/.default')
          return {
            status: 400,
            body: { error: 'invalid_scope', error_description: 'AADSTS1002012: The provided value for scope is not valid.' },
          };
        return { body: { token_type: 'Bearer', expires_in: 3599, access_token: token } };
      }
      if (headers.authorization !== `Bearer ${token}`) return error(401, 'InvalidToken', 'The access token is invalid.');
      const [, , id, , name] = url.pathname.split('/').map(decodeURIComponent);
      if (id !== rule) return error(404, 'NotFound', `Data collection rule with immutable Id '${id}' not found.`);
      if (url.searchParams.get('api-version') !== '2023-01-01')
        return error(400, 'InvalidApiVersion', 'The API version is invalid.');
      if (name !== stream) return error(400, 'InvalidStream', `Stream: ${name} is not part of the dcr config.`);
      const records = recordsIn(body);
      if (!records) return error(400, 'InvalidPayload', 'The payload is not an array of records.');
      if (records.some((record) => Number.isNaN(Date.parse(String(record.TimeGenerated)))))
        return error(400, 'InvalidTransformOutput', 'TimeGenerated is missing or no datetime.');
      const unknown = records.flatMap((record) => Object.keys(record).filter((key) => !columns.includes(key)));
      if (unknown.length > 0)
        return error(400, 'InvalidPayload', `Columns that the stream does not declare: ${unknown.join(', ')}.`);
      return { status: 204, body: '' };
    },
    (url) => ({ endpoint: url, rule, stream, tenant, client, secret, login: url }),
  );
