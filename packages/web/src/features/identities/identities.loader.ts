/** First query of the identities. */
import { allClients } from '@parapet/contract/access.ts';
import { queryOf } from '../../lib/listSchema.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { identitiesQuery, identityList } from './identities.queries.ts';

export const list: PageLoader = ({ scope: { client, may }, search }) =>
  may('cases:write') && client !== allClients ? [identitiesQuery(client, queryOf(identityList.read(search)))] : [];
