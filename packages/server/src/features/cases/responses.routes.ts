import { responsesApi } from '@parapet/contract/responses.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { ResponsesService } from './responses.service.ts';

export function responsesRoutes(serving: Serving, responses: ResponsesService): void {
  serve(serving, responsesApi.isolateHost, ({ actor, body }) => responses.isolateHost(actor, body));
  serve(serving, responsesApi.issueBlockToken, ({ actor, body }) => responses.issueBlockToken(actor, body));
  serve(serving, responsesApi.blockUser, ({ actor, params, body }) =>
    responses.blockUser(actor, { token: params.token, isDisabled: body.isDisabled }),
  );
  serve(serving, responsesApi.acknowledge, ({ actor, params, body }) => responses.acknowledge(actor, { id: params.id, ...body }));
  serve(serving, responsesApi.executeTasks, ({ actor, body }) => responses.executeTasks(actor, body));
  serve(serving, responsesApi.addTask, ({ actor, body }) => responses.addTask(actor, body));
}
