/** First queries of the pages of rule packs. */
import { queryOf } from '../../lib/listSchema.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { pastSearchesQuery } from '../past-searches/pastSearches.queries.ts';
import { mayManagePacks } from '../rules/rules.ts';
import { importList, importQuery, packsQuery } from './packs.queries.ts';

export const list: PageLoader = ({ scope }) => [
  ...(mayManagePacks(scope) ? [packsQuery()] : []),
  ...(scope.may('events:read') ? [pastSearchesQuery(scope.client)] : []),
];
export const review: PageLoader = ({ scope, params, search }) => {
  const id = Number(params.importID);
  return mayManagePacks(scope) && Number.isInteger(id) && id > 0 ? [importQuery(id, queryOf(importList.read(search)))] : [];
};
