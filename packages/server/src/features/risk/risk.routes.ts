import { riskApi } from '@parapet/contract/risk.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { RiskService } from './risk.service.ts';

export function riskRoutes(serving: Serving, risk: RiskService): void {
  serve(serving, riskApi.details, ({ actor, params }) => risk.details(actor, params.client, params.start, params.end));
  serve(serving, riskApi.score, ({ actor, params }) => risk.score(actor, params.client));
  serve(serving, riskApi.history, ({ actor, params }) => risk.history(actor, params.client, params.start, params.end));
  serve(serving, riskApi.clients, ({ actor }) => risk.clients(actor));
  serve(serving, riskApi.saveDevices, ({ actor, params, body }) => risk.saveDevices(actor, params.client, body));
  serve(serving, riskApi.savePractices, ({ actor, params, body }) => risk.savePractices(actor, params.client, body.practices));
}
