import { mailSubscriptionsApi } from '@parapet/contract/mailSubscriptions.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { MailSubscriptionsService } from './mail-subscriptions.service.ts';

export async function mailSubscriptionsRoutes(serving: Serving, subscriptions: MailSubscriptionsService): Promise<void> {
  serve(serving, mailSubscriptionsApi.list, ({ actor, params }) => subscriptions.list(actor, params.client));
  serve(serving, mailSubscriptionsApi.update, ({ actor, params, body }) => subscriptions.update(actor, params.id, body.kinds));
  serve(serving, mailSubscriptionsApi.mine, ({ actor }) => subscriptions.mine(actor));
  serve(serving, mailSubscriptionsApi.updateMine, ({ actor, body }) => subscriptions.updateMine(actor, body.kinds));
  // Mail clients post a form (RFC 8058) whose content is already in the path. No other call accepts forms.
  await serving.app.register(async (app) => {
    app.addContentTypeParser(
      ['application/x-www-form-urlencoded', 'multipart/form-data'],
      { parseAs: 'string' },
      (_request, _body, done) => done(null, {}),
    );
    serve({ ...serving, app }, mailSubscriptionsApi.unsubscribe, ({ params, request }) =>
      subscriptions.unsubscribe(params.token, request.ip),
    );
  });
}
