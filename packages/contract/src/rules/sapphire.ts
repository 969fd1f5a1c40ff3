/** What Sapphire understands: its skills, and what a question can say beside (issue: an assistant with receipts). No zod here: the panel needs some of it. */
import type { severities } from './values.ts';

/** The four suggested questions (spec §2.6). */
export const suggestedQuestions = [
  'Which device is the biggest risk?',
  'What was the most common alert type last month?',
  'How do I install the agent on Windows?',
  'How many open cases do we have?',
] as const;
/** The query follows so long after a suggested question; the phrases change so often (spec §4). */
export const suggestedDelayMs = 5_000;
export const loadingPhraseMs = 4_000;

/** A question's kind. Each is read-only and asks the services that the screens ask. */
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
/** Cases by what the reader would say: open means not closed. */
export const caseStates = ['open', 'assigned', 'investigating', 'escalated', 'closed', 'malicious', 'benign'] as const;

/** What a question says beside its kind. Everything is optional; names are those in the caller's scope, as they are written there. */
export interface SapphireSlots {
  /** Organisations by id; none: the selected client. */
  clients?: number[];
  /** A timeframe's word, a month, or two instants (ISO 8601, end exclusive). */
  timeframe?: { start: string; end: string; label: string };
  /** What it is compared with (compare.periods). */
  before?: { start: string; end: string; label: string };
  severities?: (typeof severities)[number][];
  states?: (typeof caseStates)[number][];
  device?: string;
  user?: string;
  rule?: string;
  /** T1110 or T1110.003. */
  technique?: string;
  /** CVE-2024-3094. */
  cve?: string;
  alertId?: number;
  caseId?: number;
  platform?: (typeof platforms)[number];
  /** devices.count: all without it. */
  deviceState?: 'reporting' | 'silent' | 'stale' | 'isolated';
  /** Whose cases: the caller's own, or nobody's. */
  assigned?: 'me' | 'nobody';
  /** compare.periods: what is counted. */
  metric?: 'alerts' | 'cases';
  /** How many rows of a top list. */
  limit?: number;
  bucket?: 'day' | 'week' | 'month';
}
