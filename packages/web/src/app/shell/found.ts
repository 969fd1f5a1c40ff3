/** The addresses of search results. */
import type { Permission } from '@parapet/contract/access.ts';
import type { Found } from '@parapet/contract/search.ts';
import { paths } from '../../lib/paths.ts';

export const kindTitle: Record<Found['kind'], string> = {
  alert: 'Alerts',
  case: 'Cases',
  device: 'Data Sources',
  user: 'Users',
  rule: 'Rules',
  organisation: 'Organisations',
};

/** The page of a result; undefined without one, or without permission. `client`: the selected client, for results that belong to none. */
export function addressOfFound(
  { kind, id, title, clientOrganizationID }: Found,
  may: (permission: Permission) => boolean,
  client: number | undefined,
): string | undefined {
  const owner = clientOrganizationID ?? client;
  const number = /^[1-9]\d{0,9}$/.test(id) ? Number(id) : undefined;
  switch (kind) {
    case 'alert':
      return number === undefined ? undefined : paths.alert(number);
    case 'case':
      return number === undefined ? undefined : paths.case(number);
    case 'device':
      return owner ? paths.device(owner, title) : paths.devices(owner, { text: title });
    case 'user':
      return number === undefined ? undefined : paths.profile(number, { client: clientOrganizationID ?? undefined });
    case 'rule':
      return paths.alerts(client, { rule: id, timeframe: 'lastOneYear' });
    case 'organisation':
      if (number === undefined) return undefined;
      return may('clientDetails:read') ? paths.clientDetails('general', { client: number }) : paths.dashboard(number);
    default:
      return undefined;
  }
}
