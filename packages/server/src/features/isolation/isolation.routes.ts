import { isolationApi } from '@parapet/contract/isolation.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { IsolationService } from './isolation.service.ts';

export function isolationRoutes(serving: Serving, isolation: IsolationService): void {
  serve(serving, isolationApi.findings, ({ actor }) => isolation.findings(actor));
  serve(serving, isolationApi.get, ({ actor, params }) => isolation.get(actor, params.client));
  serve(serving, isolationApi.run, async ({ actor }) => {
    await isolation.request(actor);
    return {};
  });
}
