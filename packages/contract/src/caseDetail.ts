/** A case as its own page shows it: its alerts, and what was judged, written and done about them (spec §4). */
import { z } from 'zod';
import { alertRow } from './alerts.ts';
import { caseStatus, clock, decimal, investigationStatusId, verdict } from './caseList.ts';
import { contacts, escalationAddress, playbook } from './organisations.ts';
import { count, instant, line, name, organisationId, paragraph, severity } from './primitives.ts';

/** One sentence of a verdict: it stands only while the stored event still says what it cites. */
export const evidence = z.object({
  text: line.describe('The sentence.'),
  weight: z.number().min(-100).max(100).describe('What it adds (positive: malicious) or takes away, in log-odds times ten.'),
  factor: z
    .enum(['severity', 'outcome', 'history', 'sequence', 'reputation', 'time', 'response', 'silence'])
    .describe('Which part of the model says it.'),
  alertID: z.number().int().nullable().describe('The alert that it cites; null for a sentence about a silent data source.'),
  field: line.nullable().describe('The field of the alert’s event.'),
  value: line.nullable().describe('Its value there.'),
});
export type Evidence = z.infer<typeof evidence>;

export const decisioning = z.object({
  verdict,
  confidenceScore: z.number().int().min(0).max(100).describe('How sure, 0 to 100.'),
  explanation: paragraph.describe('The sentences as one text.'),
  startWeight: z
    .number()
    .min(-100)
    .max(100)
    .describe('What every case starts from before any evidence, weighed like the sentences.'),
  evidence: z.array(evidence).max(100).describe('The sentences, each with what it cites.'),
  uncited: count.describe('Sentences left out, because what they cite was not found any more.'),
  model: line.describe('Which model and version computed it.'),
  decidedAt: instant.describe('When it was computed.'),
  isCorrect: z.boolean().nullable().describe('What a reviewer said of it; null before, and for clients.'),
  notes: paragraph.describe('The reviewer’s notes; empty for clients.'),
});
export type Decisioning = z.infer<typeof decisioning>;

export const reputations = ['Malicious', 'Suspicious', 'Benign', 'Unknown'] as const;
export const artifactKinds = ['destinationIp', 'sourceIp', 'hash', 'process', 'user', 'device'] as const;
export type ArtifactKind = (typeof artifactKinds)[number];

export const artifact = z.object({
  kind: z.enum(artifactKinds).describe('What it is.'),
  value: line.describe('The address, hash, program, user or device.'),
  reputation: z.enum(reputations).describe('What threat intelligence says.'),
  source: line.describe('The list that says so; empty when none does.'),
  count: count.describe('Events of the case that show it.'),
  firstTime: instant.describe('First seen in the case.'),
  lastTime: instant.describe('Last seen in the case.'),
});
export type Artifact = z.infer<typeof artifact>;

/** A step of the ledger of responses (decision 14): nothing is called done that was not observed. */
export const responseStates = [
  'requested',
  'approved',
  'sent',
  'acknowledged',
  'verified',
  'failed',
  'expired',
  'released',
] as const;
export const responseActions = [
  'isolate',
  'unisolate',
  'blockUser',
  'unblockUser',
  'block',
  'unblock',
  'disable',
  'reenable',
  'killProcess',
  'collectFile',
] as const;
export const response = z.object({
  id: z.number().int().describe('Names the request.'),
  clientOrganizationID: organisationId.describe('The client.'),
  caseID: z.number().int().nullable().describe('The case.'),
  action: z.enum(responseActions).describe('What was asked for.'),
  target: line.describe('The device, user or artifact.'),
  state: z.enum(responseStates).describe('How far it is.'),
  isManual: z.boolean().describe('Whether a person does it and confirms, because no agent can.'),
  requestedBy: line.describe('Who asked for it.'),
  requestedTime: instant.describe('When.'),
  changedTime: instant.describe('When the state changed last.'),
  detail: line.describe('What was said of the last step, such as why it failed or that the device is offline.'),
});
export type Response = z.infer<typeof response>;

export const caseTask = z.object({
  taskNumber: z.number().int().min(1).describe('Names the task within its case.'),
  device: line.describe('The device where it is done; empty when everywhere.'),
  task: line.describe('What pressing it does: Block, Unblock, Disable or Reenable, and the target.'),
  action: z.enum(['block', 'disable']).describe('The typed action.'),
  target: line.describe('The address, program, hash or user.'),
  isSent: z.boolean().describe('Whether it stands as sent.'),
  result: line.describe('How far it is, in words.'),
});
export type CaseTask = z.infer<typeof caseTask>;

export const timelineEntry = z.object({
  time: instant.describe('When.'),
  kind: z
    .enum(['alert', 'artifact', 'status', 'assignment', 'note', 'mail', 'response', 'decision', 'review', 'client'])
    .describe('What it is.'),
  text: line.describe('What happened.'),
  actor: line.describe('Who did it; empty for the portal itself.'),
  alertID: z.number().int().nullable().describe('The alert, where it is one.'),
  severity: severity.nullable().describe('Its severity, where it is an alert.'),
});
export type TimelineEntry = z.infer<typeof timelineEntry>;

export const caseNarrative = z.object({
  id: z.number().int().describe('Names the narrative.'),
  startTime: instant.describe('When it was written.'),
  text: paragraph.describe('What happened, for the client.'),
  analystUserAccountFull: z
    .object({ displayName: line.describe('Who wrote it; the portal’s own are by "Decisioning".') })
    .describe('Who wrote it.'),
  isGenerated: z.boolean().describe('Whether decisioning wrote it.'),
  emailSentTimestamp: instant.nullable().describe('When it was mailed to the client; null before.'),
});
export type CaseNarrative = z.infer<typeof caseNarrative>;

