/** Who may read what is written about a client: the rule of visibility and the rule of names. The server enforces both (core/visibility.ts). */
import { hasClientSelector, type RoleHolder } from './access.ts';

/** `internal`: only for the staff who work on the client. `client`: also for the client itself. */
export const visibilities = ['internal', 'client'] as const;
export type Visibility = (typeof visibilities)[number];

/** Internal notes, drafts and reviews are for staff, never for the client (access table, row 15). */
export const seesInternal = (who: RoleHolder): boolean => hasClientSelector(who);

/** The one name of the provider's staff for clients of partners and for the partners themselves. */
export const socName = 'SOC Analyst';
