/** Queries and writes of Sapphire’s administration. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { type SapphireKnowledge, sapphireApi } from '@parapet/contract/sapphire.ts';
import { type ListQuery, listSchema, size } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export const sapphireList = listSchema({ pageSize: size(25, 50, 100) });
type Paging = ListQuery<typeof sapphireList>;
export type Teacher = AnswerOf<typeof sapphireApi.listTeachers>['results'][number];

export const questionsQuery = (client: number, paging: Paging) =>
  queryOptionsOf(sapphireApi.listQuestions, { params: { client }, query: { ...paging } });
export const knowledgeQuery = (client: number, paging: Paging) =>
  queryOptionsOf(sapphireApi.listKnowledge, { params: { client }, query: { ...paging } });
export const synonymsQuery = (client: number, paging: Paging) =>
  queryOptionsOf(sapphireApi.listSynonyms, { params: { client }, query: { ...paging } });
export const teachersQuery = (client: number) => queryOptionsOf(sapphireApi.listTeachers, { params: { client } });

const invalidates = [sapphireApi.listQuestions, sapphireApi.listKnowledge];
const added = 'Knowledge successfully inserted';

export const useAddKnowledge = () => useApiMutation(sapphireApi.addKnowledge, { invalidates, success: added, failure: false });

const synonymLists = [sapphireApi.listSynonyms];
export const useAddSynonym = () =>
  useApiMutation(sapphireApi.addSynonym, { invalidates: synonymLists, success: 'Synonym added', failure: false });
export const useRemoveSynonym = () =>
  useApiMutation(sapphireApi.removeSynonym, {
    invalidates: synonymLists,
    success: 'Synonym removed',
    failure: 'Couldn’t remove the synonym.',
  });

interface Review {
  row: SapphireKnowledge;
  state: 'approved' | 'rejected';
  text?: string;
}
const reviewInput = ({ row, state, text }: Review) => ({
  params: { client: row.clientOrganizationID, knowledge: row.id },
  body: { state, text },
});

export const useReviewKnowledge = () =>
  useApiMutation(sapphireApi.reviewKnowledge, {
    invalidates,
    input: reviewInput,
    success: (_, { state }) => (state === 'approved' ? 'Knowledge approved' : 'Knowledge rejected'),
    failure: 'Couldn’t save the decision.',
  });

/** Approves knowledge with a corrected text. */
export const useCorrectKnowledge = () =>
  useApiMutation(sapphireApi.reviewKnowledge, { invalidates, input: reviewInput, success: added, failure: false });

/** Shows the change at once and rolls back when it can’t be saved. */
export function useSetTeacher(client: number) {
  const { queryKey } = teachersQuery(client);
  return useApiMutation(sapphireApi.setTeacher, {
    input: ({ teacher, isTeacher }: { teacher: Teacher; isTeacher: boolean }) => ({
      params: { client, user: teacher.userID },
      body: { isTeacher },
    }),
    optimistic: async (queries, { teacher: { userID }, isTeacher }) => {
      const set = (isOn: boolean) =>
        queries.setQueryData(
          queryKey,
          (old) =>
            old && {
              ...old,
              results: old.results.map((each) => (each.userID === userID ? { ...each, isTeacher: isOn } : each)),
            },
        );
      await queries.cancelQueries({ queryKey });
      set(isTeacher);
      return () => set(!isTeacher);
    },
    failure: (error, { teacher }) => `Couldn’t update ${teacher.displayName}. ${error.message}`,
  });
}
