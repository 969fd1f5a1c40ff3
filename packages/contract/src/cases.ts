/** Cases: alerts that belong together, and what was judged, written and done about them (spec §3, §4, §7.4). */
import { z } from 'zod';
import { alertRow } from './alerts.ts';
import { endpoint, nothing } from './endpoint.ts';
import { contacts, escalationAddress, playbook } from './organisations.ts';
import {
  clientId,
  count,
  id,
  instant,
  line,
  listOf,
  name,
  organisationId,
  page,
  paragraph,
  results,
  severity,
  startBeforeEnd,
  timeRange,
} from './primitives.ts';
import { caseStatusValues, clockNames, verdicts } from './rules/cases.ts';

export const foreignAlertText = 'The alert is from a different client organization and cannot be added here';

export const caseStatus = z.enum(caseStatusValues).describe('Where the case stands.');
export const verdict = z.enum(verdicts).describe('What the evidence says.');
const investigationStatusId = z.number().int().min(1).max(8);
const caseID = id.describe('The case.');
/** A write that says which version it saw is refused when somebody was faster; without one it always counts. */
const version = z.number().int().min(1).optional().describe('The version that was seen; a newer one answers 409 with both.');
const decimal = z.number().min(0);

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
  text: z.string().trim().max(200).default('').describe('Part of the title, a device or a user; or a case’s number.'),
};
const filters = z.object(caseFilters);
/** A yes or no in an address. */
const flag = z.preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean()).optional();
export type CaseFilters = z.infer<typeof filters>;
/** A door to open cases must find those that were opened before the timeframe too. */
const rangeBody = {
  start: instant.describe('Cases opened from here on.'),
  end: instant.describe('Cases opened before.'),
};

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

