/** Use of the features that own organisations and users. All run in the caller’s transaction, in the portal’s own scope. */
import type { OrganisationsService } from '../organisations/organisations.service.ts';
import type { UsersService } from '../users/users.service.ts';

export interface OnboardingPorts {
  organisations: Pick<OrganisationsService, 'createIn' | 'addPeopleIn' | 'listNamesBelow'>;
  users: Pick<UsersService, 'welcomeAdministrator' | 'isTaken'>;
}
