/** First query of the suppressions. */
import { queryOf } from '../../lib/listSchema.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { suppressionList, suppressionListQuery } from './suppressions.queries.ts';

export const list: PageLoader = ({ scope: { client, may }, search }) =>
  may('suppressions:write') ? [suppressionListQuery(client, queryOf(suppressionList.read(search)))] : [];
