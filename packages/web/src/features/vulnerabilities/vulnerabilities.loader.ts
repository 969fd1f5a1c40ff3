/** First queries of the vulnerability page’s tabs. */
import { queryOf } from '../../lib/listSchema.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import {
  findingList,
  findingsQuery,
  scannedDeviceList,
  scannedDevicesQuery,
  sourcesQuery,
  statsQuery,
} from './vulnerabilities.queries.ts';

export const vulnerability: PageLoader = ({ scope: { client }, search }) => {
  if (search.tab === 'findings') return [findingsQuery(client, queryOf(findingList.read(search)))];
  if (search.tab === 'devices') return [scannedDevicesQuery(client, queryOf(scannedDeviceList.read(search)))];
  return [search.tab === 'sources' ? sourcesQuery() : statsQuery(client)];
};
