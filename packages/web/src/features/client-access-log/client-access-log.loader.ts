/** First queries of the access log. */
import { queryOf } from '../../lib/listSchema.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { accessList, accessListQuery, accessPeopleQuery } from './client-access-log.queries.ts';

export const list: PageLoader = ({ scope: { client, range, may }, search }) =>
  may('audit:read') ? [accessListQuery(client, range, queryOf(accessList.read(search))), accessPeopleQuery(client, range)] : [];
