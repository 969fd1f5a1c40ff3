/** Queries and writes of case reviews. Toasts are the texts of spec §8. */
import { casesApi } from '@parapet/contract/cases.ts';
import { reviewsApi } from '@parapet/contract/reviews.ts';
import { decisionResultTypes, verdicts } from '@parapet/contract/rules/cases.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { answerRows, ids, type ListQuery, listSchema, numbers, search, size, word, words } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

/** `closed=any` ignores the timeframe and includes reopened cases. Ten rows per page: spec §9. */
export const reviewList = listSchema(
  {
    decision: numbers(decisionResultTypes.map(({ id }) => id)),
    reviewer: ids(0),
    verdict: words(verdicts),
    closed: word(['any']),
    text: search(),
    query: answerRows(),
    pageSize: size(10, 25, 50, 100),
  },
  ['closed'],
);
type ReviewQuery = ListQuery<typeof reviewList>;

export const reviewInput = (client: number, range: Range, query: ReviewQuery) => ({
  filter: {
    clientOrganizationID: client,
    decisionIDs: query.decision,
    analystIDs: query.reviewer,
    verdicts: query.verdict,
    text: query.text,
    query: query.query,
    ...(query.closed === 'any' ? {} : { start: range.start, end: range.end }),
  },
  page: query.page,
  pageSize: query.pageSize,
});
export const reviewListQuery = (client: number, range: Range, query: ReviewQuery) =>
  queryOptionsOf(reviewsApi.list, { body: reviewInput(client, range, query) });
export const reviewersQuery = () => queryOptionsOf(reviewsApi.analysts, {});
export const calibrationQuery = (client: number) => queryOptionsOf(reviewsApi.calibration, { params: { client } });
/** Case with its narratives, newest first. Reads are audited, so it is fetched only to email a narrative. */
export const caseQuery = (id: number, clientOrgId: number) => queryOptionsOf(casesApi.detail, { params: { id, clientOrgId } });

export const staleByReview = [reviewsApi.list, reviewsApi.calibration, casesApi.list, casesApi.detail];
const reviewWrite = {
  invalidates: staleByReview,
  topic: 'case',
} as const;
const reviewTexts = { success: 'Successfully updated case review.', failure: 'Failed to update case review.' };

export const useReviewer = () => useApiMutation(reviewsApi.updateAnalyst, { ...reviewWrite, ...reviewTexts });
export const useDecision = () => useApiMutation(reviewsApi.updateDecision, { ...reviewWrite, ...reviewTexts });

export const useMarkIncorrect = () =>
  useApiMutation(reviewsApi.markIncorrect, {
    ...reviewWrite,
    success: 'Marked investigation status as incorrect and reopened case.',
    failure: 'Failed to update case!',
  });

export const useCorrectness = () =>
  useApiMutation(reviewsApi.updateDecisioningCorrectness, {
    ...reviewWrite,
    success: 'Successfully updated investigation status confirmation.',
    failure: 'Failed to update case!',
  });
