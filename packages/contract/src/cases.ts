/** Cases: correlated alerts with assignment, status, narratives and notes (spec §3, §4, §7.4). */
import { z } from 'zod';
import { closing } from './caseClosing.ts';
import { analystCaseNote, caseAlert, caseDetail, caseNarrative } from './caseDetail.ts';
import { caseExports } from './caseExports.ts';
import { caseGraph } from './caseGraph.ts';
import {
  analyst,
  caseFilters,
  caseRow,
  caseSorts,
  caseStatus,
  decimal,
  facet,
  investigationStatusId,
  judgedVerdict,
  resolution,
  verdictFilter,
} from './caseList.ts';
import { endpoint, nothing } from './endpoint.ts';
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
  results,
  severity,
  startBeforeEnd,
  timeRange,
} from './primitives.ts';
import { openItemKinds } from './rules/cases.ts';

export const foreignAlertText = 'The alert is from a different client organization and cannot be added here';

const caseID = id.describe('Case ID.');
/** Optimistic lock: a write with an outdated version is refused; without a version it always applies. */
const version = z.number().int().min(1).optional().describe('Expected version; a newer one returns 409 with both versions.');
const filters = z.object(caseFilters);
/** Boolean query parameter. */
const flag = z.preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean()).optional();
/** The range also applies to links to open cases, whose range starts before the timeframe. */
const rangeBody = {
  start: instant.describe('Cases opened at or after.'),
  end: instant.describe('Cases opened before.'),
};

/** Response of a change. */
const changed = z.object({ case: caseRow.describe('The case after the change.') });

