import { setupApi } from '@parapet/contract/setup.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { SetupService } from './setup.service.ts';

export function setupRoutes(serving: Serving, setup: SetupService): void {
  serve(serving, setupApi.get, ({ actor, params }) => setup.get(actor, params.client));
  serve(serving, setupApi.confirm, async ({ actor, params, body }) => {
    await setup.confirm(actor, params.client, body);
    return {};
  });
  serve(serving, setupApi.testMail, ({ actor }) => setup.sendTestMail(actor));
  serve(serving, setupApi.attack, ({ actor, params }) => setup.readAttack(actor, params.client, params.device));
}
