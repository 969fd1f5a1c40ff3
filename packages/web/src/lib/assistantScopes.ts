/** Access of assistants as people read it. */
import type { AssistantScope } from '@parapet/contract/assistants.ts';

export const assistantScopeTexts: Readonly<Record<AssistantScope, { title: string; text: string }>> = {
  read: { title: 'Read', text: 'Read alerts, cases, events, devices and reports that you can read.' },
  propose: { title: 'Propose', text: 'Propose notes and responses. Nothing happens until a user accepts a proposal.' },
};
