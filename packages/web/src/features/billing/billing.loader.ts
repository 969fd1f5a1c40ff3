/** First queries of billing. */
import { allClients } from '@parapet/contract/access.ts';
import { queryOf } from '../../lib/listSchema.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { billingItemList, billingItemsQuery, billingQuery, billingTargetsQuery } from './billing.queries.ts';
import { monthIn } from './months.ts';

export const list: PageLoader = ({ scope: { client, may }, search }) => {
  if (!may('billing:write')) return [];
  const month = monthIn(search.month, Date.now());
  const ofClient = () => [billingTargetsQuery(client), billingItemsQuery(client, month, queryOf(billingItemList.read(search)))];
  return [billingQuery(client, month), ...(client === allClients ? [] : ofClient())];
};
