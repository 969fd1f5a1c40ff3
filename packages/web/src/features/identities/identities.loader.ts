/** First query of the identities. */
import { queryOf } from '../../lib/listSchema.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { identitiesQuery, identityList } from './identities.queries.ts';

export const list: PageLoader = ({ scope: { client, may }, search }) =>
  may('cases:write') && client !== 0 ? [identitiesQuery(client, queryOf(identityList.read(search)))] : [];
