/** Queries of the emails that the portal sent or kept. */
import { mailStates, outboxApi } from '@parapet/contract/outbox.ts';
import { answerRows, type ListQuery, listSchema, search, words } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';

export type MailState = (typeof mailStates)[number];

export const mailList = listSchema({ text: search(), state: words(mailStates), query: answerRows() });

export const mailListQuery = (client: number, { text, ...query }: ListQuery<typeof mailList>) =>
  queryOptionsOf(outboxApi.list, { params: { client }, query: { search: text || undefined, ...query } });
export const mailQuery = (id: number) => queryOptionsOf(outboxApi.get, { params: { id } });
