/** Notifications in the browsers of the organisation's people (docs/decisions/0175-browser-notifications.md). */
import type { TargetKind } from './target.ts';

export const browser: TargetKind = {
  id: 'browser',
  title: 'Browser notifications',
  capabilities: ['notify'],
  isForClients: false,
  isInside: 'push',
  follows: false,
  documentation: 'https://www.rfc-editor.org/rfc/rfc8030',
  fields: [
    {
      name: 'people',
      label: 'People',
      hint: 'On call: by the rota at Deliveries › On call',
      initial: 'all',
      isSecret: false,
      options: [
        { value: 'all', label: 'Everyone with notifications turned on' },
        { value: '1', label: 'On call, called first' },
        { value: '2', label: 'On call, called next' },
        { value: '3', label: 'On call, called last' },
      ],
      pattern: /^(?:all|[123])$/,
      fault: 'Choose the people.',
    },
  ],
  steps: [
    'Each person turns notifications on in their own browser, also in the installed portal: Settings › Notifications.',
    'Add a target for everyone, or for the person on call, and use it in a routing rule.',
    'A person gets only what they may read. Click a notification to open the case.',
  ],
  send: async () => ({ kind: 'refused', words: 'Sent by the portal itself.' }),
};
