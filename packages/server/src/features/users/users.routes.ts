import { usersApi } from '@parapet/contract/users.ts';
import { csvType } from '../../core/csv.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { Pictures } from './users.pictures.ts';
import type { UsersService } from './users.service.ts';

export function usersRoutes(serving: Serving, users: UsersService, pictures: Pictures): void {
  serve(serving, usersApi.list, ({ actor, params, query }) => users.list(actor, params.client, query));
  serve(serving, usersApi.exportList, async ({ actor, params, query }) => ({
    type: csvType,
    bytes: await users.exportList(actor, params.client, query),
    downloadName: 'users.csv',
  }));
  serve(serving, usersApi.get, ({ actor, params }) => users.get(actor, params.clientId, params.userId));
  serve(serving, usersApi.clientRoles, ({ actor, params }) => users.clientRoles(actor, params.clientId));
  serve(serving, usersApi.create, ({ actor, body }) => users.create(actor, body));
  serve(serving, usersApi.update, ({ actor, params, body }) => users.update(actor, params.id, body));
  serve(serving, usersApi.changePassword, async ({ actor, params, body }) => {
    await users.changePassword(actor, params.id, body);
    return {};
  });
  serve(serving, usersApi.resetMfa, async ({ actor, params }) => {
    await users.resetMfa(actor, params.id);
    return {};
  });
  serve(serving, usersApi.remove, async ({ actor, params }) => {
    await users.remove(actor, params.id);
    return {};
  });
  serve(serving, usersApi.reactivate, ({ actor, params }) => users.reactivate(actor, params.id));
  serve(serving, usersApi.invite, async ({ actor, params }) => {
    await users.invite(actor, params.id);
    return {};
  });
  serve(serving, usersApi.makeLink, ({ actor, params }) => users.makeLink(actor, params.id));
  serve(serving, usersApi.uploadPicture, ({ actor, params, request }) =>
    pictures.upload(actor, params.id, request.body as Buffer),
  );
  serve(serving, usersApi.removePicture, async ({ actor, params }) => {
    await pictures.remove(actor, params.id);
    return {};
  });
  serve(serving, usersApi.picture, async ({ params, query }) => ({
    type: 'image/png',
    ...(await pictures.read(params.file, query)),
  }));
}
