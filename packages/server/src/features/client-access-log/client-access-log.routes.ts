import { clientAccessLogApi } from '@parapet/contract/client-access-log.ts';
import { csvType } from '../../core/csv.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { ClientAccessLogService } from './client-access-log.service.ts';

export function clientAccessLogRoutes(serving: Serving, accesses: ClientAccessLogService): void {
  serve(serving, clientAccessLogApi.list, ({ actor, params, query }) =>
    accesses.list(actor, params.client, { ...params, ...query }),
  );
  serve(serving, clientAccessLogApi.people, ({ actor, params }) => accesses.people(actor, params.client, params));
  serve(serving, clientAccessLogApi.exportList, async ({ actor, params, query }) => ({
    type: csvType,
    bytes: await accesses.exportList(actor, params.client, { ...params, ...query }),
    downloadName: 'access-log.csv',
  }));
  serve(serving, clientAccessLogApi.getReason, ({ actor }) => accesses.getReason(actor));
  serve(serving, clientAccessLogApi.giveReason, async ({ actor, body }) => {
    await accesses.giveReason(actor, body);
    return {};
  });
}
