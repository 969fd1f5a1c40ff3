/** Queries of the audit log. */
import { auditApi } from '@parapet/contract/audit.ts';
import { isolationApi } from '@parapet/contract/isolation.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { answerRows, ids, type ListQuery, listSchema, search, values } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';

export const auditList = listSchema({ text: search(), action: values(/^/), actor: ids(), query: answerRows() });
type AuditQuery = ListQuery<typeof auditList>;

/** Input of the exports. */
export const auditInput = (client: number, { start, end }: Range, { text, action, actor, query }: AuditQuery) => ({
  params: { client, start, end },
  query: { search: text || undefined, action, actor, query },
});

export function auditListQuery(client: number, range: Range, list: AuditQuery) {
  const { params, query } = auditInput(client, range, list);
  return queryOptionsOf(auditApi.list, { params, query: { ...query, page: list.page, pageSize: list.pageSize } });
}

export const auditActionsQuery = (client: number, { start, end }: Range) =>
  queryOptionsOf(auditApi.actions, { params: { client, start, end } });

export const auditSealQuery = (client: number) => queryOptionsOf(auditApi.seal, { params: { client } });

export const isolationQuery = (client: number) => queryOptionsOf(isolationApi.get, { params: { client } });
