/**
 * Slack channels by incoming webhook and Block Kit. Sources: docs.slack.dev, "Sending messages using incoming webhooks", "Formatting message text";
 * error codes by its changelog of 2016-05-17.
 */
import { callbackSecret } from './callbacks.ts';
import { failureOf, jsonHeaders, quotedOf } from './outcomes.ts';
import { slackCallbacks } from './slack.callbacks.ts';
import { slackMessage } from './slack.message.ts';
import type { TargetKind } from './target.ts';

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
  callbacks: slackCallbacks,
  async send({ message, isOfClient }, values, send) {
    const answer = await send({
      method: 'POST',
      url: values.url ?? '',
      headers: jsonHeaders,
      body: JSON.stringify(slackMessage(message, Boolean(values[callbackSecret]) && !isOfClient)),
    });
    if (answer.status !== 200) return failureOf('Slack', answer);
    if (answer.text.trim() === 'ok') return { kind: 'accepted', id: null };
    return { kind: 'retry', words: `Slack didn’t confirm the message: ${quotedOf(answer.text) || 'the answer is empty.'}` };
  },
};
