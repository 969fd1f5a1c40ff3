/** A case as lists show it, and what lists of cases are filtered and sorted by (spec §3, §7.4). */
import { z } from 'zod';
import { count, instant, line, name, organisationId, severity } from './primitives.ts';
import { caseStatusValues, clockNames, verdicts } from './rules/cases.ts';

export const caseStatus = z.enum(caseStatusValues).describe('Where the case stands.');
export const verdict = z.enum(verdicts).describe('What the evidence says.');
export const investigationStatusId = z.number().int().min(1).max(8);
export const decimal = z.number().min(0);

export const analyst = z.object({
  id: z.number().int().describe('Names the user.'),
  firstName: line.describe('First name.'),
  lastName: line.describe('Last name.'),
  displayName: line.describe('First initial and surname.'),
  emailAddress: line.describe('Email address.'),
  clientOrganizationID: organisationId.describe('The analyst’s organisation.'),
});
export type Analyst = z.infer<typeof analyst>;

export const clock = z.object({
  name: z.enum(clockNames).describe('acknowledge, contain or close.'),
  targetMinutes: count.describe('Minutes that the target allows.'),
  dueAt: instant.nullable().describe('When the target is missed; null while the clock waits for the client.'),
  doneAt: instant.nullable().describe('When it was reached; null before.'),
  elapsedMinutes: decimal.describe('Minutes so far, or until it was reached, without the waits for the client.'),
  state: z
    .enum(['running', 'warning', 'breached', 'paused', 'met', 'missed'])
    .describe('running; warning (three quarters are over); breached (over, not done); paused; met or missed (done).'),
});
export type Clock = z.infer<typeof clock>;

export const caseRow = z.object({
  id: z.number().int().describe('Names the case.'),
  incidentID: z.number().int().describe('The number that mails and people call it by.'),
  title: line.describe('What happened, in one line.'),
  status: caseStatus,
  investigationStatus: investigationStatusId.describe('How far the investigation is, as a number.'),
  clientOrganizationID: organisationId.describe('The client.'),
  clientOrganizationName: name.describe('The client’s name.'),
  casePercentage: decimal.max(100).describe('Score by the client’s malicious threshold, capped at 100, two decimals.'),
  criticality: severity,
  criticalityNumber: z.number().int().min(1).max(5).describe('1 Informational … 5 Critical: its worst alert’s.'),
  riskScore: decimal.describe('The case’s score; no cap.'),
  alertCount: count.describe('Alerts in it.'),
  newAlerts: count.describe('Those that nobody has seen.'),
  analyst: line.nullable().describe('Who works on it: first initial and surname.'),
  analystUserAccountID: z.number().int().nullable().describe('Who works on it, as id.'),
  deviceNames: z.array(line).max(20).describe('Devices in it.'),
  userNames: z.array(line).max(20).describe('Users in it.'),
  tactics: z.array(line).max(14).describe('ATT&CK tactics in it, in their order in time.'),
  verdict: verdict.nullable().describe('What the evidence says; null before it was judged.'),
  confidenceScore: z.number().int().min(0).max(100).nullable().describe('How sure the verdict is.'),
  isExcluded: z.boolean().describe('Whether suppressions cover all of its alerts.'),
  version: z.number().int().describe('Counts its changes.'),
  createdTime: instant.describe('When it was opened.'),
  lastAlertTime: instant.describe('When its newest alert happened.'),
  closedTime: instant.nullable().describe('When it was closed.'),
  clock: clock.nullable().describe('The clock that runs next: acknowledge, then contain, then close; null when closed.'),
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
  /** Upwards: worst first, and of those the oldest first. */
  'urgency',
] as const;
/** Days since a case was opened: from, and until before (none: without end). */
export const caseAges = { day: [0, 1], week: [1, 7], month: [7, 30], older: [30, null] } as const;
export const caseAgeNames = Object.keys(caseAges) as [keyof typeof caseAges, ...(keyof typeof caseAges)[]];

export const caseFilters = {
  status: z.array(caseStatus).max(7).default([]).describe('Only these statuses.'),
  severity: z.array(severity).max(5).default([]).describe('Only these criticalities.'),
  verdict: z.array(verdict).max(3).default([]).describe('Only these verdicts.'),
  analyst: z
    .array(z.number().int().min(0).max(2_147_483_647))
    .max(50)
    .default([])
    .describe('Only cases of these analysts; 0 for those of nobody.'),
  device: z.string().max(255).optional().describe('Only cases with this device, its whole name.'),
  user: z.string().max(255).optional().describe('Only cases with this user, the whole name.'),
  breached: z.boolean().optional().describe('Only open cases whose next clock is over.'),
  waiting: z.boolean().optional().describe('Only open cases that wait for the client.'),
  excluded: z.boolean().optional().describe('Only those that suppressions cover, or only those that none covers.'),
  age: z
    .enum(caseAgeNames)
    .optional()
    .describe('Only those opened within a day, one to seven, seven to thirty, or more days ago.'),
  text: z.string().trim().max(200).default('').describe('Part of the title, a device or a user; or a case’s number.'),
};
export type CaseFilters = z.infer<z.ZodObject<typeof caseFilters>>;
