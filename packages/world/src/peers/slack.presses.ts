/** Presses of buttons at a simulated Slack, as described at docs.slack.dev ("Reference: block_actions payload", "Verifying requests from Slack"). */
import { createHmac } from 'node:crypto';

export const slackSigningSecret = 'demo8f742231b10e8888abcd99yyyzzz85a5';

export interface SlackPress {
  action: 'acknowledge' | 'assign' | 'open';
  /** Value of the button. */
  value?: string;
  account: string;
  name: string;
  responseUrl: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** The request that Slack sends for a press. */
export function pressRequest(press: SlackPress, secret = slackSigningSecret): { headers: Record<string, string>; body: string } {
  const { action, value, account, name, responseUrl } = press;
  const payload = {
    type: 'block_actions',
    team: { id: 'T00DEMO00', domain: 'demo' },
    user: { id: account, username: name, name, team_id: 'T00DEMO00' },
    api_app_id: 'A00DEMO00',
    response_url: responseUrl,
    actions: [{ type: 'button', action_id: action, block_id: 'b1', ...(value !== undefined && { value }) }],
  };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const timestamp = String(Math.floor(press.at / 1_000));
  const signature = `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
  return {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signature,
    },
    body,
  };
}
