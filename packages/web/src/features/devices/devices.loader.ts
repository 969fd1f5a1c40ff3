/** First queries of the data source pages. */
import { queryOf } from '../../lib/listSchema.ts';
import { objectIdIn, type PageLoader } from '../../lib/pageLoader.ts';
import { connectionsQuery } from '../connections/connections.queries.ts';
import { tagsQuery } from '../tags/tags.queries.ts';
import { checkInsQuery, deviceList, deviceListQuery, deviceQuery, isDeviceName } from './devices.queries.ts';

export const list: PageLoader = ({ scope: { client, timeZone }, search }) =>
  search.tab === 'connections'
    ? [connectionsQuery(client)]
    : [deviceListQuery(client, timeZone, queryOf(deviceList.read(search))), tagsQuery(client), checkInsQuery(client, timeZone)];

export const detail: PageLoader = ({ params: { client: text, name = '' } }) => {
  const client = objectIdIn(text);
  return client === undefined || !isDeviceName(name) ? [] : [deviceQuery(client, name)];
};
