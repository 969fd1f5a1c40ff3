/** First query of the email outbox. */
import { queryOf } from '../../lib/listSchema.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { mailList, mailListQuery } from './outbox.queries.ts';

export const list: PageLoader = ({ scope: { client, may }, search }) =>
  may('outbox:read') ? [mailListQuery(client, queryOf(mailList.read(search)))] : [];
