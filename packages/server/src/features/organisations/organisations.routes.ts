import { organisationsApi } from '@parapet/contract/organisations.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { OrganisationsService } from './organisations.service.ts';

export function organisationsRoutes(serving: Serving, organisations: OrganisationsService): void {
  serve(serving, organisationsApi.getAllClients, ({ actor }) => organisations.getAllClients(actor));
}
