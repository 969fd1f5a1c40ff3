/** Case detail: alerts, verdict, narratives, notes, tasks and responses (spec §4). */
import { z } from 'zod';
import { alertRow, ruleGuidance } from './alerts.ts';
import { caseStatus, clientAnswer, clock, decimal, investigationStatusId, resolution, verdict } from './caseList.ts';
import { contacts, escalationAddress, playbook } from './organisations.ts';
import { count, instant, line, name, organisationId, paragraph, severity } from './primitives.ts';
import { containments } from './rules/cases.ts';

/** Sentence of a verdict; valid only while the stored event still contains the cited value. */
export const evidence = z.object({
  text: line.describe('Text of the sentence.'),
  weight: z.number().min(-100).max(100).describe('Weight in log-odds times ten; positive supports malicious.'),
  factor: z
    .enum(['severity', 'technique', 'context', 'outcome', 'history', 'sequence', 'reputation', 'time', 'response', 'silence'])
    .describe('Factor of the model; response in verdicts of its first version only.'),
  alertID: z.number().int().nullable().describe('Cited alert; null for a sentence about a silent data source.'),
  field: line.nullable().describe('Field of the alert’s event.'),
  value: line.nullable().describe('Value of the field.'),
});
export type Evidence = z.infer<typeof evidence>;

export const decisioning = z.object({
  verdict,
  confidenceScore: z
    .number()
    .int()
    .min(0)
    .max(100)
    .nullable()
    .describe('Confidence, 0 to 100; null for Insufficient Information.'),
  explanation: paragraph.describe('All sentences as one text.'),
  startWeight: z.number().min(-100).max(100).describe('Prior weight of every case before any evidence, on the same scale.'),
  evidence: z.array(evidence).max(100).describe('Sentences with their citations.'),
  uncited: count.describe('Sentences omitted because their citation no longer exists.'),
  model: line.describe('Model and version.'),
  decidedAt: instant.describe('Time of computation.'),
  isCorrect: z.boolean().nullable().describe('Judgement of the reviewer; null before review, and for clients.'),
  notes: paragraph.describe('The reviewer’s notes; empty for clients.'),
});
export type Decisioning = z.infer<typeof decisioning>;

export const reputations = ['Malicious', 'Suspicious', 'Benign', 'Unknown'] as const;
export const artifactKinds = ['destinationIp', 'sourceIp', 'domain', 'hash', 'file', 'process', 'user', 'device'] as const;
export type ArtifactKind = (typeof artifactKinds)[number];

export const artifact = z.object({
  kind: z.enum(artifactKinds).describe('Kind.'),
  value: line.describe('Address, domain, hash, file, program, user or device.'),
  reputation: z.enum(reputations).describe('Reputation in threat intelligence.'),
  source: line.describe('Source list of the reputation; empty without one.'),
  network: line.nullable().describe('Country and network of an address now, such as "DE · AS64496 Example"; null when unknown.'),
  count: count.describe('Events of the case that contain it.'),
  firstTime: instant.describe('First occurrence in the case.'),
  lastTime: instant.describe('Last occurrence in the case.'),
  decodedFrom: line
    .nullable()
    .describe('Field of the event whose decoded text holds the value; null when the event has it as sent.'),
});
export type Artifact = z.infer<typeof artifact>;

/** Response request of the case; a step counts as completed only when observed. */
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
  'revokeSessions',
  'resetFactors',
] as const;
export const response = z.object({
  id: z.number().int().describe('Request ID.'),
  clientOrganizationID: organisationId.describe('The client.'),
  caseID: z.number().int().nullable().describe('Case ID.'),
  action: z.enum(responseActions).describe('Requested action.'),
  target: line.describe('Target device, user or artifact.'),
  state: z.enum(responseStates).describe('State.'),
  isManual: z.boolean().describe('True when no agent and no vendor can execute it: a user does, and confirms.'),
  isByVendor: z.boolean().describe('True when a connected service of the client executes it.'),
  requestedBy: line.describe('Requester.'),
  requestedTime: instant.describe('Time of the request.'),
  changedTime: instant.describe('Time of the last state change.'),
  detail: line.describe('Detail of the last step, such as a failure reason or that the device is offline.'),
});
export type Response = z.infer<typeof response>;

export const caseTask = z.object({
  taskNumber: z.number().int().min(1).describe('Number of the task within its case.'),
  device: line.describe('Device to execute it on; empty for everywhere.'),
  task: line.describe('Next action: Block, Unblock, Disable or Reenable, and the target.'),
  action: z.enum(['block', 'disable']).describe('Action type.'),
  target: line.describe('Address, program, hash or user.'),
  isSent: z.boolean().describe('True when the task has been sent.'),
  result: line.describe('Display text of the state.'),
});
export type CaseTask = z.infer<typeof caseTask>;

