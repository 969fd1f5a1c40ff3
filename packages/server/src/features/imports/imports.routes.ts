import type { Readable } from 'node:stream';
import { importsApi } from '@parapet/contract/imports.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { ImportsService } from './imports.service.ts';

export async function importsRoutes(serving: Serving, imports: ImportsService): Promise<void> {
  serve(serving, importsApi.list, ({ actor, params }) => imports.list(actor, params.client));
  serve(serving, importsApi.create, ({ actor, params, body }) => imports.create(actor, params.client, body));
  // Streamed, and only after authentication.
  await serving.app.register(async (app) => {
    const types = [...importsApi.upload.upload!.types];
    app.removeContentTypeParser(types);
    app.addContentTypeParser(types, (_request, body, done) => done(null, body));
    serve({ ...serving, app }, importsApi.upload, ({ actor, params, request }) =>
      imports.upload(actor, params.client, params.import, request.body as Readable),
    );
  });
}
