import { operationsApi } from '@parapet/contract/operations.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { OperationsService } from './operations.service.ts';

export function operationsRoutes(serving: Serving, operations: OperationsService): void {
  serve(serving, operationsApi.get, ({ actor }) => operations.get(actor));
  serve(serving, operationsApi.mode, ({ actor }) => operations.mode(actor));
  serve(serving, operationsApi.backUp, async ({ actor }) => {
    await operations.backUp(actor);
    return {};
  });
  serve(serving, operationsApi.release, async ({ actor }) => {
    await operations.release(actor);
    return {};
  });
}
