/**
 * Slack channels by incoming webhook and Block Kit. Sources: docs.slack.dev, "Sending messages using incoming webhooks", "Formatting message text";
 * error codes by its changelog of 2016-05-17.
 */
import { failureOf, jsonHeaders, quotedOf } from './outcomes.ts';
import type { Message, TargetKind } from './target.ts';

/** Slack's own control characters; everything else is plain text. */
const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]!);

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text;

/** Maximums of Block Kit: 150 characters in a header, 2,000 in a field, 10 fields in a section. */
export function slackMessage({ title, sender, client, facts, url }: Message) {
  return {
    // Shown in notifications. Escaped and without formatting, so that no text mentions anybody.
    text: escaped(cut(`${client}: ${title}`, 1_000)),
    unfurl_links: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(title, 150), emoji: false } },
      {
        type: 'section',
        fields: facts
          .slice(0, 10)
          .map(([name, value]) => ({ type: 'plain_text', text: cut(`${name}\n${value}`, 2_000), emoji: false })),
      },
      {
        type: 'actions',
        elements: [{ type: 'button', action_id: 'open', url, text: { type: 'plain_text', text: 'Open in the portal' } }],
      },
      { type: 'context', elements: [{ type: 'plain_text', text: cut(sender, 150), emoji: false }] },
    ],
  };
}

export const slack: TargetKind = {
  id: 'slack',
  title: 'Slack',
  capabilities: ['notify'],
  isForClients: true,
  follows: false,
  documentation: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/',
  fields: [
    {
      name: 'url',
      label: 'Webhook URL',
      hint: 'Begins with https://hooks.slack.com/services/',
      isSecret: true,
      pattern: /^https?:\/\/[\w.:-]{1,200}\/services\/[\w/-]{5,200}$/,
      fault: 'Enter the webhook URL from Slack: https://hooks.slack.com/services/…',
    },
  ],
  steps: [
    'In Slack create an app for your workspace (api.slack.com/apps), and switch on Incoming Webhooks.',
    'Add a new webhook to the workspace and choose the channel.',
    'Copy the webhook URL into the form. Treat it as a password: it lets anyone post to the channel.',
  ],
  async send({ message }, values, send) {
    const answer = await send({
      method: 'POST',
      url: values.url ?? '',
      headers: jsonHeaders,
      body: JSON.stringify(slackMessage(message)),
    });
    if (answer.status !== 200) return failureOf('Slack', answer);
    if (answer.text.trim() === 'ok') return { kind: 'accepted', id: null };
    return { kind: 'retry', words: `Slack didn’t confirm the message: ${quotedOf(answer.text) || 'the answer is empty.'}` };
  },
};
