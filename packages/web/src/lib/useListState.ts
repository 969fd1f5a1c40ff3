/** The state of the list that is shown, and how to change it. Equal addresses keep equal objects, so that queries stay the same. */
import { useCallback, useMemo } from 'react';
import { useSearchState } from './address.ts';
import { type ListSchema, queryOf } from './listSchema.ts';
import type { Query } from './paths.ts';

export interface ListControl<S> {
  state: S;
  /** The state without the preview: input of the list's query. The same object while only the preview changes. */
  query: Omit<S, 'peek'>;
  /** The filters as a text: key of a selection or of a held range. */
  filterKey: string;
  isFiltered: boolean;
  /** Writes a change to the address, see `ListSchema.write`. Previews alone and `replace` leave no history entry. */
  set: (patch: Query, options?: { replace?: boolean }) => void;
  /** Clears the filters. */
  reset: () => void;
}

export function useListState<S>(schema: ListSchema<S>): ListControl<S> {
  const { search, change } = useSearchState();
  const key = JSON.stringify(Object.fromEntries(schema.names.map((name) => [name, search[name]])));
  const set = useCallback<ListControl<S>['set']>(
    (patch, { replace = 'peek' in patch && Object.keys(patch).length === 1 } = {}) => change(schema.write(patch), { replace }),
    [schema, change],
  );
  const state = useMemo(() => schema.read(JSON.parse(key)), [schema, key]);
  const queryKey = JSON.stringify(queryOf(state));
  // biome-ignore lint/correctness/useExhaustiveDependencies: `queryKey` stands for the part of the state.
  const query = useMemo(() => queryOf(state), [queryKey]);
  return useMemo(
    () => ({
      state,
      query,
      filterKey: JSON.stringify(schema.filtersOf(state)),
      isFiltered: schema.isFiltered(state),
      set,
      reset: () => set(Object.fromEntries(schema.filterNames.map((name) => [name, undefined]))),
    }),
    [schema, state, query, set],
  );
}