const caseAlert = alertRow.extend({
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

const facet = z
  .array(
    z.object({
      value: line.describe('What the filter takes.'),
      label: line.describe('As shown.'),
      count: count.describe('Cases in the timeframe.'),
    }),
  )
  .max(500);

/** What a change answers: where the case stands now. */
const changed = z.object({ case: caseRow.describe('The case as it stands now.') });

export const casesApi = {
  list: endpoint({
    id: 'cases.list',
    method: 'POST',
    path: '/case/caseList',
    allow: 'cases:read',
    summary: 'Cases of a client that were opened in a timeframe.',
    body: z.object({
      filters: filters.default(() => filters.parse({})).describe('Which cases.'),
      selectedClientOrganizationID: clientId.describe('The client; 0 for all in scope.'),
      ...rangeBody,
      page: page.page,
      pageSize: page.pageSize,
      sort: z.enum(caseSorts).default('createdTime').describe('What the list is ordered by.'),
      order: z.enum(['asc', 'desc']).default('desc').describe('Upwards or downwards.'),
    }),
    answer: results(caseRow, 200).extend({
      totalIsAtLeast: z.boolean().describe('true when total is a bound: counting stops at 10,000.'),
    }),
  }),
  filters: endpoint({
    id: 'cases.filters',
    method: 'GET',
    path: '/case/filters/:client/:start/:end',
    allow: 'cases:read',
    summary: 'What a client’s cases can be filtered by, with counts.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    answer: z.object({
      status: facet.describe('By status.'),
      severity: facet.describe('By criticality.'),
      verdict: facet.describe('By verdict.'),
      analyst: facet.describe('By analyst; 0 for nobody.'),
    }),
  }),
  exportList: endpoint({
    id: 'cases.exportList',
    method: 'GET',
    path: '/case/export/:client/:start/:end',
    allow: 'cases:read',
    summary: 'Cases of a client that were opened in a timeframe, as a CSV file.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    query: z.object({
      status: listOf(caseStatus).describe('Only these statuses.'),
      severity: listOf(severity).describe('Only these criticalities.'),
      verdict: listOf(verdict).describe('Only these verdicts.'),
      analyst: listOf(clientId).describe('Only cases of these analysts; 0 for those of nobody.'),
      breached: flag.describe('Only open cases whose next clock is over.'),
      waiting: flag.describe('Only open cases that wait for the client.'),
      excluded: flag.describe('Only those that suppressions cover, or only those that none covers.'),
      device: caseFilters.device,
      user: caseFilters.user,
      text: caseFilters.text,
    }),
    answers: 'file',
    answer: nothing,
  }),
  analysts: endpoint({
    id: 'cases.analysts',
    method: 'GET',
    path: '/case/analysts/:clientOrgId',
    allow: 'cases:read',
    summary: 'Who can be given a client’s cases: its provider’s and partner’s analysts in the caller’s scope, and its own.',
    params: z.object({ clientOrgId: clientId.describe('The client; 0 for all in scope.') }),
    answer: results(analyst, 1000),
  }),
  decisionResultTypes: endpoint({
    id: 'cases.decisionResultTypes',
    method: 'GET',
    path: '/case/decisionResultTypes',
    allow: 'cases:read',
    summary: 'Decisions of case reviews with their codes.',
    answer: results(z.object({ id: z.number().int().describe('The code.'), name: line.describe('As shown.') }), 20),
  }),
  underInvestigation: endpoint({
    id: 'cases.underInvestigation',
    method: 'GET',
    path: '/case/casesUnderInvestigation/:client',
    allow: 'cases:read',
    summary: 'Open cases by status and investigation status, and what they weigh in the risk score.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    answer: results(
      z.object({
        id: z.number().int().describe('Names the case.'),
        title: line.describe('What happened.'),
        clientOrganizationID: organisationId.describe('The client.'),
        status: caseStatus,
        investigationStatusID: investigationStatusId.describe('The number of the investigation status.'),
        investigationStatus: line.describe('The same in words.'),
        riskScore: decimal.describe('The case’s score.'),
        createdTime: instant.describe('When it was opened.'),
      }),
      1000,
    ),
  }),
  detail: endpoint({
    id: 'cases.detail',
    method: 'GET',
    path: '/casedetails/:id/:clientOrgId',
    allow: 'cases:read',
    summary: 'One case whole. Reading another organisation’s leaves a row in the audit log.',
    params: z.object({
      id: id.describe('The case.'),
      clientOrgId: clientId.describe('Its client; 0 for wherever it is in scope.'),
    }),
    answer: caseDetail,
  }),
  alerts: endpoint({
    id: 'cases.alerts',
    method: 'GET',
    path: '/casedetails/:caseId/alerts',
    allow: 'cases:read',
    summary: 'A page of a case’s alerts, newest first.',
    params: z.object({ caseId: id.describe('The case.') }),
    query: z.object({ page: page.page, pageSize: page.pageSize }),
    answer: z.object({
      alertList: z.array(caseAlert).max(200).describe('The page.'),
      currentPage: z.number().int().describe('Which page this is.'),
      pageSize: z.number().int().describe('Alerts a page.'),
      total: count.describe('Alerts in the case.'),
    }),
  }),
  exportJson: endpoint({
    id: 'cases.exportJson',
    method: 'GET',
    path: '/case/:caseId/json',
    allow: 'cases:read',
    summary: 'A case as a JSON file: the detail as the caller sees it, with all of its alerts.',
    params: z.object({ caseId: id.describe('The case.') }),
    answers: 'file',
    answer: nothing,
  }),
  exportPdf: endpoint({
    id: 'cases.exportPdf',
    method: 'GET',
    path: '/case/:caseId/pdf',
    allow: 'cases:read',
    summary: 'A case as a PDF report in the partner’s brand.',
    params: z.object({ caseId: id.describe('The case.') }),
    answers: 'file',
    answer: nothing,
  }),
  /** The stream tells what changed; the page asks anew for what it shows. */
  live: endpoint({
    id: 'cases.live',
    method: 'GET',
    path: '/case/live/:client',
    allow: 'cases:follow',
    summary: 'Cases of a client that are new or have changed, as server-sent events.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    answer: z.object({
      caseID: z.number().int().describe('The case.'),
      clientOrganizationID: organisationId.describe('Its client.'),
      isNew: z.boolean().describe('Whether it was just opened.'),
    }),
    answers: 'events',
  }),
  saveNarrative: endpoint({
    id: 'cases.saveNarrative',
    method: 'POST',
    path: '/casedetails/narrative/:clientId',
    allow: 'cases:write',
    summary: 'Writes a narrative, or changes one that was not mailed yet.',
    params: z.object({ clientId: organisationId.or(id).describe('The case’s client.') }),
    body: z.object({
      caseID,
      id: id.optional().describe('The narrative to change; none for a new one.'),
      text: z.string().trim().min(1).max(20_000).describe('What happened, for the client.'),
    }),
    answer: caseNarrative,
  }),
  addAlert: endpoint({
    id: 'cases.addAlert',
    method: 'POST',
    path: '/casedetails/alert',
    allow: 'cases:write',
    summary: 'Adds an alert to a case by hand; it leaves the case where it was.',
    body: z.object({ caseID, alertID: id.describe('The alert; of the same client organisation.') }),
    answer: changed,
  }),
  saveNote: endpoint({
    id: 'cases.saveNote',
    method: 'POST',
    path: '/casedetails/analystNote',
    allow: 'cases:write',
    summary: 'Writes a note, or changes one’s own.',
    body: z.object({
      caseID,
      id: id.optional().describe('The note to change; none for a new one.'),
      text: z.string().trim().min(1).max(20_000).describe('The note.'),
      isInternal: z.boolean().default(true).describe('Whether the client does not see it.'),
    }),
    answer: analystCaseNote,
  }),
  changeAnalyst: endpoint({
    id: 'cases.changeAnalyst',
    method: 'POST',
    path: '/caseDetails/analystChange',
    allow: 'cases:write',
    summary: 'Gives a case to an analyst, or to nobody.',
    body: z.object({ caseID, analystUserAccountID: id.nullable().describe('Who; null for nobody.'), version }),
    answer: changed,
  }),
  changeInvestigationStatus: endpoint({
    id: 'cases.changeInvestigationStatus',
    method: 'POST',
    path: '/caseDetails/investigationStatusChange',
    allow: 'cases:write',
    summary: 'Sets how far the investigation is. Waiting for client stops the clocks until the wait ends.',
    body: z.object({
      caseID,
      investigationStatus: investigationStatusId.describe('The number of the status.'),
      waitHours: z
        .number()
        .int()
        .min(1)
        .max(720)
        .optional()
        .describe('For "Waiting for client": how long at most; 72 otherwise.'),
      version,
    }),
    answer: changed,
  }),
  changeStatus: endpoint({
    id: 'cases.changeStatus',
    method: 'POST',
    path: '/caseDetails/caseStatusChange',
    allow: 'cases:changeStatus',
    summary: 'Sets a case’s status, as far as the one before allows.',
    body: z.object({ caseStatus, incidentID: id.describe('The case’s number.'), version }),
    answer: changed,
  }),
  markSeen: endpoint({
    id: 'cases.markSeen',
    method: 'POST',
    path: '/caseDetails/updateAlerts',
    allow: 'alerts:mark',
    summary: 'Marks alerts as seen: all of a case, or those named.',
    body: z.object({
      caseID: id.optional().describe('The case: all of its alerts.'),
      alertIDs: z.array(id).max(1000).default([]).describe('Or these alerts.'),
    }),
    answer: z.object({ changed: count.describe('Alerts that were new before.') }),
  }),
  markUnseen: endpoint({
    id: 'cases.markUnseen',
    method: 'POST',
    path: '/caseDetails/reupdateAlerts',
    allow: 'alerts:mark',
    summary: 'Marks alerts as unseen: all of a case, or those named.',
    body: z.object({
      caseID: id.optional().describe('The case: all of its alerts.'),
      alertIDs: z.array(id).max(1000).default([]).describe('Or these alerts.'),
    }),
    answer: z.object({ changed: count.describe('Alerts that were seen before.') }),
  }),
  times: endpoint({
    id: 'cases.times',
    method: 'GET',
    path: '/case/times/:client/:start/:end',
    allow: 'cases:read',
    summary: 'Mean times to acknowledge, contain and resolve, by client, of cases opened in a timeframe, against their targets.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    answer: results(
      z.object({
        clientOrganizationID: organisationId.describe('The client.'),
        clientOrganizationName: name.describe('Its name.'),
        cases: count.describe('Cases opened.'),
        meanMinutesToAcknowledge: decimal.nullable().describe('MTTA; null without any.'),
        meanMinutesToContain: decimal.nullable().describe('MTTC; null without any.'),
        meanMinutesToResolve: decimal.nullable().describe('MTTR; null without any.'),
        withinTarget: decimal.max(1).nullable().describe('Share of closed cases that met all targets.'),
        breached: count.describe('Open cases that are over a target now.'),
      }),
      1000,
    ),
  }),
};
