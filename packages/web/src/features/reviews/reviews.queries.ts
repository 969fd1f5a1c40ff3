/** Case reviews, made from the contract. Every change tells what came of it in spec §8's words, and makes the lists old. */
import { caseMailsApi } from '@parapet/contract/caseMails.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import type { Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { reviewsApi } from '@parapet/contract/reviews.ts';
import { decisionResultTypes, verdicts } from '@parapet/contract/rules/cases.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { ids, type ListQuery, listSchema, numbers, search, size, word, words } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { toast } from '../../lib/toast.ts';

/** `closed=any` ignores the timeframe and includes reopened cases. Ten rows per page: spec §9. */
export const reviewList = listSchema(
  {
    decision: numbers(decisionResultTypes.map(({ id }) => id)),
    reviewer: ids(0),
    verdict: words(verdicts),
    closed: word(['any']),
    text: search(),
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
    ...(query.closed === 'any' ? {} : { start: range.start, end: range.end }),
  },
  page: query.page,
  pageSize: query.pageSize,
});
export const reviewListQuery = (client: number, range: Range, query: ReviewQuery) =>
  queryOptionsOf(reviewsApi.list, { body: reviewInput(client, range, query) });
export const reviewersQuery = () => queryOptionsOf(reviewsApi.analysts, {});
export const calibrationQuery = (client: number) => queryOptionsOf(reviewsApi.calibration, { params: { client } });
/** With its narratives, newest first. Read only when somebody wants to mail one: it is audited. */
export const caseQuery = (id: number, clientOrgId: number) => queryOptionsOf(casesApi.detail, { params: { id, clientOrgId } });

const staleByReview = [reviewsApi.list.id, reviewsApi.calibration.id, casesApi.list.id, casesApi.detail.id];

function useReviewChange<E extends Endpoint>(endpoint: E, done: string, failed: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: InputOf<E>) => call(endpoint, input),
    onSuccess: async () => {
      toast.success(done, 'case');
      await Promise.all(staleByReview.map((id) => queries.invalidateQueries({ queryKey: [id] })));
    },
    onError: (error) => toast.error(error.message ? `${failed} ${error.message}` : failed, 'case'),
  });
}

const updated = 'Successfully updated case review.';
const notUpdated = 'Failed to update case review.';

export const useReviewer = () => useReviewChange(reviewsApi.updateAnalyst, updated, notUpdated);
export const useDecision = () => useReviewChange(reviewsApi.updateDecision, updated, notUpdated);
export const useMarkIncorrect = () =>
  useReviewChange(
    reviewsApi.markIncorrect,
    'Marked investigation status as incorrect and reopened case.',
    'Failed to update case!',
  );
export const useCorrectness = () =>
  useReviewChange(
    reviewsApi.updateDecisioningCorrectness,
    'Successfully updated investigation status confirmation.',
    'Failed to update case!',
  );
export const useNarrativeMail = () =>
  useReviewChange(
    caseMailsApi.sendNarrative,
    'Successfully sent AI Decisioning narrative email.',
    'Failed to send AI Decisioning narrative email.',
  );
