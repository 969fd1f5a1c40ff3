import { accountApi } from '@parapet/contract/account.ts';
import { deliveriesApi } from '@parapet/contract/deliveries.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { DeliveriesService } from './deliveries.service.ts';

export function deliveriesRoutes(serving: Serving, deliveries: DeliveriesService): void {
  serve(serving, deliveriesApi.kinds, ({ actor }) => deliveries.kinds(actor));
  serve(serving, deliveriesApi.targets, ({ actor, params }) => deliveries.targets(actor, params.client));
  serve(serving, deliveriesApi.createTarget, ({ actor, params, body }) => deliveries.createTarget(actor, params.client, body));
  serve(serving, deliveriesApi.updateTarget, async ({ actor, params, body }) => {
    await deliveries.updateTarget(actor, params.client, params.target, body);
    return {};
  });
  serve(serving, deliveriesApi.replaceSecrets, ({ actor, params, body }) =>
    deliveries.replaceSecrets(actor, params.client, params.target, body.values),
  );
  serve(serving, deliveriesApi.test, ({ actor, params }) => deliveries.test(actor, params.client, params.target));
  serve(serving, deliveriesApi.removeTarget, async ({ actor, params }) => {
    await deliveries.removeTarget(actor, params.client, params.target);
    return {};
  });
  serve(serving, deliveriesApi.list, ({ actor, params, query }) => deliveries.list(actor, params.client, params.target, query));
  serve(serving, deliveriesApi.get, ({ actor, params }) => deliveries.get(actor, params.client, params.target, params.delivery));
  serve(serving, deliveriesApi.replay, async ({ actor, params }) => {
    await deliveries.replay(actor, params.client, params.target, params.delivery);
    return {};
  });
  serve(serving, deliveriesApi.replayAll, ({ actor, params }) => deliveries.replayAll(actor, params.client, params.target));
  serve(serving, deliveriesApi.ticketSetup, ({ actor, params, query }) =>
    deliveries.ticketSetup(actor, params.client, params.target, query.board),
  );
  serve(serving, deliveriesApi.saveTicketSetup, async ({ actor, params, body }) => {
    await deliveries.saveTicketSetup(actor, params.client, params.target, body);
    return {};
  });
  serve(serving, deliveriesApi.tickets, ({ actor, params, query }) =>
    deliveries.tickets(actor, params.client, params.target, query),
  );
  serve(serving, deliveriesApi.caseTickets, ({ actor, params }) => deliveries.caseTickets(actor, params.caseId));
  serve(serving, deliveriesApi.openCallbacks, ({ actor, params, body }) =>
    deliveries.openCallbacks(actor, params.client, params.target, body.secret),
  );
  serve(serving, deliveriesApi.closeCallbacks, async ({ actor, params }) => {
    await deliveries.closeCallbacks(actor, params.client, params.target);
    return {};
  });
  serve(serving, deliveriesApi.syncTickets, async ({ actor, params }) => {
    await deliveries.syncTickets(actor, params.client, params.target);
    return {};
  });
  serve(serving, accountApi.chatAccounts, ({ actor }) => deliveries.chatAccounts(actor));
  serve(serving, accountApi.linkChat, ({ actor, body }) => deliveries.linkChat(actor, body.token));
  serve(serving, accountApi.unlinkChat, async ({ actor, params }) => {
    await deliveries.unlinkChat(actor, params.id);
    return {};
  });
  serve(serving, accountApi.browsers, ({ actor }) => deliveries.browsers(actor));
  serve(serving, accountApi.addBrowser, ({ actor, body, request }) =>
    deliveries.addBrowser(actor, body, String(request.headers['user-agent'] ?? '')),
  );
  serve(serving, accountApi.removeBrowser, async ({ actor, params }) => {
    await deliveries.removeBrowser(actor, params.id);
    return {};
  });
  serve(serving, deliveriesApi.rules, ({ actor, params }) => deliveries.rules(actor, params.client));
  serve(serving, deliveriesApi.createRule, ({ actor, params, body }) => deliveries.createRule(actor, params.client, body));
  serve(serving, deliveriesApi.updateRule, async ({ actor, params, body }) => {
    await deliveries.updateRule(actor, params.client, params.rule, body);
    return {};
  });
  serve(serving, deliveriesApi.removeRule, async ({ actor, params }) => {
    await deliveries.removeRule(actor, params.client, params.rule);
    return {};
  });
  serve(serving, deliveriesApi.preview, ({ actor, params, body }) => deliveries.preview(actor, params.client, body));
}
