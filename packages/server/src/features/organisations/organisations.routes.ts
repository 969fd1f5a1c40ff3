import { organisationsApi } from '@parapet/contract/organisations.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { OrganisationsService } from './organisations.service.ts';

export function organisationsRoutes(serving: Serving, organisations: OrganisationsService): void {
  serve(serving, organisationsApi.getAllClients, ({ actor, query }) => organisations.getAllClients(actor, query.query));
  serve(serving, organisationsApi.listDeactivated, ({ actor }) => organisations.listDeactivated(actor));
  serve(serving, organisationsApi.partner, ({ actor, params }) => organisations.partner(actor, params.id));
  serve(serving, organisationsApi.details, ({ actor, params }) => organisations.details(actor, params.id));
  serve(serving, organisationsApi.held, ({ actor, params }) => organisations.held(actor, params.id));
  serve(serving, organisationsApi.create, ({ actor, body }) => organisations.create(actor, body));
  serve(serving, organisationsApi.updateGeneral, ({ actor, params, body }) =>
    organisations.updateGeneral(actor, params.id, body),
  );
  serve(serving, organisationsApi.updateContacts, ({ actor, params, body }) =>
    organisations.updateContacts(actor, params.id, body),
  );
  serve(serving, organisationsApi.updateEscalation, ({ actor, params, body }) =>
    organisations.updateEscalation(actor, params.id, body),
  );
  serve(serving, organisationsApi.updatePlaybook, ({ actor, params, body }) =>
    organisations.updatePlaybook(actor, params.id, body),
  );
  serve(serving, organisationsApi.updateSignInPolicy, ({ actor, params, body }) =>
    organisations.updateSignInPolicy(actor, params.id, body),
  );
  serve(serving, organisationsApi.updateRetention, ({ actor, params, body }) =>
    organisations.updateRetention(actor, params.id, body),
  );
  serve(serving, organisationsApi.updateBranding, ({ actor, params, body }) =>
    organisations.updateBranding(actor, params.id, body),
  );
  serve(serving, organisationsApi.uploadLogo, ({ actor, params, request }) =>
    organisations.uploadLogo(actor, params.id, params.kind, request.body as Buffer),
  );
  serve(serving, organisationsApi.removeLogo, ({ actor, params }) => organisations.removeLogo(actor, params.id, params.kind));
  serve(serving, organisationsApi.move, ({ actor, params, body }) =>
    organisations.move(actor, params.id, body.partnerClientOrgID),
  );
  serve(serving, organisationsApi.deactivate, async ({ actor, params }) => {
    await organisations.deactivate(actor, params.id);
    return {};
  });
  serve(serving, organisationsApi.reactivate, async ({ actor, params }) => {
    await organisations.reactivate(actor, params.id);
    return {};
  });
}
