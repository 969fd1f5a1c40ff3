import { caseGroupingApi } from '@parapet/contract/caseGrouping.ts';
import { identitiesApi } from '@parapet/contract/identities.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import { cancelPreview, getPreview, startPreview } from './correlation.grouping.previews.ts';
import { changeState, type GroupingDeps, getGrouping, saveDraft } from './correlation.grouping.service.ts';
import type { IdentitiesService } from './correlation.identities.service.ts';

export function identitiesRoutes(serving: Serving, identities: IdentitiesService): void {
  serve(serving, identitiesApi.list, ({ actor, params, query }) => identities.list(actor, params.client, query));
  serve(serving, identitiesApi.merge, async ({ actor, body }) => {
    await identities.merge(actor, body);
    return {};
  });
  serve(serving, identitiesApi.switchRule, async ({ actor, body }) => {
    await identities.switchRule(actor, body);
    return {};
  });
}

export function groupingRoutes(serving: Serving, deps: GroupingDeps): void {
  serve(serving, caseGroupingApi.get, ({ actor, params }) => getGrouping(deps, actor, params.client));
  serve(serving, caseGroupingApi.saveDraft, ({ actor, body }) => saveDraft(deps, actor, body));
  serve(serving, caseGroupingApi.changeState, ({ actor, params, body }) => changeState(deps, actor, params.id, body));
  serve(serving, caseGroupingApi.startPreview, ({ actor, body }) => startPreview(deps, actor, body));
  serve(serving, caseGroupingApi.getPreview, ({ actor, params }) => getPreview(deps, actor, params.id));
  serve(serving, caseGroupingApi.cancelPreview, ({ actor, params }) => cancelPreview(deps, actor, params.id));
}