export const timelineEntry = z.object({
  time: instant.describe('Time.'),
  kind: z
    .enum(['alert', 'artifact', 'status', 'assignment', 'note', 'mail', 'response', 'decision', 'review', 'client'])
    .describe('Kind.'),
  text: line.describe('Description.'),
  actor: line.describe('Actor; empty for the portal itself.'),
  alertID: z.number().int().nullable().describe('Alert ID, for an alert.'),
  severity: severity.nullable().describe('Severity, for an alert.'),
});
export type TimelineEntry = z.infer<typeof timelineEntry>;

export const caseNarrative = z.object({
  id: z.number().int().describe('Narrative ID.'),
  startTime: instant.describe('Creation time.'),
  text: paragraph.describe('Text for the client.'),
  analystUserAccountFull: z
    .object({ displayName: line.describe('Author; "Decisioning" for generated narratives.') })
    .describe('Author.'),
  isGenerated: z.boolean().describe('True for a narrative generated by decisioning.'),
  emailSentTimestamp: instant.nullable().describe('Time at which it was emailed to the client; null before.'),
});
export type CaseNarrative = z.infer<typeof caseNarrative>;

export const analystCaseNote = z.object({
  id: z.number().int().describe('Note ID.'),
  text: paragraph.describe('Plain text with lists (- ), `code`, ``` blocks and https links; displayed as text.'),
  isInternal: z.boolean().describe('True to hide the note from the client.'),
  author: line.describe('Author.'),
  source: line.nullable().describe('System in which it was written, such as HaloPSA; null for the portal.'),
  isMine: z.boolean().describe('True when the caller is the author and can edit it.'),
  createdTime: instant.describe('Creation time.'),
  changedTime: instant.nullable().describe('Time of the last change.'),
});
export type AnalystCaseNote = z.infer<typeof analystCaseNote>;

export const caseAlert = alertRow.extend({
  joinedBy: line.describe('Correlation rule that added it, as a phrase.'),
});
export type CaseAlert = z.infer<typeof caseAlert>;

/** Guidance of a rule that fired in a case. */
export const caseGuidance = ruleGuidance.extend({
  rule: line.describe('Title of the rule.'),
  severity,
  alertID: z.number().int().describe('First alert of the rule in the case.'),
});
export type CaseGuidance = z.infer<typeof caseGuidance>;

/** Places that a clause of the story cites. */
export const storyLinks = ['alert', 'response', 'alerts', 'responses', 'timeline', 'tasks', 'mail', 'verdict'] as const;

export const storyClause = z.object({
  text: line.describe('Clause in plain words with its punctuation; values of events in quotation marks, times in UTC.'),
  part: z
    .enum(['verdict', 'attack', 'reach', 'done', 'open'])
    .describe('Part of the story: verdict, attack steps, reach, completed work, open points.'),
  link: z
    .enum(storyLinks)
    .describe('Cited source: one alert or response by ID, or the case’s alerts, responses, timeline, tasks, emails or verdict.'),
  linkID: z.number().int().nullable().describe('ID of the cited alert or response; null for the other sources.'),
});
export type StoryClause = z.infer<typeof storyClause>;

/** One kind of activity in a case: all alerts of a rule, from the first. */
export const attackStep = z.object({
  alertID: z.number().int().describe('First alert of the rule in the case.'),
  rule: line.describe('Title of the rule.'),
  activity: line.describe('The activity in plain words, without actor and place.'),
  tactic: line.describe('ATT&CK tactic; empty for a rule without one.'),
  severity,
  deviceName: line.nullable().describe('Device of the first alert.'),
  userName: line.nullable().describe('User of the first alert.'),
  devices: count.describe('Number of devices.'),
  users: count.describe('Number of users.'),
  count: count.describe('Matches of the rule in the case.'),
  firstTime: instant.describe('Time of the first event.'),
  lastTime: instant.describe('Time of the newest event.'),
});
export type AttackStep = z.infer<typeof attackStep>;

export const story = z.object({
  clauses: z.array(storyClause).max(60).describe('The story as one paragraph; every clause cites its source.'),
  steps: z.array(attackStep).max(40).describe('Attack steps of the most severe rules, in chronological order.'),
  stepsTotal: count.describe('Number of rules that fired in the case.'),
});
export type Story = z.infer<typeof story>;

