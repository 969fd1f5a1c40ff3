import { looksApi } from '@parapet/contract/looks.ts';
import { csvType } from '../../core/csv.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { LooksService } from './looks.service.ts';

export function looksRoutes(serving: Serving, looks: LooksService): void {
  serve(serving, looksApi.list, ({ actor, params, query }) => looks.list(actor, params.client, { ...params, ...query }));
  serve(serving, looksApi.people, ({ actor, params }) => looks.people(actor, params.client, params));
  serve(serving, looksApi.exportList, async ({ actor, params, query }) => ({
    type: csvType,
    bytes: await looks.exportList(actor, params.client, { ...params, ...query }),
    downloadName: 'access-log.csv',
  }));
  serve(serving, looksApi.getReason, ({ actor }) => looks.getReason(actor));
  serve(serving, looksApi.giveReason, async ({ actor, body }) => {
    await looks.giveReason(actor, body);
    return {};
  });
}
