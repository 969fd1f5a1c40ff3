/** Dependencies of the organisations service and its parts. */
import type { ClientDetails } from '@parapet/contract/organisations.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { Keys } from '../../core/keys/keys.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { BrandingService } from '../brand/branding.service.ts';

export interface OrganisationsDeps {
  db: Database;
  brand: Pick<BrandService, 'partnerOf'>;
  branding: BrandingService;
  /** Encrypts the secrets of identity providers. */
  keys: Pick<Keys, 'seal'>;
  /** Alert retention of the installation, the maximum for an organisation. */
  alertRetentionMonths: number;
  allowsInsecureIssuers: boolean;
  clock: Clock;
}

export type DetailsOf = (actor: Actor, id: number) => Promise<ClientDetails>;
