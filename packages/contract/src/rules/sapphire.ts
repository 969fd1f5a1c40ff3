/** Sapphire's skills and slots. No zod, because the web's panel imports it. */

import type { Verdict } from './cases.ts';
import type { severities } from './values.ts';

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

/** Skills of Sapphire; each is read-only and uses the services of the screens. */
export const sapphireSkills = [
  'cases.count',
  'cases.list',
  'cases.trend',
  'case.summarise',
  'alerts.count',
  'alerts.list',
  'alerts.trend',
  'alert.explain',
  'top.rules',
  'top.devices',
  'top.users',
  'top.techniques',
  'devices.count',
  'devices.riskiest',
  'response.state',
  'times',
  'risk.score',
  'risk.improve',
  'vulnerabilities',
  'coverage',
  'changes.since',
  'compare.periods',
  'period.summary',
  'agent.install',
  'howto',
  'capabilities',
] as const;
export type SapphireSkill = (typeof sapphireSkills)[number];

export const platforms = ['windows', 'linux', 'macos'] as const;
/** Case filters of questions; open means not closed. */
export const caseStates = [
  'open',
  'assigned',
  'investigating',
  'escalated',
  'closed',
  'malicious',
  'suspicious',
  'inconclusive',
  'likely benign',
  'benign',
] as const;
/** Case filters that are verdicts. */
export const verdictOfState: Partial<Record<(typeof caseStates)[number], Verdict>> = {
  malicious: 'Malicious',
  suspicious: 'Suspicious',
  inconclusive: 'Insufficient Information',
  'likely benign': 'Likely Benign',
  benign: 'Benign',
};

/** Slots of a question, all optional; names as stored, within the caller's scope. */
export interface SapphireSlots {
  /** Organisation IDs; defaults to the selected client. */
  clients?: number[];
  /** Named timeframe, month, or two instants (ISO 8601, end exclusive). */
  timeframe?: { start: string; end: string; label: string };
  /** Compared timeframe (compare.periods). */
  before?: { start: string; end: string; label: string };
  severities?: (typeof severities)[number][];
  states?: (typeof caseStates)[number][];
  device?: string;
  user?: string;
  rule?: string;
  /** For example T1110 or T1110.003. */
  technique?: string;
  /** For example CVE-2024-3094. */
  cve?: string;
  alertId?: number;
  caseId?: number;
  platform?: (typeof platforms)[number];
  /** devices.count: defaults to all. */
  deviceState?: 'reporting' | 'silent' | 'stale' | 'isolated';
  /** Cases of the caller, or unassigned ones. */
  assigned?: 'me' | 'nobody';
  /** compare.periods: counted records. */
  metric?: 'alerts' | 'cases';
  /** Rows of a top list. */
  limit?: number;
  bucket?: 'day' | 'week' | 'month';
}
