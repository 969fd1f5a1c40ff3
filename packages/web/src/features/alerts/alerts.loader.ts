/** First queries of the alert pages. */

import { queryOf } from '../../lib/listSchema.ts';
import { objectIdIn, type PageLoader } from '../../lib/pageLoader.ts';
import { alertList } from './alertList.ts';
import { alertFacetsQuery, alertFiguresQuery, alertListQuery, alertQuery } from './alerts.queries.ts';

export const list: PageLoader = ({ scope: { client, deviceName, range, timeZone }, search }) => {
  const scope = { client, device: deviceName, ...range };
  return [
    alertListQuery(scope, queryOf(alertList.read(search))),
    alertFacetsQuery(scope),
    ...(deviceName ? [] : [alertFiguresQuery(scope, timeZone)]),
  ];
};

export const detail: PageLoader = ({ params }) => {
  const id = objectIdIn(params.id);
  return id === undefined ? [] : [alertQuery(id)];
};
