/** Queries and address filters of the audit log. */
import { auditApi } from '@parapet/contract/audit.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { listIn, numberIn, type Search } from '../../lib/address.ts';
import { queryOptionsOf } from '../../lib/query.ts';

export interface AuditFilters {
  text: string;
  action: string[];
  actor: number[];
  page: number;
  pageSize: number;
}

const pageSizes = [25, 50, 100];
const maxValues = 50;

/** Parses the list's state from the address; ignores invalid values. */
export function auditFiltersIn(search: Search): AuditFilters {
  const pageSize = numberIn(search.pageSize, 50);
  return {
    text: (search.text ?? '').trim().slice(0, 200),
    action: [...new Set(listIn(search.action))].slice(0, maxValues),
    actor: [...new Set(listIn(search.actor).map((text) => numberIn(text, 0)))].filter((id) => id > 0).slice(0, maxValues),
    page: numberIn(search.page, 1),
    pageSize: pageSizes.includes(pageSize) ? pageSize : 50,
  };
}

export const isFiltered = ({ text, action, actor }: AuditFilters) => text !== '' || action.length > 0 || actor.length > 0;

export const auditInput = (client: number, { start, end }: Range, { text, action, actor }: AuditFilters) => ({
  params: { client, start, end },
  query: { search: text || undefined, action, actor },
});

export function auditListQuery(client: number, range: Range, filters: AuditFilters) {
  const { params, query } = auditInput(client, range, filters);
  return queryOptionsOf(auditApi.list, { params, query: { ...query, page: filters.page, pageSize: filters.pageSize } });
}

export const auditActionsQuery = (client: number, { start, end }: Range) =>
  queryOptionsOf(auditApi.actions, { params: { client, start, end } });

export const auditSealQuery = (client: number) => queryOptionsOf(auditApi.seal, { params: { client } });
