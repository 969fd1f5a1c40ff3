/** First queries of the case pages. */
import { queryOf } from '../../lib/listSchema.ts';
import { objectIdIn, type PageLoader } from '../../lib/pageLoader.ts';
import { caseList } from './caseList.ts';
import { caseFacetsQuery, caseListQuery, caseQuery } from './cases.queries.ts';

export const list: PageLoader = ({ scope: { client, deviceName, range }, search }) => {
  const scope = { client, device: deviceName, ...range };
  return [caseListQuery(scope, queryOf(caseList.read(search))), caseFacetsQuery(scope)];
};

export const detail: PageLoader = ({ scope, params }) => {
  const id = objectIdIn(params.id);
  return id === undefined ? [] : [caseQuery(id, scope)];
};
