/** Sapphire's questions beside queries. No zod, because the web's panel imports it. */

import type { QueryTime } from './query.ts';

/** The four suggested questions (spec §2.6). */
export const suggestedQuestions = [
  'Which device is the biggest risk?',
  'What was the most common alert type last month?',
  'How do I install the agent on Windows?',
  'How many open cases do we have?',
] as const;
/** Delay of the query after a suggested question, and interval of the loading phrases (spec §4). */
export const suggestedDelayMs = 5_000;
export const loadingPhraseMs = 4_000;

/** Answers beside the query language (`rules/query.ts`), all read-only. */
export const sapphireSkills = [
  'case.summarise',
  'alert.explain',
  'period.summary',
  'changes.since',
  'risk.improve',
  'agent.install',
  'howto',
  'capabilities',
] as const;
export type SapphireSkill = (typeof sapphireSkills)[number];

export const platforms = ['windows', 'linux', 'macos'] as const;

/** Slots of these questions, all optional. */
export interface SapphireSlots {
  /** Organisation IDs; defaults to the selected client. */
  clients?: number[];
  timeframe?: QueryTime;
  alertId?: number;
  caseId?: number;
  platform?: (typeof platforms)[number];
}
