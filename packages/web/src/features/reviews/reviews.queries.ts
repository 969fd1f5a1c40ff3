/** Queries and writes of case reviews. Toasts are the texts of spec §8. */
import { caseMailsApi } from '@parapet/contract/caseMails.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { reviewsApi } from '@parapet/contract/reviews.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';
import { askedFor, type ReviewFilters } from './reviewFilters.ts';

export const reviewListQuery = (client: number, range: Range, filters: ReviewFilters) =>
  queryOptionsOf(reviewsApi.list, { body: askedFor(client, range, filters) });
export const reviewersQuery = () => queryOptionsOf(reviewsApi.analysts, {});
export const calibrationQuery = (client: number) => queryOptionsOf(reviewsApi.calibration, { params: { client } });
/** Case with its narratives, newest first. Reads are audited, so it is fetched only to email a narrative. */
export const caseQuery = (id: number, clientOrgId: number) => queryOptionsOf(casesApi.detail, { params: { id, clientOrgId } });

const reviewWrite = {
  invalidates: [reviewsApi.list, reviewsApi.calibration, casesApi.list, casesApi.detail],
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

export const useNarrativeMail = () =>
  useApiMutation(caseMailsApi.sendNarrative, {
    ...reviewWrite,
    success: 'Successfully sent AI Decisioning narrative email.',
    failure: 'Failed to send AI Decisioning narrative email.',
  });
