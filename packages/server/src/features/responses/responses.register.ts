import type { Feature, Platform } from '../../core/feature.ts';
import type { CaseAccess } from '../cases/cases.ports.ts';
import { createResponseRequestsService, type ResponseRequestsService } from './responseRequests.service.ts';
import { createLedger } from './responses.ledger.ts';
import type { AgentTaskQueue, VendorTaskQueue } from './responses.ports.ts';
import { responseRequestsRoutes, responsesRoutes } from './responses.routes.ts';
import { createResponsesService, type ResponsesService } from './responses.service.ts';
import { listResponses, listTasks } from './responses.store.ts';

// For the composition of the application; other features receive them as arguments.
export { mayApproveAs, textOf } from './responses.rules.ts';

export interface ResponsesDeps extends Pick<Platform, 'db' | 'clock' | 'blobs'> {
  cases: CaseAccess;
  agents: AgentTaskQueue;
  vendors: VendorTaskQueue;
  keyOfFile: Parameters<typeof createResponseRequestsService>[0]['keyOfFile'];
}

export interface Responses {
  responses: ResponsesService;
  requests: ResponseRequestsService;
  /** Responses and tasks of a case, for the case page. */
  listResponses: typeof listResponses;
  listTasks: typeof listTasks;
}

export function registerResponses(deps: ResponsesDeps): Feature<Responses> {
  const withLedger = { ...deps, ledger: createLedger(deps) };
  const responses = createResponsesService(withLedger);
  const requests = createResponseRequestsService(withLedger);
  return {
    service: { responses, requests, listResponses, listTasks },
    routes(serving) {
      responsesRoutes(serving, responses);
      responseRequestsRoutes(serving, requests);
    },
    jobs: [
      { name: 'responses.expire', cron: '* * * * *', run: responses.expire },
      { name: 'responses.release', cron: '* * * * *', run: responses.release },
    ],
  };
}
