/** Cases with all that is done about them, on one clock: the portal's own, and for the demo the one that its year is played by. */
import { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import type { Blobs } from './core/blobs.ts';
import type { Bus } from './core/bus.ts';
import type { Clock } from './core/clock.ts';
import type { Database } from './core/db/connect.ts';
import { scoped } from './core/db/scope.ts';
import { cancelTasks, queueTask } from './features/agents/agents.tasks.ts';
import { collectedKey } from './features/agents/agentTasks.service.ts';
import type { AlertsService } from './features/alerts/alerts.service.ts';
import type { BrandService } from './features/brand/brand.service.ts';
import { createCaseMailsService } from './features/case-mails/caseMails.service.ts';
import { createCaseAccess } from './features/cases/cases.access.ts';
import { findAnalyst } from './features/cases/cases.analysts.ts';
import { createBulkCases } from './features/cases/cases.many.service.ts';
import type { OnChanged } from './features/cases/cases.ports.ts';
import { createCasesService } from './features/cases/cases.service.ts';
import { createTransitions } from './features/cases/cases.transitions.ts';
import { moveAlertManually } from './features/correlation/correlation.manual.ts';
import type { DecisioningService } from './features/decisioning/decisioning.service.ts';
import type { AnalystActions } from './features/demo/demo.analysts.ts';
import { listContacts, listEscalation } from './features/organisations/organisations.store.ts';
import type { OutboxService } from './features/outbox/outbox.service.ts';
import { createResponseRequestsService } from './features/responses/responseRequests.service.ts';
import { createLedger } from './features/responses/responses.ledger.ts';
import { createResponsesService } from './features/responses/responses.service.ts';
import { listResponses, listTasks } from './features/responses/responses.store.ts';
import { createReviewsService } from './features/reviews/reviews.service.ts';
import { putDecision, requestReview, requestReviews } from './features/reviews/reviews.store.ts';

export interface CaseworkDeps {
  db: Database;
  bus: Bus;
  blobs: Blobs;
  clock: Clock;
  brand: BrandService;
  outbox: OutboxService;
  alerts: AlertsService;
  verified: DecisioningService['verified'];
  onChanged: OnChanged;
  told: Parameters<typeof createCasesService>[0]['told'];
  socAddress: string | undefined;
  mailFrom: string;
}

export type Casework = ReturnType<typeof openCasework>;

export function openCasework({
  db,
  bus,
  blobs,
  clock,
  brand,
  outbox,
  alerts,
  verified,
  onChanged,
  told,
  socAddress,
  mailFrom,
}: CaseworkDeps) {
  const changing = { clock, onChanged, requestReview, findAnalyst };
  const transitions = createTransitions(changing);
  const access = createCaseAccess({ clock });
  const ledger = createLedger({ clock, agents: { queueTask, cancelTasks }, cases: access });
  return {
    cases: createCasesService({
      db,
      bus,
      ...changing,
      transitions,
      told,
      moveAlertManually,
      brandOf: brand.ofReports,
      rowsOf: alerts.rowsOf,
      contactsOf: listContacts,
      escalationOf: listEscalation,
      responsesOf: listResponses,
      tasksOf: listTasks,
      verified,
    }),
    manyCases: createBulkCases({ ...changing, reviews: { requestReviews, putDecision } }),
    responses: createResponsesService({ db, clock, ledger, cases: access }),
    responseRequests: createResponseRequestsService({ db, clock, ledger, cases: access, blobs, keyOfFile: collectedKey }),
    caseMails: createCaseMailsService({ db, clock, brand, outbox, cases: access, transitions, socAddress, mailFrom }),
    reviews: createReviewsService({ db, clock, cases: access, transitions }),
  };
}

/** What the demo's analysts do, each by the call that people make. */
export function analystActionsOf(
  db: Database,
  alerts: AlertsService,
  { cases, responses, responseRequests, caseMails, reviews }: Casework,
): Omit<AnalystActions, 'scheduleReport'> {
  return {
    assign: (actor, caseID) => cases.changeAnalyst(actor, { caseID, analystUserAccountID: actor.userId }),
    investigation: (actor, caseID, investigationStatus) =>
      cases.changeInvestigationStatus(actor, { caseID, investigationStatus }),
    status: (actor, incidentID, caseStatus) => cases.changeStatus(actor, { incidentID, caseStatus }),
    seen: (actor, caseID) => alerts.mark(actor, { caseID, alertIDs: [] }, false),
    note: (actor, caseID, text, isInternal) => cases.saveNote(actor, { caseID, text, isInternal }),
    narrative: (actor, client, caseID, text) => cases.saveNarrative(actor, client, { caseID, text }),
    escalate: (actor, caseID) => caseMails.sendEscalation(actor, { caseID }),
    isolate: async (actor, caseID, deviceID) =>
      (await responses.isolateHost(actor, { caseID, deviceID, isIsolated: true })).response.id,
    responses: {
      request: async (actor, body) => (await responseRequests.request(actor, responseRequestsApi.request.body.parse(body))).id,
      approve: (actor, id, isApproved, note) => responseRequests.approve(actor, id, { isApproved, note }),
      approveWaiting: async (actor, id) => {
        if (!(await responseRequests.get(actor, id)).mayApprove) return;
        await responseRequests.approve(actor, id, { isApproved: true, note: 'Seen in the case; go on.' });
      },
      undo: async (actor, id, note) => (await responseRequests.undo(actor, id, { note })).id,
      addRule: (actor, client, rule) => responseRequests.addRule(actor, client, responseRequestsApi.addRule.body.parse(rule)),
      protect: (actor, client, kind, value, reason) => responseRequests.addProtected(actor, client, { kind, value, reason }),
      confirm: (actor, id) => responses.acknowledge(actor, { id, isDone: true, note: 'Done by hand, and looked at: it holds.' }),
    },
    async review(actor, caseId, decisionID, notes) {
      const scope = { organisationIds: actor.organisationIds };
      const found = await scoped(db, scope, (tx) =>
        tx.selectFrom('case_reviews').select('id').where('case_id', '=', caseId).executeTakeFirst(),
      );
      if (!found) return;
      await reviews.updateAnalyst(actor, { caseID: caseId, AnalystUserAccountID: actor.userId, ID: found.id });
      await reviews.updateDecision(actor, { ID: found.id, decisionID, notes });
    },
    judgeDecisioning: (actor, caseID, isAIDecisioningCorrect, notes) =>
      reviews.updateDecisioningCorrectness(actor, { caseID, isAIDecisioningCorrect, notes }),
  };
}
