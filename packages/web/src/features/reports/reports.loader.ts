/** First queries of the reporting page’s tabs. */
import { allClients } from '@parapet/contract/access.ts';
import { reportingMonthOf } from '@parapet/contract/rules/timeframe.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { balanceQuery, reportQuery, schedulesQuery } from './reports.queries.ts';

export const reporting: PageLoader = ({ scope: { client, clients, range, timeframe, timeZone, may }, search }) => {
  if (search.tab === 'balance') return [balanceQuery(client, range)];
  const isPartner = clients.find(({ id }) => id === client)?.isPartner;
  // The page offers a choice of clients.
  if (client === allClients || (isPartner && search.own !== '1')) return [];
  if (search.tab === 'schedules' && may('reports:schedule')) return [schedulesQuery(client, search.query)];
  const { year, month } = reportingMonthOf(timeframe, Date.now(), timeZone);
  return [reportQuery({ client, year, month })];
};
