import { domainsApi } from '@parapet/contract/domains.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { DomainsService } from './domains.service.ts';

export function domainsRoutes(serving: Serving, domains: DomainsService): void {
  serve(serving, domainsApi.list, ({ actor, params }) => domains.list(actor, params.id));
  serve(serving, domainsApi.check, ({ actor, params, body }) => domains.check(actor, params.id, body.domain));
  serve(serving, domainsApi.vouch, ({ actor, params, body }) => domains.vouch(actor, params.id, body.domain, body.isVouched));
}
