/** Messages of Slack by Block Kit. Source: docs.slack.dev, "Reference: blocks", "Formatting message text". */
import type { Message } from './target.ts';

/** Slack's own control characters; everything else is plain text. */
export const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]!);

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text;

const button = (action_id: string, text: string, more: object) => ({
  type: 'button',
  action_id,
  text: { type: 'plain_text', text },
  ...more,
});

/** A decision about a response needs a fresh sign-in, so its button is a link. */
const linkTo = ({ event, url }: Message) =>
  button('open', event === 'response.approvalNeeded' ? 'Approve in the portal' : 'Open in the portal', { url });

const pressesOf = ({ event, stage, id }: Message) =>
  event.startsWith('case.') && stage === 'opened'
    ? [button('acknowledge', 'Acknowledge', { value: id, style: 'primary' }), button('assign', 'Assign to me', { value: id })]
    : [];

/**
 * Maximums of Block Kit: 150 characters in a header, 2,000 in a field, 10 fields in a section.
 * @param outcome of a press, in place of its buttons; Slack's own formatting counts in it
 */
export function slackMessage(message: Message, hasPresses = false, outcome = '') {
  const { title, sender, client, facts } = message;
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
      { type: 'actions', elements: [...(hasPresses && outcome === '' ? pressesOf(message) : []), linkTo(message)] },
      ...(outcome === '' ? [] : [{ type: 'context', elements: [{ type: 'mrkdwn', text: cut(outcome, 500) }] }]),
      { type: 'context', elements: [{ type: 'plain_text', text: cut(sender, 150), emoji: false }] },
    ],
  };
}
