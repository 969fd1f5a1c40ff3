/** Cases: alerts that belong together, and what was judged, written and done about them (spec §3, §4, §7.4). */
import { z } from 'zod';
import { analystCaseNote, caseAlert, caseDetail, caseNarrative } from './caseDetail.ts';
import { analyst, caseFilters, caseRow, caseSorts, caseStatus, decimal, investigationStatusId, verdict } from './caseList.ts';
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

export const foreignAlertText = 'The alert is from a different client organization and cannot be added here';

const caseID = id.describe('The case.');
/** A write that says which version it saw is refused when somebody was faster; without one it always counts. */
const version = z.number().int().min(1).optional().describe('The version that was seen; a newer one answers 409 with both.');
const filters = z.object(caseFilters);
/** A yes or no in an address. */
const flag = z.preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean()).optional();
/** A door to open cases must find those that were opened before the timeframe too. */
const rangeBody = {
  start: instant.describe('Cases opened from here on.'),
  end: instant.describe('Cases opened before.'),
};

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
    freshness: 'none',
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
    freshness: 'none',
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
    freshness: 'none',
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
    freshness: 'none',
    summary: 'Who can be given a client’s cases: its provider’s and partner’s analysts in the caller’s scope, and its own.',
    params: z.object({ clientOrgId: clientId.describe('The client; 0 for all in scope.') }),
    answer: results(analyst, 1000),
  }),
  decisionResultTypes: endpoint({
    id: 'cases.decisionResultTypes',
    method: 'GET',
    path: '/case/decisionResultTypes',
    allow: 'cases:read',
    freshness: 'none',
    summary: 'Decisions of case reviews with their codes.',
    answer: results(z.object({ id: z.number().int().describe('The code.'), name: line.describe('As shown.') }), 20),
  }),
  underInvestigation: endpoint({
    id: 'cases.underInvestigation',
    method: 'GET',
    path: '/case/casesUnderInvestigation/:client',
    allow: 'cases:read',
    freshness: 'none',
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
    freshness: 'none',
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
    freshness: 'none',
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
    freshness: 'none',
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
    freshness: 'none',
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
    freshness: 'none',
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
    freshness: 'none',
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
    freshness: 'none',
    summary: 'Adds an alert to a case by hand; it leaves the case where it was.',
    body: z.object({ caseID, alertID: id.describe('The alert; of the same client organisation.') }),
    answer: changed,
  }),
  saveNote: endpoint({
    id: 'cases.saveNote',
    method: 'POST',
    path: '/casedetails/analystNote',
    allow: 'cases:write',
    freshness: 'none',
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
    freshness: 'none',
    summary: 'Gives a case to an analyst, or to nobody.',
    body: z.object({ caseID, analystUserAccountID: id.nullable().describe('Who; null for nobody.'), version }),
    answer: changed,
  }),
  changeInvestigationStatus: endpoint({
    id: 'cases.changeInvestigationStatus',
    method: 'POST',
    path: '/caseDetails/investigationStatusChange',
    allow: 'cases:write',
    freshness: 'none',
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
    freshness: 'none',
    summary: 'Sets a case’s status, as far as the one before allows.',
    body: z.object({ caseStatus, incidentID: id.describe('The case’s number.'), version }),
    answer: changed,
  }),
  markSeen: endpoint({
    id: 'cases.markSeen',
    method: 'POST',
    path: '/caseDetails/updateAlerts',
    allow: 'alerts:mark',
    freshness: 'none',
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
    freshness: 'none',
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
    freshness: 'none',
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