export const caseDetail = z.object({
  caseGeneralInfo: z
    .object({
      id: z.number().int().describe('Case ID.'),
      incidentID: z.number().int().describe('Case number shown to people.'),
      title: line.describe('Title.'),
      clientOrganizationID: organisationId.describe('The client.'),
      createdTime: instant.describe('Time of opening.'),
      closedTime: instant.nullable().describe('Time of closing.'),
      resolution: resolution.nullable().describe('Resolution; null while open, notStated for a case closed without one.'),
      resolutionReason: paragraph.nullable().describe('Reason of the resolution; null without one, and for clients.'),
      containment: z
        .enum(containments)
        .nullable()
        .describe('verified, notNeeded (stated), or unverified (recorded before verification was required); null without one.'),
      clientQuestionTime: instant.nullable().describe('Time of the newest escalation by email; null without one.'),
      clientAnswer: clientAnswer.nullable().describe('Newest answer of the client to an escalation; null without one.'),
      criticality: severity,
      criticalityNumber: z.number().int().min(1).max(5).describe('1 Informational … 5 Critical.'),
      waitExpiration: instant.nullable().describe('Time at which the wait for the client ends and the SLA timers resume.'),
      analyst: line.nullable().describe('Assigned analyst: first initial and surname.'),
      assignedToUserAccount: z
        .object({
          id: z.number().int().describe('User ID.'),
          displayName: line.describe('First initial and surname.'),
          emailAddress: line.describe('Email address.'),
        })
        .nullable()
        .describe('Assigned analyst; null if unassigned.'),
      riskScore: decimal.describe('Case score.'),
      newAlerts: count.describe('Unseen alerts.'),
      investigationStatus: investigationStatusId.describe('Investigation status ID.'),
      status: caseStatus,
      alertCount: count.describe('Number of alerts.'),
      tactics: z.array(line).max(14).describe('ATT&CK tactics in chronological order.'),
      version: z.number().int().describe('Version, incremented by each change.'),
      acknowledgement: z
        .object({
          time: instant.describe('Time of the acknowledgement.'),
          by: line.describe('Name of the person; empty for the portal itself.'),
          channel: z.enum(['portal', 'api', 'slack']).nullable().describe('Channel; null where it was not recorded.'),
        })
        .nullable()
        .describe('First work on the case, or its acknowledgement; null without one.'),
      clocks: z.array(clock).max(3).describe('SLA timers to acknowledge, contain and close.'),
    })
    .describe('General information and state.'),
  clientOrganizationDetails: z
    .object({
      clientOrganization: z
        .object({ id: organisationId.describe('The client.'), name: name.describe('Client name.') })
        .describe('The client.'),
      emergencyContacts: contacts.shape.emergencyContacts,
      generalAlertNotes: playbook.shape.generalAlertNotes,
      escalationEmailAddresses: z.array(escalationAddress).max(50).describe('Recipients of case emails.'),
      alertPlaybookData: playbook.shape.alertPlaybookData,
      alertTypes: z.array(line).max(20).describe('Kinds of alert to notify the client about.'),
      subscriptionLevelID: z.number().int().describe('Subscription level ID.'),
    })
    .describe('Client details for the analyst.'),
  alerts: z.array(caseAlert).max(50).describe('The first page of alerts, newest first.'),
  story: story.describe('Story of the case in plain words: attack, reach, responses and open points.'),
  alertNarrative: paragraph.describe('The story as plain text.'),
  guidance: z.array(caseGuidance).max(3).describe('Guidance of the most severe rules.'),
  caseNarrative: z.array(caseNarrative).max(200).describe('Narratives, newest first; clients receive only emailed ones.'),
  analystCaseNotes: z.array(analystCaseNote).max(500).describe('Notes, newest first; clients receive only shared ones.'),
  casePercentage: decimal
    .max(100)
    .describe('Score divided by the client’s malicious threshold, in per cent, capped at 100, two decimals.'),
  isExcluded: z.boolean().describe('True when suppressions cover all of its alerts.'),
  isAREnabled: z.boolean().describe('Autonomous response of the client; when off, tasks remain proposals.'),
  autonomousResponseData: z
    .object({
      caseArtifacts: z.array(artifact).max(1000).describe('Artifacts of the events, with reputation.'),
      maliciousArtifacts: count.describe(
        'Destination and source addresses, hashes and processes whose reputation is Malicious (spec §9).',
      ),
      caseArtifactsTimeline: z.array(timelineEntry).max(1000).describe('Timeline in chronological order.'),
      caseSummary: paragraph.describe('Summary in a few sentences.'),
      caseTaskList: z.array(caseTask).max(100).describe('Response tasks.'),
    })
    .describe('Data for autonomous response.'),
  responses: z.array(response).max(200).describe('Isolations and blocks, newest first.'),
  decisioning: decisioning.nullable().describe('Verdict; null before the first judgement.'),
  can: z
    .object({
      write: z.boolean().describe('Edit narratives, notes, assignment and investigation status.'),
      changeStatus: z.boolean().describe('Change the status.'),
      markAlerts: z.boolean().describe('Mark alerts as seen or unseen.'),
      respond: z.boolean().describe('Isolate, block, run tasks.'),
      answer: z.boolean().describe('Answer the open question to the client.'),
      mail: z.boolean().describe('Send case emails.'),
      readMails: z.boolean().describe('Read case emails.'),
      seeInternals: z.boolean().describe('Read internal notes and drafts.'),
      review: z.boolean().describe('Review the case.'),
      suppress: z.boolean().describe('Create suppressions.'),
    })
    .describe('Permissions of the caller.'),
});
export type CaseDetail = z.infer<typeof caseDetail>;
