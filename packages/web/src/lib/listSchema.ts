/**
 * List state in the address: one zod schema per list page. Addresses are typed, shared and edited by people, so
 * every field is bounded and a value that does not parse counts as absent. The schema lives with its page's chunk and not in the
 * router's `validateSearch`, which would load every contract with the first page.
 *
 *     export const userList = listSchema({ text: text(), role: words(roleNames), sort: word(sorts, 'displayName') });
 *     export type UserQuery = ListQuery<typeof userList>;
 */
import { maxId } from '@parapet/contract/rules/values.ts';
import { z } from 'zod';
import { listIn, numberIn } from './address.ts';
import type { Query } from './paths.ts';

const textIn = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(textIn).join()
    : typeof value === 'string' || Number.isFinite(value)
      ? String(value).trim()
      : '';
/** A field of its own: `parse` gets the trimmed text, empty where the address has none. */
export const field = <T>(parse: (text: string) => T) =>
  z
    .unknown()
    .optional()
    .transform((value) => parse(textIn(value)));

const maxValues = 50;
const itemsOf = (text: string) => [...new Set(listIn(text).map((item) => item.trim()))];
const isId = (text: string, min: number) => /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= maxId;

/** A search: text cut to 200 characters. */
export const search = () => field((text) => text.slice(0, 200));
/** Free text; empty when longer than `max`. */
export const text = (max = 200) => field((text) => (text.length > max ? '' : text));
/** One of `known`, else `otherwise`. */
export const word = <const T extends string, const D extends T | undefined = undefined>(known: readonly T[], otherwise?: D) =>
  field((text): T | D => known.find((each) => each === text) ?? (otherwise as D));
/** Several of `known`, in its order. Ignores case. */
export const words = <const T extends string>(known: readonly T[]) =>
  field((text): T[] => {
    const given = itemsOf(text.toLowerCase());
    return known.filter((each) => given.includes(each.toLowerCase()));
  });
/** Several of the numbers in `known`, in its order. */
export const numbers = <const T extends number>(known: readonly T[]) =>
  field((text): T[] => known.filter((each) => itemsOf(text).includes(String(each))));
/** At most 50 free values that match `pattern`. */
export const values = (pattern: RegExp, normalise = (item: string) => item) =>
  field((text) =>
    itemsOf(normalise(text))
      .filter((item) => pattern.test(item))
      .slice(0, maxValues),
  );
/** One text that matches `pattern`. */
export const match = (pattern: RegExp) => field((text) => (pattern.test(text) ? text : undefined));
export const id = () => field((text) => (isId(text, 1) ? Number(text) : undefined));
/** At most 50 ids from `min`. */
export const ids = (min: 0 | 1 = 1) =>
  field((text) =>
    [
      ...new Set(
        itemsOf(text)
          .filter((item) => isId(item, min))
          .map(Number),
      ),
    ].slice(0, maxValues),
  );
/** An instant in ISO 8601, as UTC. */
export const instant = () =>
  field((text) => {
    const at = text.length <= 40 && /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isFinite(at) ? new Date(at).toISOString() : undefined;
  });
export const flag = () => field((text): true | undefined => (text === 'true' || text === '1' ? true : undefined));
export const yesOrNo = () => field((text) => (text === 'true' ? true : text === 'false' ? false : undefined));
/** Rows of an answer by Sapphire: an encoded query, which the server validates. */
export const answerRows = () => match(/^[\w-]{1,2000}$/);
/** Rows per page; the first of `sizes` is the default. */
export const size = (...sizes: [number, ...number[]]) => field((text) => sizes.find((each) => String(each) === text) ?? sizes[0]);

/** Fields of the position in the list; all others are filters. */
const place = { page: field((text) => numberIn(text, 1)), pageSize: size(50, 25, 100), peek: id() };
const firstPage = { page: undefined, peek: undefined, before: undefined, beforeID: undefined };
const position = [...Object.keys(firstPage), 'pageSize'];
const places = [...position, 'sort', 'order'];

type Field = z.ZodType;
type Fields = Record<string, Field>;
type Values<F extends Fields> = { [K in keyof F]: z.infer<F[K]> };
type Shape<F extends Fields> = Omit<typeof place, keyof F> & F;

export interface ListSchema<S> {
  /** Parsed values, defaults filled in. */
  read: (search: Readonly<Record<string, unknown>>) => S;
  /** A change as it stands in the address, without defaults. A changed filter or order goes to page 1 and closes the preview. */
  write: (patch: Query) => Query;
  names: readonly string[];
  filterNames: readonly string[];
  filtersOf: (state: S) => Partial<S>;
  isFiltered: (state: S) => boolean;
}
export type ListState<L> = L extends ListSchema<infer S> ? S : never;
/** Query of a list: filters, order and page. */
export type ListQuery<L> = Omit<ListState<L>, 'peek'>;
export function queryOf<S>(state: S): Omit<S, 'peek'> {
  const { peek: _, ...query } = state as S & { peek: unknown };
  return query as Omit<S, 'peek'>;
}

/**
 * Page, page size (50) and preview (`peek`) are part of every list; give a field of that name to replace
 * one. `modes` are fields that are no filters: clearing the filters keeps them.
 */
export function listSchema<F extends Fields>(fields: F, modes: readonly string[] = []): ListSchema<Values<Shape<F>>> {
  type S = Values<Shape<F>>;
  const schema = z.object({ ...place, ...fields });
  const read = (search: Readonly<Record<string, unknown>>) => schema.parse(search) as S;
  const textOf = (state: S, name: string) => JSON.stringify(state[name as keyof S]);
  const defaults = read({});
  const filterNames = Object.keys(fields).filter((name) => !places.includes(name) && !modes.includes(name));
  return {
    read,
    names: Object.keys(schema.shape),
    filterNames,
    filtersOf: (state) => Object.fromEntries(filterNames.map((name) => [name, state[name as keyof S]])) as Partial<S>,
    isFiltered: (state) => filterNames.some((name) => textOf(state, name) !== textOf(defaults, name)),
    write: (patch) => {
      const keepsPlace = Object.keys(patch).every((name) => position.includes(name));
      const isDefault = (name: string, value: unknown) =>
        name in schema.shape && textOf(schema.parse({ [name]: value }) as S, name) === textOf(defaults, name);
      const entries = Object.entries(patch).map(([name, value]) => [name, isDefault(name, value) ? undefined : value]);
      return { ...(keepsPlace ? {} : firstPage), ...Object.fromEntries(entries) };
    },
  };
}