export const analystCaseNote = z.object({
  id: z.number().int().describe('Names the note.'),
  text: paragraph.describe('The note: plain text with lists (- ), `code`, ``` blocks and https links; shown as text.'),
  isInternal: z.boolean().describe('Whether the client does not see it.'),
  author: line.describe('Who wrote it.'),
  isMine: z.boolean().describe('Whether the caller wrote it, and may change it.'),
  createdTime: instant.describe('When.'),
  changedTime: instant.nullable().describe('When it was changed last.'),
});
export type AnalystCaseNote = z.infer<typeof analystCaseNote>;

export const caseAlert = alertRow.extend({
  joinedBy: line.describe('Which rule of correlation put it here, in words.'),
});
export type CaseAlert = z.infer<typeof caseAlert>;

export const caseDetail = z.object({
  caseGeneralInfo: z
    .object({
      id: z.number().int().describe('Names the case.'),
      incidentID: z.number().int().describe('The number that mails and people call it by.'),
      title: line.describe('What happened, in one line.'),
      clientOrganizationID: organisationId.describe('The client.'),
      createdTime: instant.describe('When it was opened.'),
      closedTime: instant.nullable().describe('When it was closed.'),
      criticality: severity,
      criticalityNumber: z.number().int().min(1).max(5).describe('1 Informational … 5 Critical.'),
      waitExpiration: instant.nullable().describe('When the wait for the client ends and the clocks run on.'),
      analyst: line.nullable().describe('Who works on it: first initial and surname.'),
      assignedToUserAccount: z
        .object({
          id: z.number().int().describe('Names the user.'),
          displayName: line.describe('First initial and surname.'),
          emailAddress: line.describe('Email address.'),
        })
        .nullable()
        .describe('Who works on it; null for nobody.'),
      riskScore: decimal.describe('The case’s score.'),
      newAlerts: count.describe('Alerts that nobody has seen.'),
      investigationStatus: investigationStatusId.describe('How far the investigation is, as a number.'),
      status: caseStatus,
      alertCount: count.describe('Alerts in it.'),
      tactics: z.array(line).max(14).describe('ATT&CK tactics, in their order in time.'),
      version: z.number().int().describe('Counts its changes.'),
      clocks: z.array(clock).max(3).describe('Time to acknowledge, to contain, to close.'),
    })
    .describe('What it is and where it stands.'),
  clientOrganizationDetails: z
    .object({
      clientOrganization: z
        .object({ id: organisationId.describe('The client.'), name: name.describe('Its name.') })
        .describe('The client.'),
      emergencyContacts: contacts.shape.emergencyContacts,
      generalAlertNotes: playbook.shape.generalAlertNotes,
      escalationEmailAddresses: z.array(escalationAddress).max(50).describe('Who gets case mails.'),
      alertPlaybookData: playbook.shape.alertPlaybookData,
      alertTypes: z.array(line).max(20).describe('Kinds of alert that the client wants to hear of.'),
      subscriptionLevelID: z.number().int().describe('The level of service.'),
    })
    .describe('What an analyst must know of the client.'),
  alerts: z.array(caseAlert).max(50).describe('The first page of alerts, newest first.'),
  alertNarrative: paragraph.describe('What the alerts say, in sentences.'),
  caseNarrative: z.array(caseNarrative).max(200).describe('Narratives, newest first; clients see those that were mailed.'),
  analystCaseNotes: z.array(analystCaseNote).max(500).describe('Notes, newest first; clients see those that are shared.'),
  casePercentage: decimal.max(100).describe('Score by the client’s malicious threshold, capped at 100, two decimals.'),
  isExcluded: z.boolean().describe('Whether suppressions cover all of its alerts.'),
  isAREnabled: z.boolean().describe('The client’s autonomous-response switch; off: tasks stay proposals.'),
  autonomousResponseData: z
    .object({
      caseArtifacts: z.array(artifact).max(1000).describe('What the events show, with reputation.'),
      maliciousArtifacts: count.describe(
        'Destination and source addresses, hashes and processes whose reputation is Malicious (spec §9).',
      ),
      caseArtifactsTimeline: z.array(timelineEntry).max(1000).describe('What happened, in order.'),
      caseSummary: paragraph.describe('The case in a few sentences.'),
      caseTaskList: z.array(caseTask).max(100).describe('Response tasks.'),
    })
    .describe('What autonomous response works with.'),
  responses: z.array(response).max(200).describe('The ledger of isolations and blocks, newest first.'),
  decisioning: decisioning.nullable().describe('The verdict; null before the case was judged.'),
  can: z
    .object({
      write: z.boolean().describe('Narratives, notes, assignment, investigation status.'),
      changeStatus: z.boolean().describe('Change the status.'),
      markAlerts: z.boolean().describe('Mark alerts as seen or unseen.'),
      respond: z.boolean().describe('Isolate, block, run tasks.'),
      mail: z.boolean().describe('Send mails of the case.'),
      readMails: z.boolean().describe('Read its mails.'),
      seeInternals: z.boolean().describe('See internal notes and drafts.'),
      review: z.boolean().describe('Review it.'),
      suppress: z.boolean().describe('Make suppressions.'),
    })
    .describe('What the caller may do here.'),
});
export type CaseDetail = z.infer<typeof caseDetail>;
