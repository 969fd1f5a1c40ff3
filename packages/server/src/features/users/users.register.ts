import type { Feature, Platform } from '../../core/feature.ts';
import type { UsersServiceDeps } from './users.change.ts';
import { createPictures } from './users.pictures.ts';
import { usersRoutes } from './users.routes.ts';
import { createUsersService, type UsersService } from './users.service.ts';

// For the composition of the application; other features receive them as arguments.
export { createPictureAddresses, pictureKey } from './users.pictures.ts';

export function registerUsers(deps: UsersServiceDeps & Pick<Platform, 'blobs'>): Feature<UsersService> {
  const service = createUsersService(deps);
  const pictures = createPictures(deps);
  return { service, routes: (serving) => usersRoutes(serving, service, pictures) };
}
