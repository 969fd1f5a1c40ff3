/** First queries of the access log. */
import { queryOf } from '../../lib/listSchema.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { lookList, lookListQuery, lookPeopleQuery } from './looks.queries.ts';

export const list: PageLoader = ({ scope: { client, range, may }, search }) =>
  may('audit:read') ? [lookListQuery(client, range, queryOf(lookList.read(search))), lookPeopleQuery(client, range)] : [];
