/** Queries of the access log. */
import { clientAccessLogApi } from '@parapet/contract/client-access-log.ts';
import { accessReasons, sensitiveViews } from '@parapet/contract/rules/client-access-log.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { ids, type ListQuery, listSchema, words } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';

export const accessList = listSchema({ person: ids(), reason: words([...accessReasons, 'none']), view: words(sensitiveViews) });
type AccessQuery = ListQuery<typeof accessList>;

/** Input of the export. */
export const accessInput = (client: number, { start, end }: Range, { person, reason, view }: AccessQuery) => ({
  params: { client, start, end },
  query: { person, reason, view },
});

export function accessListQuery(client: number, range: Range, list: AccessQuery) {
  const { params, query } = accessInput(client, range, list);
  return queryOptionsOf(clientAccessLogApi.list, { params, query: { ...query, page: list.page, pageSize: list.pageSize } });
}

export const accessPeopleQuery = (client: number, { start, end }: Range) =>
  queryOptionsOf(clientAccessLogApi.people, { params: { client, start, end } });
