/** Cases with their responses, mails and reviews on one clock: the portal’s own, or the one on which the demo replays its year. */
import { readScoped, systemScope } from './core/db/scope.ts';
import type { Feature, Platform } from './core/feature.ts';
import { signingKey } from './core/keys/signing.ts';
import { cancelTasks, collectedKey, queueTask } from './features/agents/agents.register.ts';
import type { AlertsService } from './features/alerts/alerts.service.ts';
import type { BrandService } from './features/brand/brand.service.ts';
import { registerCaseMails } from './features/case-mails/caseMails.register.ts';
import type { CaseMailsService } from './features/case-mails/caseMails.service.ts';
import type { CaseAccess } from './features/cases/cases.ports.ts';
import { type Cases, type CasesRegisterDeps, createCaseAccess, registerCases } from './features/cases/cases.register.ts';
import { vendorTaskQueue } from './features/connections/connections.register.ts';
import { moveAlertManually } from './features/correlation/correlation.register.ts';
import { listContacts, listEscalation } from './features/organisations/organisations.register.ts';
import type { OutboxService } from './features/outbox/outbox.service.ts';
import { type Responses, registerResponses } from './features/responses/responses.register.ts';
import { putDecision, registerReviews, requestReview, requestReviews } from './features/reviews/reviews.register.ts';
import type { ReviewsService } from './features/reviews/reviews.service.ts';

export interface CaseworkDeps extends Platform, Pick<CasesRegisterDeps, 'verified' | 'onChanged' | 'onSlaNotified'> {
  brand: BrandService;
  outbox: OutboxService;
  alerts: AlertsService;
}

export interface Casework {
  access: CaseAccess;
  responses: Feature<Responses>;
  cases: Feature<Cases>;
  caseMails: Feature<CaseMailsService>;
  reviews: Feature<ReviewsService>;
}

export function registerCasework(deps: CaseworkDeps): Casework {
  const access = createCaseAccess(deps);
  const responses = registerResponses({
    ...deps,
    cases: access,
    agents: { queueTask, cancelTasks },
    vendors: vendorTaskQueue,
    keyOfFile: collectedKey,
  });
  const cases = registerCases({
    ...deps,
    requestReview,
    reviews: { requestReviews, putDecision },
    moveAlertManually,
    brandOf: deps.brand.ofReports,
    sourceOf: (organisationId) => readScoped(deps.db, systemScope, (tx) => deps.brand.ofMails(tx, organisationId)),
    rowsOf: deps.alerts.rowsOf,
    contactsOf: listContacts,
    escalationOf: listEscalation,
    responsesOf: responses.service.listResponses,
    tasksOf: responses.service.listTasks,
    archiveKey: async () => signingKey(await deps.keys.shared('archives of cases')),
  });
  const { transitions } = cases.service;
  return {
    access,
    responses,
    cases,
    caseMails: registerCaseMails({ ...deps, cases: access, transitions }),
    reviews: registerReviews({ ...deps, cases: access, transitions }),
  };
}
