/** First queries of billing. */

import { numberIn } from '../../lib/address.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { billingItemsQuery, billingQuery, billingTargetsQuery } from './billing.queries.ts';
import { monthIn } from './months.ts';

export const list: PageLoader = ({ scope: { client, may }, search }) => {
  if (!may('billing:write')) return [];
  const month = monthIn(search.month, Date.now());
  const ofClient = () => [
    billingTargetsQuery(client),
    billingItemsQuery(client, month, Math.max(1, numberIn(search.page, 1)), Math.min(100, numberIn(search.pageSize, 50))),
  ];
  return [billingQuery(client, month), ...(client === 0 ? [] : ofClient())];
};
