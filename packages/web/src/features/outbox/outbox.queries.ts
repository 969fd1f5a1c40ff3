/** Queries of the emails that the portal sent or kept. */
import { mailStates, outboxApi } from '@parapet/contract/outbox.ts';
import { listIn, numberIn, type Search } from '../../lib/address.ts';
import { queryOptionsOf } from '../../lib/query.ts';

export type MailState = (typeof mailStates)[number];

export interface MailFilters {
  text: string;
  state: MailState[];
  page: number;
  pageSize: number;
}

const pageSizes = [25, 50, 100];

/** The list's state in the address; what makes no sense is as if not there. */
export function mailFiltersIn(search: Search): MailFilters {
  const pageSize = numberIn(search.pageSize, 50);
  return {
    text: (search.text ?? '').trim().slice(0, 200),
    state: mailStates.filter((state) => listIn(search.state).includes(state)),
    page: numberIn(search.page, 1),
    pageSize: pageSizes.includes(pageSize) ? pageSize : 50,
  };
}

export const mailListQuery = (client: number, { text, state, page, pageSize }: MailFilters) =>
  queryOptionsOf(outboxApi.list, { params: { client }, query: { search: text || undefined, state, page, pageSize } });
export const mailQuery = (id: number) => queryOptionsOf(outboxApi.get, { params: { id } });
