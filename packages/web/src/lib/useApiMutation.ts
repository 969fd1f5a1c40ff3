/** The one hook for writes: calls an endpoint, marks the lists it changes as stale, and reports the outcome as a toast. */
import type { AnswerOf, Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { type QueryClient, type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { call, unreachable } from './call.ts';
import { type ToastTopic, toast } from './toast.ts';

/** Restores the cached data from before an optimistic change. */
type Rollback = () => void;

interface Options<E extends Endpoint, Variables> {
  /** Builds the call’s input when it is sent. Default: the variables themselves. */
  input?: (variables: Variables, queries: QueryClient) => InputOf<E>;
  /** Endpoints whose cached data this write makes stale, whatever their input. */
  invalidates?: readonly Pick<Endpoint, 'id'>[];
  /** Refetches `invalidates` after a failure as well, for example to resolve a version conflict. */
  invalidatesOnFailure?: boolean;
  /** Changes cached data before the call; returns the rollback for a failure. */
  optimistic?: (queries: QueryClient, variables: Variables) => Promise<Rollback>;
  /** Runs writes of the same scope one after the other. */
  scope?: string;
  /** Runs after success and before `invalidates` are refetched: closes the form, or stores the answer in the cache. */
  onSuccess?: (answer: AnswerOf<E>, variables: Variables, queries: QueryClient) => void;
  /** Runs after success and after failure. */
  onSettled?: () => void;
  /** Toast after success. Omitted where the page itself shows the result. */
  success?: string | ((answer: AnswerOf<E>, variables: Variables) => string | undefined);
  /** `info` for accepted requests whose effect is still to come. Default: `success`. */
  variant?: 'success' | 'info';
  /**
   * Text before the server’s reason in the error toast, or a function returning the whole text. `false`: the caller shows the error, for
   * example at a form field.
   */
  failure?: string | false | ((error: Error, variables: Variables) => string);
  topic?: ToastTopic;
}

/**
 * @example
 * const deleteTag = useApiMutation(tagsApi.remove, { invalidates: [tagsApi.list], success: 'Successfully deleted tag!' });
 * deleteTag.mutate({ body: { id } });
 */
export function useApiMutation<E extends Endpoint, Variables = InputOf<E>>(
  endpoint: E,
  options: Options<E, Variables> = {},
): UseMutationResult<AnswerOf<E>, Error, Variables, Rollback | undefined> {
  const { input, invalidates = [], invalidatesOnFailure = false, optimistic, scope, topic } = options;
  const queries = useQueryClient();
  // The error of the previous attempt, which a new one supersedes.
  const endError = useRef<() => void>(undefined);
  const invalidate = () => Promise.all(invalidates.map(({ id }) => queries.invalidateQueries({ queryKey: [id] })));
  return useMutation({
    ...(scope === undefined ? {} : { scope: { id: scope } }),
    mutationFn: (variables: Variables) => call(endpoint, input ? input(variables, queries) : (variables as InputOf<E>)),
    onMutate: (variables) => {
      endError.current?.();
      return optimistic?.(queries, variables);
    },
    onSuccess: async (answer, variables) => {
      options.onSuccess?.(answer, variables, queries);
      const { success, variant = 'success' } = options;
      const text = typeof success === 'function' ? success(answer, variables) : success;
      if (text) toast[variant](text, topic);
      await invalidate();
    },
    onError: async (error, variables, rollback) => {
      rollback?.();
      const { failure } = options;
      if (failure !== false) {
        const text =
          typeof failure === 'function' ? failure(error, variables) : [failure, error.message].filter(Boolean).join(' ');
        endError.current = toast.error(text, topic);
        if (error.message === unreachable) window.addEventListener('online', endError.current, { once: true });
      }
      if (invalidatesOnFailure) await invalidate();
    },
    onSettled: () => options.onSettled?.(),
  });
}
