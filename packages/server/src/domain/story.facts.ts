/** Facts that the story of a case is made of, and its clauses. */
import type { Evidence, Response, StoryClause } from '@parapet/contract/caseDetail.ts';
import type { Resolution } from '@parapet/contract/rules/cases.ts';
import type { Judgement } from '@parapet/contract/rules/judgement.ts';

/** All alerts of a rule in a case, with the first alert’s event. */
export interface StoryRule {
  alertID: number;
  at: Date;
  lastAt: Date;
  rule: string;
  criticality: number;
  techniques: readonly string[];
  /** Short names. */
  tactics: readonly string[];
  /** Matches of the rule. */
  count: number;
  /** Of the first alert, and how many there are of each. */
  device: string | null;
  devices: number;
  /** As the alert reports it. */
  user: string | null;
  /** The name that stands for all joined ones. */
  person: string | null;
  users: number;
  source: string | undefined;
  destination: string | undefined;
  program: string | undefined;
}

export interface StoryParty {
  name: string;
  /** First alert on it in the case. */
  alertID: number;
}

/** Facts from the alerts of a case; `rules` in chronological order, the most severe ones of `rulesTotal`. */
export interface AttackFacts {
  rules: readonly StoryRule[];
  rulesTotal: number;
  devices: readonly StoryParty[];
  devicesTotal: number;
  users: readonly StoryParty[];
  usersTotal: number;
}

/** Work on a case, as the reader may see it. */
export interface WorkFacts {
  alertCount: number;
  judgement: Omit<Judgement, 'severity'>;
  evidence: readonly Pick<Evidence, 'factor'>[];
  responses: readonly Pick<Response, 'id' | 'action' | 'target' | 'state' | 'changedTime'>[];
  unsentTasks: number;
  /** Times of emails to the client and of its replies. */
  mailedAt: readonly Date[];
  answeredAt: readonly Date[];
  waitsUntil: Date | null;
  closedAt: Date | null;
  resolution: Resolution | null;
}

export const clause = (
  part: StoryClause['part'],
  link: StoryClause['link'],
  text: string,
  linkID: number | null = null,
): StoryClause => ({ part, link, linkID, text: text.slice(0, 2000) });

const months = 'January February March April May June July August September October November December'.split(' ');
export const clockTime = (at: Date): string => at.toISOString().slice(11, 16);
export const day = (at: Date): string => `${at.getUTCDate()} ${months[at.getUTCMonth()]}`;
/** `22 November 2026 at 03:12 UTC`. */
export const timeText = (at: Date): string => `${day(at)} ${at.getUTCFullYear()} at ${clockTime(at)} UTC`;
