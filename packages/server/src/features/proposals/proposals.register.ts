import { proposalsApi } from '@parapet/contract/proposals.ts';
import type { Feature, Platform } from '../../core/feature.ts';
import { serve } from '../../core/http/serve.ts';
import { createProposalsService, type ProposalsDeps, type ProposalsService } from './proposals.service.ts';

export function registerProposals(deps: Platform & ProposalsDeps): Feature<ProposalsService> {
  const service = createProposalsService(deps);
  return {
    service,
    routes(serving) {
      serve(serving, proposalsApi.list, ({ actor, params }) => service.list(actor, params.caseId));
      serve(serving, proposalsApi.decide, ({ actor, params, body }) => service.decide(actor, params.id, body));
    },
  };
}
