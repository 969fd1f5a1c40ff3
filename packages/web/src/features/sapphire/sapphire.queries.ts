/** What administrators do for Sapphire, made from the contract. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { type SapphireKnowledge, sapphireApi } from '@parapet/contract/sapphire.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { toast } from '../../lib/toast.ts';

export interface Paging {
  page: number;
  pageSize: number;
}
export type Teacher = AnswerOf<typeof sapphireApi.listTeachers>['results'][number];

export const questionsQuery = (client: number, paging: Paging) =>
  queryOptionsOf(sapphireApi.listQuestions, { params: { client }, query: { ...paging } });
export const knowledgeQuery = (client: number, paging: Paging) =>
  queryOptionsOf(sapphireApi.listKnowledge, { params: { client }, query: { ...paging } });
export const teachersQuery = (client: number) => queryOptionsOf(sapphireApi.listTeachers, { params: { client } });

function useListsChanged() {
  const queries = useQueryClient();
  return () =>
    Promise.all(
      [sapphireApi.listQuestions, sapphireApi.listKnowledge].map(({ id }) => queries.invalidateQueries({ queryKey: [id] })),
    );
}

/** Throws, so that the form tells it. */
export function useAddKnowledge() {
  const changed = useListsChanged();
  return async (client: number, text: string, questionID: number | undefined) => {
    await call(sapphireApi.addKnowledge, { params: { client }, body: { text, questionID } });
    await changed();
  };
}

/** Throws, so that a form can tell it. */
export function useReview() {
  const changed = useListsChanged();
  return async ({ id, clientOrganizationID }: SapphireKnowledge, state: 'approved' | 'rejected', text?: string) => {
    await call(sapphireApi.reviewKnowledge, { params: { client: clientOrganizationID, knowledge: id }, body: { state, text } });
    await changed();
  };
}

export function useSetTeacher(client: number) {
  const queries = useQueryClient();
  const { queryKey } = teachersQuery(client);
  const put = ({ userID }: Teacher, isTeacher: boolean) =>
    queries.setQueryData(queryKey, (old) =>
      old ? { ...old, results: old.results.map((each) => (each.userID === userID ? { ...each, isTeacher } : each)) } : old,
    );
  return useMutation({
    mutationFn: ({ teacher, isTeacher }: { teacher: Teacher; isTeacher: boolean }) =>
      call(sapphireApi.setTeacher, { params: { client, user: teacher.userID }, body: { isTeacher } }),
    // It shows at once and goes back when it could not be saved.
    onMutate: async ({ teacher, isTeacher }) => {
      await queries.cancelQueries({ queryKey });
      put(teacher, isTeacher);
    },
    onError: (error, { teacher, isTeacher }) => {
      put(teacher, !isTeacher);
      toast.error(`What ${teacher.displayName} may could not be saved. ${error.message}`);
    },
  });
}