export const casesApi = {
  list: endpoint({
    id: 'cases.list',
    route: 'POST /case/caseList',
    allow: 'cases:read',
    freshness: 'none',
    summary: 'Lists the cases of a client opened in a timeframe.',
    body: z.object({
      filters: filters.default(() => filters.parse({})).describe('Selected cases.'),
      selectedClientOrganizationID: clientId.describe('The client; 0 for all in scope.'),
      ...rangeBody,
      page: page.page,
      pageSize: page.pageSize,
      sort: z.enum(caseSorts).default('createdTime').describe('Sort column.'),
      order: z.enum(['asc', 'desc']).default('desc').describe('Sort order.'),
    }),
    answer: results(caseRow, 200).extend({
      totalIsAtLeast: z.boolean().describe('true when total is a lower bound: counting stops at 10,000.'),
    }),
  }),
  filters: endpoint({
    id: 'cases.filters',
    route: 'GET /case/filters/:client/:start/:end',
    allow: 'cases:read',
    freshness: 'none',
    summary: 'Lists filter values of a client’s cases, with counts.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    answer: z.object({
      status: facet.describe('Counts by status.'),
      severity: facet.describe('Counts by severity.'),
      resolution: facet.describe('Counts of closed cases by resolution.'),
      verdict: facet.describe('Counts by the verdict that stands.'),
      analyst: facet.describe('Counts by analyst; 0 for unassigned.'),
    }),
  }),
  exportList: endpoint({
    id: 'cases.exportList',
    route: 'GET /case/export/:client/:start/:end',
    allow: 'cases:read',
    freshness: 'none',
    summary: 'Exports the cases of a client opened in a timeframe as CSV.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    query: z.object({
      status: listOf(caseStatus).describe('Filter by status.'),
      severity: listOf(severity).describe('Filter by severity.'),
      resolution: listOf(resolution).describe('Filter closed cases by resolution.'),
      verdict: listOf(judgedVerdict).describe(verdictFilter),
      analyst: listOf(clientId).describe('Filter by analyst; 0 for unassigned cases.'),
      breached: flag.describe('Filter open cases by a breached SLA timer.'),
      waiting: flag.describe('Filter open cases by waiting for the client.'),
      answered: flag.describe('Filter by an answer of the client that no analyst has seen.'),
      confirmed: flag.describe('Filter by an attack that an analyst confirmed.'),
      excluded: flag.describe('Filter by suppression coverage.'),
      device: caseFilters.device,
      user: caseFilters.user,
      text: caseFilters.text,
      query: caseFilters.query,
    }),
    answers: 'file',
    answer: nothing,
  }),
  analysts: endpoint({
    id: 'cases.analysts',
    route: 'GET /case/analysts/:clientOrgId',
    allow: 'cases:read',
    freshness: 'none',
    summary: 'Lists assignable analysts: those of the client’s provider and partner in the caller’s scope, and its own.',
    params: z.object({ clientOrgId: clientId.describe('The client; 0 for all in scope.') }),
    answer: results(analyst, 1000),
  }),
  decisionResultTypes: endpoint({
    id: 'cases.decisionResultTypes',
    route: 'GET /case/decisionResultTypes',
    allow: 'cases:read',
    freshness: 'none',
    summary: 'Lists the review decisions and their codes.',
    answer: results(z.object({ id: z.number().int().describe('Decision code.'), name: line.describe('Display name.') }), 20),
  }),
  underInvestigation: endpoint({
    id: 'cases.underInvestigation',
    route: 'GET /case/casesUnderInvestigation/:client',
    allow: 'cases:read',
    freshness: 'none',
    summary: 'Lists open cases with status, investigation status and weight in the risk score.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    answer: results(
      z.object({
        id: z.number().int().describe('Case ID.'),
        title: line.describe('Title.'),
        clientOrganizationID: organisationId.describe('The client.'),
        status: caseStatus,
        investigationStatusID: investigationStatusId.describe('Investigation status ID.'),
        investigationStatus: line.describe('Investigation status.'),
        riskScore: decimal.describe('Case score.'),
        createdTime: instant.describe('Time of opening.'),
      }),
      1000,
    ),
  }),
  detail: endpoint({
    id: 'cases.detail',
    route: 'GET /casedetails/:id/:clientOrgId',
    allow: 'cases:read',
    freshness: 'none',
    summary: 'Returns one case in full. Access to another organisation’s case is audited.',
    params: z.object({
      id: id.describe('Case ID.'),
      clientOrgId: clientId.describe('Client of the case; 0 for any in scope.'),
    }),
    answer: caseDetail,
  }),
  alerts: endpoint({
    id: 'cases.alerts',
    route: 'GET /casedetails/:caseId/alerts',
    allow: 'cases:read',
    freshness: 'none',
    summary: 'Lists a page of a case’s alerts, newest first.',
    params: z.object({ caseId: id.describe('Case ID.') }),
    query: z.object({ page: page.page, pageSize: page.pageSize }),
    answer: z.object({
      alertList: z.array(caseAlert).max(200).describe('Alerts of the page.'),
      currentPage: z.number().int().describe('Page number.'),
      pageSize: z.number().int().describe('Alerts per page.'),
      total: count.describe('Alerts in the case.'),
    }),
  }),
  graph: endpoint({
    id: 'cases.graph',
    route: 'GET /casedetails/:caseId/graph',
    allow: 'cases:read',
    freshness: 'none',
    summary: 'Returns the attack graph of a case: up to 500 entities of its stored events; similar ones beyond are grouped.',
    params: z.object({ caseId: id.describe('Case ID.') }),
    answer: caseGraph,
  }),
  ...caseExports,
  /** Carries change notices only; clients refetch what they display. */
  live: endpoint({
    id: 'cases.live',
    route: 'GET /case/live/:client',
    allow: 'cases:follow',
    freshness: 'none',
    summary: 'Streams new and changed cases of a client as server-sent events.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    answer: z.object({
      caseID: z.number().int().describe('Case ID.'),
      clientOrganizationID: organisationId.describe('Client ID.'),
      isNew: z.boolean().describe('True for a newly opened case.'),
    }),
    answers: 'events',
  }),
  saveNarrative: endpoint({
    id: 'cases.saveNarrative',
    route: 'POST /casedetails/narrative/:clientId',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Creates a narrative, or edits one that has not been emailed.',
    params: z.object({ clientId: organisationId.or(id).describe('Client of the case.') }),
    body: z.object({
      caseID,
      id: id.optional().describe('Narrative to edit; omit to create one.'),
      text: z.string().trim().min(1).max(20_000).describe('Text for the client.'),
    }),
    answer: caseNarrative,
  }),
  addAlert: endpoint({
    id: 'cases.addAlert',
    route: 'POST /casedetails/alert',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Moves an alert into a case.',
    body: z.object({ caseID, alertID: id.describe('Alert of the same client organisation.') }),
    answer: changed,
  }),
  saveNote: endpoint({
    id: 'cases.saveNote',
    route: 'POST /casedetails/analystNote',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Creates a note, or edits one of the caller’s own.',
    body: z.object({
      caseID,
      id: id.optional().describe('Note to edit; omit to create one.'),
      text: z.string().trim().min(1).max(20_000).describe('Text of the note.'),
      isInternal: z.boolean().default(true).describe('True to hide the note from the client.'),
    }),
    answer: analystCaseNote,
  }),
  changeAnalyst: endpoint({
    id: 'cases.changeAnalyst',
    route: 'POST /caseDetails/analystChange',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Assigns a case to an analyst, or unassigns it.',
    body: z.object({
      caseID,
      analystUserAccountID: id
        .nullable()
        .describe(
          'Assignable analyst, or the one from whom the caller’s own last assignment took the case; null for unassigned.',
        ),
      version,
    }),
    answer: changed,
  }),
  changeInvestigationStatus: endpoint({
    id: 'cases.changeInvestigationStatus',
    route: 'POST /caseDetails/investigationStatusChange',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Sets the investigation status. Waiting for client pauses the SLA timers until the wait ends.',
    body: z.object({
      caseID,
      investigationStatus: investigationStatusId.describe('Investigation status ID.'),
      waitHours: z
        .number()
        .int()
        .min(1)
        .max(720)
        .optional()
        .describe('Maximum wait in hours for "Waiting for client"; defaults to 72.'),
      version,
    }),
    answer: changed,
  }),
  acknowledge: endpoint({
    id: 'cases.acknowledge',
    route: 'POST /caseDetails/acknowledge',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Acknowledges a case: ends its timer to acknowledge and its escalations. Repeating it is a no-op.',
    body: z.object({ incidentID: id.describe('Case number.'), version }),
    answer: changed,
  }),
  changeStatus: endpoint({
    id: 'cases.changeStatus',
    route: 'POST /caseDetails/caseStatusChange',
    allow: 'cases:changeStatus',
    freshness: 'none',
    summary: 'Sets the status of a case, within the permitted transitions.',
    body: z.object({
      caseStatus,
      incidentID: id.describe('Case number.'),
      closing: closing
        .optional()
        .describe('Resolution of a closing status; without it, the resolution is notStated and open items are not checked.'),
      version,
    }),
    answer: changed,
  }),
  openItems: endpoint({
    id: 'cases.openItems',
    route: 'GET /case/:caseId/openItems',
    allow: 'cases:changeStatus',
    freshness: 'none',
    summary: 'Lists what is still open on a case before it is closed; for people of the client, nothing.',
    params: z.object({ caseId: id.describe('Case ID.') }),
    answer: z.object({
      items: z
        .array(
          z.object({
            kind: z
              .enum(openItemKinds)
              .describe('Unsent tasks, unseen alerts, missing verified containment, or unanswered question.'),
            count: count.describe('Number of tasks or alerts; 1 otherwise.'),
          }),
        )
        .max(openItemKinds.length)
        .describe('Open items.'),
      needsAnswers: z.boolean().describe('True when each open item must be done or explained.'),
    }),
  }),
  answers: endpoint({
    id: 'cases.answers',
    route: 'GET /case/answers/:client',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Lists clients’ answers that no analyst has seen, on cases of the caller or without an analyst, newest first.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    answer: results(caseRow, 50),
  }),
  answerSeen: endpoint({
    id: 'cases.answerSeen',
    route: 'POST /caseDetails/answerSeen',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Marks the client’s answer to an escalation as seen.',
    body: z.object({ caseID }),
    answer: changed,
  }),
  markSeen: endpoint({
    id: 'cases.markSeen',
    route: 'POST /caseDetails/updateAlerts',
    allow: 'alerts:mark',
    freshness: 'none',
    summary: 'Marks alerts of a case as seen: all, or the given ones.',
    body: z.object({
      caseID: id.optional().describe('Case ID, for all of its alerts.'),
      alertIDs: z.array(id).max(1000).default([]).describe('Alert IDs, for these alerts only.'),
    }),
    answer: z.object({ changed: count.describe('Number of alerts changed.') }),
  }),
  markUnseen: endpoint({
    id: 'cases.markUnseen',
    route: 'POST /caseDetails/reupdateAlerts',
    allow: 'alerts:mark',
    freshness: 'none',
    summary: 'Marks alerts of a case as unseen: all, or the given ones.',
    body: z.object({
      caseID: id.optional().describe('Case ID, for all of its alerts.'),
      alertIDs: z.array(id).max(1000).default([]).describe('Alert IDs, for these alerts only.'),
    }),
    answer: z.object({ changed: count.describe('Number of alerts changed.') }),
  }),
  times: endpoint({
    id: 'cases.times',
    route: 'GET /case/times/:client/:start/:end',
    allow: 'cases:read',
    freshness: 'none',
    summary:
      'Returns mean times to acknowledge, contain and resolve by client, for cases opened in a timeframe, with target compliance.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    answer: results(
      z.object({
        clientOrganizationID: organisationId.describe('The client.'),
        clientOrganizationName: name.describe('Organisation name.'),
        cases: count.describe('Cases opened.'),
        meanMinutesToAcknowledge: decimal.nullable().describe('MTTA in minutes; null without data.'),
        meanMinutesToContain: decimal.nullable().describe('MTTC in minutes; null without data.'),
        meanMinutesToResolve: decimal.nullable().describe('MTTR in minutes; null without data.'),
        withinTarget: decimal.max(1).nullable().describe('Share of closed cases that met all targets, 0 to 1.'),
        breached: count.describe('Open cases with a breached target.'),
      }),
      1000,
    ),
  }),
};
