/** First queries of the rules’ pages. */
import { queryOf } from '../../lib/listSchema.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { hidingList, hidingListQuery, ruleList, ruleListQuery, ruleQuery } from './rules.queries.ts';

export const list: PageLoader = ({ scope: { client }, search }) => [ruleListQuery(client, queryOf(ruleList.read(search)))];
export const detail: PageLoader = ({ scope: { client }, params }) =>
  params.ruleID && params.ruleID !== 'new' ? [ruleQuery(client, params.ruleID)] : [];
export const exceptions: PageLoader = ({ scope: { client, may }, search }) =>
  may('suppressions:write') ? [hidingListQuery(client, queryOf(hidingList.read(search)))] : [];
