import { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { responsesApi } from '@parapet/contract/responses.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { ResponseRequestsService } from './responseRequests.service.ts';
import type { ResponsesService } from './responses.service.ts';

export function responsesRoutes(serving: Serving, responses: ResponsesService): void {
  serve(serving, responsesApi.isolateHost, ({ actor, body }) => responses.isolateHost(actor, body));
  serve(serving, responsesApi.issueBlockToken, ({ actor, body }) => responses.issueBlockToken(actor, body));
  serve(serving, responsesApi.blockUser, ({ actor, params, body }) =>
    responses.blockUser(actor, {
      token: params.token,
      isDisabled: body.isDisabled,
      acknowledgesWarning: body.acknowledgesWarning,
    }),
  );
  serve(serving, responsesApi.acknowledge, ({ actor, params, body }) => responses.acknowledge(actor, { id: params.id, ...body }));
  serve(serving, responsesApi.executeTasks, ({ actor, body }) => responses.executeTasks(actor, body));
  serve(serving, responsesApi.addTask, ({ actor, body }) => responses.addTask(actor, body));
}

export function responseRequestsRoutes(serving: Serving, requests: ResponseRequestsService): void {
  serve(serving, responseRequestsApi.list, ({ actor, params, query }) => requests.list(actor, params, query));
  serve(serving, responseRequestsApi.get, ({ actor, params }) => requests.get(actor, params.id));
  serve(serving, responseRequestsApi.request, ({ actor, body }) => requests.request(actor, body));
  serve(serving, responseRequestsApi.approve, ({ actor, params, body }) => requests.approve(actor, params.id, body));
  serve(serving, responseRequestsApi.undo, ({ actor, params, body }) => requests.undo(actor, params.id, body));
  serve(serving, responseRequestsApi.getPolicy, ({ actor }) => requests.getPolicy(actor));
  serve(serving, responseRequestsApi.setPolicy, ({ actor, body }) => requests.setPolicy(actor, body));
  serve(serving, responseRequestsApi.file, ({ actor, params }) => requests.file(actor, params.id));
  serve(serving, responseRequestsApi.listRules, ({ actor, params }) => requests.listRules(actor, params.client));
  serve(serving, responseRequestsApi.addRule, ({ actor, params, body }) => requests.addRule(actor, params.client, body));
  serve(serving, responseRequestsApi.removeRule, async ({ actor, params }) => {
    await requests.removeRule(actor, params.client, params.rule);
    return {};
  });
  serve(serving, responseRequestsApi.listProtected, ({ actor, params }) => requests.listProtected(actor, params.client));
  serve(serving, responseRequestsApi.addProtected, ({ actor, params, body }) =>
    requests.addProtected(actor, params.client, body),
  );
  serve(serving, responseRequestsApi.removeProtected, async ({ actor, params }) => {
    await requests.removeProtected(actor, params.client, params.asset);
    return {};
  });
}
