/** The person on call at the organisation of the target, by email of the portal itself: no request leaves for it. */
import type { TargetKind } from './target.ts';

export const onCall: TargetKind = {
  id: 'oncall',
  title: 'On call',
  capabilities: ['notify'],
  isForClients: false,
  isInside: 'email',
  follows: false,
  documentation: 'https://www.rfc-editor.org/rfc/rfc5321',
  fields: [
    {
      name: 'place',
      label: 'Person',
      hint: 'By the rota at Deliveries › On call',
      initial: '1',
      isSecret: false,
      options: [
        { value: '1', label: 'Called first' },
        { value: '2', label: 'Called next' },
        { value: '3', label: 'Called last' },
      ],
      pattern: /^[123]$/,
      fault: 'Choose a person of the rota.',
    },
  ],
  steps: [
    'Fill the rota under Deliveries › On call.',
    'Add a target for the person who is called first, and one for the next.',
    'Use them in a routing rule for new cases or verdicts as levels of escalation, such as after 15 and after 30 minutes.',
  ],
  send: async () => ({ kind: 'refused', words: 'Sent by the portal itself.' }),
};
