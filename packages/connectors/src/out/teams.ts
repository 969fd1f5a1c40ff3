/**
 * Microsoft Teams channels and chats by a Workflows URL and an Adaptive Card. Sources: learn.microsoft.com, "Create incoming webhooks with Workflows",
 * adaptivecards.io, schema 1.5. Workflows accepts a message before it is posted.
 */
import { jsonHeaders, outcomeOf } from './outcomes.ts';
import type { Message, TargetKind } from './target.ts';

/** Without the Markdown of Adaptive Cards: emphasis and links. */
const plain = (text: string, length = 500): string => {
  const escaped = text
    .slice(0, length)
    .toWellFormed()
    .replace(/([\\`*_[\]])/g, '\\$1');
  return text.length > length ? `${escaped}…` : escaped;
};

const colours = { critical: 'Attention', high: 'Warning', medium: 'Accent', low: 'Default', informational: 'Default' } as const;

/**
 * The portal acknowledges for the signed-in person: Workflows sends no signed request that could be verified, as a Universal Action of a registered bot
 * would be.
 */
const actionsOf = ({ event, stage, url }: Message, isOfClient: boolean) => [
  ...(!isOfClient && event.startsWith('case.') && stage === 'opened'
    ? [{ type: 'Action.OpenUrl', title: 'Acknowledge', url: `${url}?acknowledge=1` }]
    : []),
  {
    type: 'Action.OpenUrl',
    title: event === 'response.approvalNeeded' ? 'Approve in the portal' : 'Open in the portal',
    url,
  },
];

export function teamsCard(message: Message, isOfClient = false) {
  const { title, sender, severity, facts } = message;
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.5',
    fallbackText: plain(title),
    body: [
      { type: 'TextBlock', text: plain(sender), isSubtle: true, size: 'Small', wrap: true },
      {
        type: 'TextBlock',
        text: plain(title),
        weight: 'Bolder',
        size: 'Medium',
        wrap: true,
        ...(severity && { color: colours[severity] }),
      },
      { type: 'FactSet', facts: facts.map(([name, value]) => ({ title: name, value: plain(value) })) },
    ],
    actions: actionsOf(message, isOfClient),
  };
}

export const teams: TargetKind = {
  id: 'teams',
  title: 'Microsoft Teams',
  capabilities: ['notify'],
  isForClients: true,
  follows: false,
  documentation:
    'https://support.microsoft.com/office/create-incoming-webhooks-with-workflows-for-microsoft-teams-8ae491c7-0394-4861-ba59-055e33f75498',
  fields: [
    {
      name: 'url',
      label: 'Workflow URL',
      hint: 'The address that Workflows shows after saving',
      isSecret: true,
      pattern: /^https?:\/\/[\w.:-]{1,250}\/[^\s@]{10,1200}$/,
      fault: 'Enter the whole address from Workflows, with its signature.',
    },
  ],
  steps: [
    'In Teams open the channel’s menu › Workflows, and choose “Post to a channel when a webhook request is received”.',
    'Choose team and channel, and save the workflow.',
    'Copy its address into the form. Treat it as a password. Add a second owner to the workflow, so that it outlives an account.',
  ],
  async send({ message, isOfClient }, values, send) {
    const attachment = {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: teamsCard(message, isOfClient),
    };
    const answer = await send({
      method: 'POST',
      url: values.url ?? '',
      headers: jsonHeaders,
      body: JSON.stringify({ type: 'message', attachments: [attachment] }),
    });
    return outcomeOf('Microsoft Teams', answer, answer.headers.get('x-ms-workflow-run-id'));
  },
};
