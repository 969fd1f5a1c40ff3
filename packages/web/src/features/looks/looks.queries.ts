/** Queries of the access log. */
import { looksApi } from '@parapet/contract/looks.ts';
import { lookReasons, sensitiveViews } from '@parapet/contract/rules/looks.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { ids, type ListQuery, listSchema, words } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';

export const lookList = listSchema({ person: ids(), reason: words([...lookReasons, 'none']), view: words(sensitiveViews) });
type LookQuery = ListQuery<typeof lookList>;

/** Input of the export. */
export const lookInput = (client: number, { start, end }: Range, { person, reason, view }: LookQuery) => ({
  params: { client, start, end },
  query: { person, reason, view },
});

export function lookListQuery(client: number, range: Range, list: LookQuery) {
  const { params, query } = lookInput(client, range, list);
  return queryOptionsOf(looksApi.list, { params, query: { ...query, page: list.page, pageSize: list.pageSize } });
}

export const lookPeopleQuery = (client: number, { start, end }: Range) =>
  queryOptionsOf(looksApi.people, { params: { client, start, end } });
