/** The one hook for writes: calls an endpoint, marks the lists it changes as stale, and reports the outcome as a toast. */
import type { AnswerOf, Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from './call.ts';
import { type ToastTopic, toast } from './toast.ts';

interface Options<E extends Endpoint> {
  /** Endpoints whose cached answers this write makes stale, whatever their input. */
  invalidates?: readonly Pick<Endpoint, 'id'>[];
  /** Runs first after success: closes the form, or writes the answer into the cache, without waiting for the stale lists. */
  onSuccess?: (answer: AnswerOf<E>, input: InputOf<E>) => void;
  /** Toast after success. Omitted where the page itself shows the result. */
  success?: string | ((answer: AnswerOf<E>, input: InputOf<E>) => string | undefined);
  /** Runs after success and after failure. */
  onSettled?: () => void;
  /**
   * Text before the server's reason in the error toast, or a function that returns the whole text. `false`: the caller shows the error,
   * for example at a form field.
   */
  failure?: string | false | ((error: Error, input: InputOf<E>) => string);
  topic?: ToastTopic;
}

/**
 * @example
 * const deleteTag = useApiMutation(tagsApi.remove, { invalidates: [tagsApi.list], success: 'Successfully deleted tag!' });
 * deleteTag.mutate({ body: { id } });
 */
export function useApiMutation<E extends Endpoint>(
  endpoint: E,
  { invalidates = [], onSuccess, onSettled, success, failure, topic }: Options<E> = {},
): UseMutationResult<AnswerOf<E>, Error, InputOf<E>> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: InputOf<E>) => call(endpoint, input),
    onSuccess: async (answer, input) => {
      onSuccess?.(answer, input);
      const text = typeof success === 'function' ? success(answer, input) : success;
      if (text) toast.success(text, topic);
      await Promise.all(invalidates.map(({ id }) => queries.invalidateQueries({ queryKey: [id] })));
    },
    onError: (error, input) => {
      if (failure === false) return;
      const text = typeof failure === 'function' ? failure(error, input) : [failure, error.message].filter(Boolean).join(' ');
      toast.error(text, topic);
    },
    onSettled: () => onSettled?.(),
  });
}
