/** Filters of a list: their menus and the chips of those in use. */
import type { ReactNode } from 'react';
import type { Query } from './paths.ts';

export interface ListFilter {
  /** Of the schema, and of the address. */
  name: string;
  label: string;
  /** Options of the filter's menu; without them it has chips only. */
  options?: readonly { value: string | number; text: string; label?: ReactNode }[];
  /** Text of a value without an option. */
  textOf?: (value: string) => string;
  /** Shown for no options. */
  none?: string;
  /** One value at most. */
  isSingle?: boolean;
}

const listOf = (value: unknown) => (Array.isArray(value) ? value : value === undefined || value === '' ? [] : [value]);

/** Values of a filter, as they stand in the address. */
export const valuesOf = (state: object, name: string): string[] => listOf((state as Record<string, unknown>)[name]).map(String);

export const chipsOf = (filters: readonly ListFilter[], state: object, set: (patch: Query) => void) =>
  filters.flatMap(({ name, label, options, textOf = (value) => value }) => {
    const chosen = valuesOf(state, name);
    return chosen.map((value) => ({
      key: `${name} ${value}`,
      name: label,
      value: options?.find((option) => String(option.value) === value)?.text ?? textOf(value),
      onRemove: () => set({ [name]: chosen.filter((each) => each !== value) }),
    }));
  });

/** Chip of a list that an answer by Sapphire links to. */
export const answerChip = (query: string | undefined, set: (patch: Query) => void) =>
  query === undefined
    ? []
    : [{ key: 'query', name: 'Sapphire', value: 'Rows of the answer', onRemove: () => set({ query: undefined }) }];
