import { connectionsApi } from '@parapet/contract/connections.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { ConnectionsService } from './connections.service.ts';

export function connectionsRoutes(serving: Serving, connections: ConnectionsService): void {
  serve(serving, connectionsApi.kinds, () => connections.kinds());
  serve(serving, connectionsApi.list, ({ actor, params }) => connections.list(actor, params.client));
  serve(serving, connectionsApi.test, ({ actor, params, body }) => connections.test(actor, params.client, body));
  serve(serving, connectionsApi.create, ({ actor, params, body }) => connections.create(actor, params.client, body));
  serve(serving, connectionsApi.testStored, ({ actor, params }) =>
    connections.testStored(actor, params.client, params.connection),
  );
  serve(serving, connectionsApi.pause, async ({ actor, params, body }) => {
    await connections.pause(actor, params.client, params.connection, body.isPaused);
    return {};
  });
  serve(serving, connectionsApi.read, async ({ actor, params }) => {
    await connections.read(actor, params.client, params.connection);
    return {};
  });
  serve(serving, connectionsApi.allowResponses, async ({ actor, params, body }) => {
    await connections.allowResponses(actor, params.client, params.connection, body.mayAct);
    return {};
  });
  serve(serving, connectionsApi.setIncidentMode, async ({ actor, params, body }) => {
    await connections.setIncidentMode(actor, params.client, params.connection, body.incidentMode);
    return {};
  });
  serve(serving, connectionsApi.caseIncidents, ({ actor, params }) => connections.caseIncidents(actor, params.caseId));
  serve(serving, connectionsApi.replaceSecrets, async ({ actor, params, body }) => {
    await connections.replaceSecrets(actor, params.client, params.connection, body.values);
    return {};
  });
  serve(serving, connectionsApi.remove, async ({ actor, params }) => {
    await connections.remove(actor, params.client, params.connection);
    return {};
  });
}
