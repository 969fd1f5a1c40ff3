import type { Readable } from 'node:stream';
import { vulnerabilitiesApi } from '@parapet/contract/vulnerabilities.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { VulnerabilitiesService } from './vulnerabilities.service.ts';

export async function vulnerabilitiesRoutes(serving: Serving, vulnerabilities: VulnerabilitiesService): Promise<void> {
  serve(serving, vulnerabilitiesApi.customer, ({ actor, params }) => vulnerabilities.customer(actor, params.client));
  serve(serving, vulnerabilitiesApi.devices, ({ actor, params, query }) => vulnerabilities.devices(actor, params.client, query));
  serve(serving, vulnerabilitiesApi.clients, ({ actor }) => vulnerabilities.clients(actor));
  serve(serving, vulnerabilitiesApi.list, ({ actor, params, query }) => vulnerabilities.list(actor, params.client, query));
  serve(serving, vulnerabilitiesApi.accept, ({ actor, params, body }) =>
    vulnerabilities.accept(actor, params.client, params.finding, body),
  );
  serve(serving, vulnerabilitiesApi.listAdvisorySources, () => vulnerabilities.sources());
  // Large files are streamed, and only after authentication.
  await serving.app.register(async (app) => {
    const types = [...vulnerabilitiesApi.importAdvisories.upload!.types];
    app.removeContentTypeParser(types);
    app.addContentTypeParser(types, (_request, body, done) => done(null, body));
    serve({ ...serving, app }, vulnerabilitiesApi.importAdvisories, ({ actor, params, request }) =>
      vulnerabilities.advisories.import(actor, params.kind, request.body as Readable),
    );
    serve({ ...serving, app }, vulnerabilitiesApi.uploadScan, ({ actor, params, request }) =>
      vulnerabilities.uploadScan(actor, params.client, params.device, request.body as Readable),
    );
  });
}
