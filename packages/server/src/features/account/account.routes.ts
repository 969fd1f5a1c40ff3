import { accountApi } from '@parapet/contract/account.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { AccountService } from './account.service.ts';

export function accountRoutes(serving: Serving, account: AccountService): void {
  serve(serving, accountApi.sessions, ({ actor }) => account.sessions(actor));
  serve(serving, accountApi.endSession, async ({ actor, params }) => {
    await account.endSession(actor, params.id);
    return {};
  });
  serve(serving, accountApi.endOtherSessions, ({ actor }) => account.endOtherSessions(actor));
  serve(serving, accountApi.apiKeys, ({ actor }) => account.apiKeys(actor));
  serve(serving, accountApi.createApiKey, ({ actor, body }) => account.createApiKey(actor, body));
  serve(serving, accountApi.revokeApiKey, ({ actor, params, query }) =>
    account.revokeApiKey(actor, params.id, query.withMinted === 'true'),
  );
  serve(serving, accountApi.mintedByApiKey, ({ actor, params }) => account.mintedByApiKey(actor, params.id));
}
