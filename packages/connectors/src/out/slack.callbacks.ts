/** Presses of buttons in Slack. Sources: docs.slack.dev, "Verifying requests from Slack" and "Handling user interaction". */
import { objectOf } from '../values.ts';
import { callbackSecret, headerIn, hmac, isSame } from './callbacks.ts';
import { jsonHeaders, jsonOf } from './outcomes.ts';
import { escaped, slackMessage } from './slack.message.ts';
import type { Callback, CallbackRequest, Callbacks, Press } from './target.ts';

const toleranceMs = 5 * 60_000;
const text = (value: unknown, max: number): string => (typeof value === 'string' && value.length <= max ? value : '');
const slackId = (value: unknown): string => (typeof value === 'string' && /^[A-Z][A-Z0-9]{1,30}$/.test(value) ? value : '');
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function pressIn({ body }: CallbackRequest): Press | undefined {
  const payload = jsonOf(new URLSearchParams(body.toString('utf8')).get('payload') ?? '');
  if (payload?.type !== 'block_actions') return undefined;
  const first: unknown = Array.isArray(payload.actions) ? payload.actions[0] : undefined;
  const { action_id: action, value } = objectOf(first) ?? {};
  if ((action !== 'acknowledge' && action !== 'assign') || typeof value !== 'string' || !uuid.test(value)) return undefined;
  const { id, team_id: team, username, name } = objectOf(payload.user) ?? {};
  const account = slackId(id);
  const workspace = slackId(objectOf(payload.team)?.id) || slackId(team);
  if (account === '' || workspace === '') return undefined;
  const shown = text(username, 100) || text(name, 100) || account;
  const replyUrl = text(payload.response_url, 1_000);
  return { action, messageId: value, workspace, account, name: shown, replyUrl: URL.canParse(replyUrl) ? replyUrl : '' };
}

export const slackCallbacks: Callbacks = {
  secret: 'given',
  isOnce: true,
  steps: [
    'In Slack open your app (api.slack.com/apps) › Basic Information, and copy its Signing Secret into the form.',
    'Then open Interactivity & Shortcuts, switch Interactivity on, and enter the address that the portal shows as Request URL.',
    'Slack sends all presses of an app to one address. Enter the secret of the app at each of its targets, and the address of one of them in Slack.',
    'New messages of cases have the buttons Acknowledge and Assign to me. Each person links their Slack account to the portal with the first press.',
  ],
  async prove(request, values) {
    const [timestamp, signature] = [headerIn(request, 'x-slack-request-timestamp'), headerIn(request, 'x-slack-signature')];
    const secret = values[callbackSecret];
    if (!secret || !signature || timestamp === undefined || !/^\d{1,12}$/.test(timestamp)) return undefined;
    if (Math.abs(request.at - Number(timestamp) * 1_000) > toleranceMs) return undefined;
    const expected = `v0=${hmac('sha256', secret, `v0:${timestamp}:`, request.body).toString('hex')}`;
    return isSame(signature, expected) ? expected : undefined;
  },
  read(request): Callback {
    const press = pressIn(request);
    return press && { kind: 'press', press };
  },
  async reply({ replyUrl, account }, { text, original, by }, values, send) {
    // Only where the messages of this target go.
    if (replyUrl === '' || new URL(replyUrl).origin !== new URL(values.url ?? '').origin) return;
    const body = original
      ? {
          replace_original: true,
          ...slackMessage(original, true, `${text} by ${by === undefined ? `<@${account}>` : escaped(by)}`),
        }
      : { response_type: 'ephemeral', replace_original: false, text };
    await send({ method: 'POST', url: replyUrl, headers: jsonHeaders, body: JSON.stringify(body), isConfidential: true });
  },
};
