import type { Feature, Platform } from '../../core/feature.ts';
import { createPictures, type PictureAddresses } from './users.pictures.ts';
import { usersRoutes } from './users.routes.ts';
import { createUsersService, type UsersService } from './users.service.ts';

export type UsersDeps = Platform &
  Pick<Parameters<typeof createUsersService>[0], 'outbox' | 'brand' | 'links' | 'removeSecondFactor' | 'checkPassword'> & {
    addresses: PictureAddresses;
  };

export function registerUsers({
  db,
  blobs,
  outbox,
  brand,
  addresses,
  links,
  removeSecondFactor,
  checkPassword,
}: UsersDeps): Feature<UsersService> {
  const service = createUsersService({ db, outbox, brand, addresses, links, removeSecondFactor, checkPassword });
  const pictures = createPictures({ db, blobs, addresses });
  return { service, routes: (serving) => usersRoutes(serving, service, pictures) };
}
