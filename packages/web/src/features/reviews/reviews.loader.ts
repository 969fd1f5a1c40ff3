/** First queries of the case reviews’ tabs. */
import { queryOf } from '../../lib/listSchema.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { calibrationQuery, reviewersQuery, reviewList, reviewListQuery } from './reviews.queries.ts';

export const list: PageLoader = ({ scope: { client, range, may }, search }) => {
  if (!may('reviews:use')) return [];
  if (search.tab === 'calibration') return [calibrationQuery(client)];
  return [reviewListQuery(client, range, queryOf(reviewList.read(search))), reviewersQuery()];
};
