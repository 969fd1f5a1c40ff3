/** Queries and writes of case grouping. */
import { caseGroupingApi } from '@parapet/contract/caseGrouping.ts';
import { useQuery } from '@tanstack/react-query';
import { isOpenPreview } from '../../lib/PreviewParts.tsx';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export const groupingQuery = (client: number) => queryOptionsOf(caseGroupingApi.get, { params: { client } });

/** Refetched every second until the preview ends. */
export const useGroupingPreview = (id: number | undefined) =>
  useQuery({
    ...queryOptionsOf(caseGroupingApi.getPreview, { params: { id: id ?? 0 } }),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (isOpenPreview(state.data) ? 1_000 : false),
  });

const invalidates = [caseGroupingApi.get];
export const useSaveGrouping = () =>
  useApiMutation(caseGroupingApi.saveDraft, {
    invalidates,
    success: ({ version }) => `Draft saved as version ${version}`,
    failure: 'Couldn’t save the draft.',
  });
export const useGroupingState = () =>
  useApiMutation(caseGroupingApi.changeState, { invalidates, success: 'State changed', failure: false });
export const useStartGroupingPreview = () =>
  useApiMutation(caseGroupingApi.startPreview, { failure: 'Couldn’t start the preview.' });
export const useCancelGroupingPreview = () =>
  useApiMutation(caseGroupingApi.cancelPreview, {
    invalidates: [caseGroupingApi.getPreview],
    failure: 'Couldn’t cancel the preview.',
  });
