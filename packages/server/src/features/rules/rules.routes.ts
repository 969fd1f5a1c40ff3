import { analystTimeApi } from '@parapet/contract/analystTime.ts';
import { rulesApi } from '@parapet/contract/detectionRules.ts';
import { exceptionsApi } from '@parapet/contract/exceptions.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { RulesService } from './rules.service.ts';

export function rulesRoutes(serving: Serving, rules: RulesService): void {
  serve(serving, analystTimeApi.get, ({ actor }) => rules.getRates(actor));
  serve(serving, analystTimeApi.save, ({ actor, body }) => rules.saveRates(actor, body));
  serve(serving, rulesApi.list, ({ actor, params, query }) => rules.list(actor, params.client, query));
  serve(serving, rulesApi.get, ({ actor, params }) => rules.get(actor, params.client, params.ruleID));
  serve(serving, rulesApi.check, ({ actor, body }) => rules.check(actor, body.yaml));
  serve(serving, rulesApi.saveDraft, ({ actor, body }) => rules.saveDraft(actor, body));
  serve(serving, rulesApi.changeState, ({ actor, params, body }) => rules.changeState(actor, params.id, body));
  serve(serving, rulesApi.saveOverride, ({ actor, body }) => rules.saveOverride(actor, body));
  serve(serving, rulesApi.addException, ({ actor, body }) => rules.addException(actor, body));
  serve(serving, rulesApi.startPreview, ({ actor, body }) => rules.startPreview(actor, body));
  serve(serving, rulesApi.getPreview, ({ actor, params }) => rules.getPreview(actor, params.id));
  serve(serving, rulesApi.cancelPreview, ({ actor, params }) => rules.cancelPreview(actor, params.id));
  serve(serving, rulesApi.endException, ({ actor, params }) => rules.endException(actor, params.id));
  serve(serving, exceptionsApi.list, ({ actor, params, query }) => rules.listHiding(actor, params.client, query));
  serve(serving, rulesApi.addTest, ({ actor, body }) => rules.addTest(actor, body));
  serve(serving, rulesApi.removeTest, ({ actor, params }) => rules.removeTest(actor, params.id));
}
