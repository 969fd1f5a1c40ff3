/**
 * Simulated Microsoft Teams Workflows, as described at learn.microsoft.com ("Create incoming webhooks with Workflows", trigger "When a Teams webhook
 * request is received"): 202 with an id of the run for a message with an Adaptive Card, 401 for a wrong signature.
 */
import { jsonIn, type Peer, servePeer } from './peer.ts';

const path = '/workflows/4f0c5d2e8d7b4b0c9a52demo/triggers/manual/paths/invoke';
const signature = 'demoDemoDemoDemoDemoDemoDemoDemoDemoDemo';
/** Maximum of a message in Teams. */
const maxBytes = 28 * 1024;

const isMessage = (message: Record<string, unknown> | undefined): boolean => {
  const [attachment, ...more] = Array.isArray(message?.attachments) ? (message.attachments as Record<string, unknown>[]) : [];
  const card = attachment?.content as Record<string, unknown> | undefined;
  return (
    message?.type === 'message' &&
    more.length === 0 &&
    attachment?.contentType === 'application/vnd.microsoft.card.adaptive' &&
    card?.type === 'AdaptiveCard' &&
    Array.isArray(card.body)
  );
};

/** Starts a simulated Teams. */
export const startTeams = (port?: number): Promise<Peer> => {
  let runs = 0;
  return servePeer(
    'teams',
    port,
    ({ method, url, body }) => {
      const error = (status: number, code: string, message: string) => ({ status, body: { error: { code, message } } });
      if (method !== 'POST' || url.pathname !== path) return error(404, 'WorkflowNotFound', 'The workflow could not be found.');
      if (url.searchParams.get('sig') !== signature)
        return error(401, 'DirectApiAuthorizationRequired', 'The request must be authenticated.');
      if (Buffer.byteLength(body) > maxBytes) return error(413, 'RequestEntityTooLarge', 'The message is too large.');
      if (!isMessage(jsonIn(body))) return error(400, 'TriggerInputSchemaMismatch', 'The input body does not match the schema.');
      return { status: 202, headers: { 'x-ms-workflow-run-id': `0858demo${String(++runs).padStart(8, '0')}CU01` }, body: '' };
    },
    (url) => ({ url: `${url}${path}?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=${signature}` }),
  );
};
