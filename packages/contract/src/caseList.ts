/** Rows, filters and sort columns of case lists (spec §3, §7.4). */
import { z } from 'zod';
import { count, instant, line, name, organisationId, severity } from './primitives.ts';
import { queryParam } from './query.ts';
import { caseStatusValues, emailActions, resolutionValues, slaTimerNames, verdicts } from './rules/cases.ts';
import { judgedVerdicts } from './rules/judgement.ts';

export const caseStatus = z.enum(caseStatusValues).describe('Case status.');
export const verdict = z.enum(verdicts).describe('Verdict.');
export const judgedVerdict = z.enum(judgedVerdicts).describe('Verdict that stands.');
export const verdictFilter =
  'Filter by the verdict that stands: the resolution, else an analyst’s conclusion, else the verdict of decisioning.';
export const resolution = z.enum(resolutionValues).describe('Resolution; notStated for a case closed without one.');
/** The client's answer to an escalation. */
export const clientAnswer = z.object({
  answer: z.enum(emailActions).describe('benign (expected) or malicious (not expected).'),
  time: instant.describe('Time of the answer.'),
  isSeen: z.boolean().describe('True once an analyst has seen it.'),
});
export const investigationStatusId = z.number().int().min(1).max(8);
export const decimal = z.number().min(0);

export const analyst = z.object({
  id: z.number().int().describe('User ID.'),
  firstName: line.describe('First name.'),
  lastName: line.describe('Last name.'),
  displayName: line.describe('First initial and surname.'),
  emailAddress: line.describe('Email address.'),
  clientOrganizationID: organisationId.describe('Organisation of the analyst.'),
});
export type Analyst = z.infer<typeof analyst>;

export const clock = z.object({
  name: z.enum(slaTimerNames).describe('acknowledge, contain or close.'),
  targetMinutes: count.describe('Target in minutes.'),
  dueAt: instant.nullable().describe('Deadline; null while paused for the client.'),
  doneAt: instant.nullable().describe('Time of completion; null before.'),
  elapsedMinutes: decimal.describe('Elapsed minutes until now or completion, without pauses for the client.'),
  state: z
    .enum(['running', 'warning', 'breached', 'paused', 'met', 'missed'])
    .describe('running; warning (three quarters elapsed); breached (overdue); paused; met or missed (completed).'),
});
export type Clock = z.infer<typeof clock>;

export const caseRow = z.object({
  id: z.number().int().describe('Case ID.'),
  incidentID: z.number().int().describe('Case number shown to people.'),
  title: line.describe('Title.'),
  status: caseStatus,
  investigationStatus: investigationStatusId.describe('Investigation status ID.'),
  clientOrganizationID: organisationId.describe('The client.'),
  clientOrganizationName: name.describe('Client name.'),
  casePercentage: decimal
    .max(100)
    .describe('Score divided by the client’s malicious threshold, in per cent, capped at 100, two decimals.'),
  criticality: severity,
  criticalityNumber: z.number().int().min(1).max(5).describe('Highest criticality of its alerts, 1 Informational … 5 Critical.'),
  riskScore: decimal.describe('Case score, uncapped.'),
  alertCount: count.describe('Number of alerts.'),
  newAlerts: count.describe('Unseen alerts.'),
  analyst: line.nullable().describe('Assigned analyst: first initial and surname.'),
  analystUserAccountID: z.number().int().nullable().describe('User ID of the assigned analyst.'),
  deviceNames: z.array(line).max(20).describe('Affected devices.'),
  userNames: z.array(line).max(20).describe('Affected users.'),
  tactics: z.array(line).max(14).describe('ATT&CK tactics in chronological order.'),
  verdict: verdict.nullable().describe('Verdict of decisioning; null before the first judgement.'),
  confidenceScore: z
    .number()
    .int()
    .min(0)
    .max(100)
    .nullable()
    .describe('Confidence of the verdict; null without a verdict and for Insufficient Information.'),
  resolution: resolution.nullable().describe('Resolution; null while open, notStated for a case closed without one.'),
  clientAnswer: clientAnswer.nullable().describe('Newest answer of the client to an escalation; null without one.'),
  isExcluded: z.boolean().describe('True when suppressions cover all of its alerts.'),
  version: z.number().int().describe('Version, incremented by each change.'),
  createdTime: instant.describe('Time of opening.'),
  lastAlertTime: instant.describe('Time of the newest alert.'),
  closedTime: instant.nullable().describe('Time of closing.'),
  clock: clock.nullable().describe('Next SLA timer: acknowledge, then contain, then close; null when closed.'),
});
export type CaseRow = z.infer<typeof caseRow>;

export const caseSorts = [
  'createdTime',
  'lastAlertTime',
  'criticality',
  'casePercentage',
  'status',
  'alertCount',
  'client',
  /** Verdict that stands, ascending: Malicious to Benign, what only people conclude, then cases without a verdict. */
  'verdict',
  /** Ascending: worst first, then oldest first. */
  'urgency',
] as const;
/** Age ranges in days since opening: from inclusive, to exclusive; null is unbounded. */
export const caseAges = { day: [0, 1], week: [1, 7], month: [7, 30], older: [30, null] } as const;
export const caseAgeNames = Object.keys(caseAges) as [keyof typeof caseAges, ...(keyof typeof caseAges)[]];

export const caseFilters = {
  status: z.array(caseStatus).max(7).default([]).describe('Filter by status.'),
  severity: z.array(severity).max(5).default([]).describe('Filter by severity.'),
  resolution: z.array(resolution).max(6).default([]).describe('Filter closed cases by resolution.'),
  verdict: z.array(judgedVerdict).max(8).default([]).describe(verdictFilter),
  analyst: z
    .array(z.number().int().min(0).max(2_147_483_647))
    .max(50)
    .default([])
    .describe('Filter by analyst; 0 for unassigned cases.'),
  device: z.string().max(255).optional().describe('Filter by exact device name.'),
  user: z.string().max(255).optional().describe('Filter by exact user name.'),
  breached: z.boolean().optional().describe('Filter open cases by a breached SLA timer.'),
  waiting: z.boolean().optional().describe('Filter open cases by waiting for the client.'),
  answered: z.boolean().optional().describe('Filter by an answer of the client that no analyst has seen.'),
  confirmed: z.boolean().optional().describe('Filter by an attack that an analyst confirmed.'),
  excluded: z.boolean().optional().describe('Filter by suppression coverage.'),
  age: z.enum(caseAgeNames).optional().describe('Filter by age: within a day, 1 to 7 days, 7 to 30 days, or older.'),
  text: z.string().trim().max(200).default('').describe('Substring of the title, a device or a user; or a case number.'),
  query: queryParam('case'),
};
export type CaseFilters = z.infer<z.ZodObject<typeof caseFilters>>;

/** Values of a filter with their numbers of cases. */
export const facet = z
  .array(
    z.object({
      value: line.describe('Filter value.'),
      label: line.describe('Display name.'),
      count: count.describe('Number of cases in the timeframe.'),
    }),
  )
  .max(500);
