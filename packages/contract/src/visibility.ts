/** Visibility of content about a client, and the name shown for the provider's staff. Enforced by the server (domain/visibility.ts). */
import { hasClientSelector, type RoleHolder } from './access.ts';

/** `internal`: only for the client's analysts. `client`: also for the client itself. */
export const visibilities = ['internal', 'client'] as const;
export type Visibility = (typeof visibilities)[number];

/** True for staff: internal notes, drafts and reviews are never visible to the client (access table, row 15). */
export const canSeeInternal = (who: RoleHolder): boolean => hasClientSelector(who);

/** Name of the provider's staff as shown to partners and their clients. */
export const socName = 'SOC Analyst';
