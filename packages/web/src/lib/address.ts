/**
 * The address is the state of a page: filters, sort, page and what is open stand in it as plain texts. These hooks read and change it;
 * whole addresses come from `paths.ts`.
 */
import { useRouter, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { type Query, withQuery } from './paths.ts';

export type Search = Readonly<Record<string, string>>;

/** For the router: a query is plain texts, not JSON. The first of repeated names counts. */
export function parseSearch(text: string): Record<string, string> {
  const search: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) search[name] ??= value;
  return search;
}
export const stringifySearch = (search: Record<string, unknown>): string => withQuery('', search as Query);

/** Goes to an address of this portal. `replace`: Back does not return to the present one. */
export function useGo() {
  const { history } = useRouter();
  return useCallback(
    (address: string, { replace = false }: { replace?: boolean } = {}) => {
      if (replace || address === history.location.href) history.replace(address);
      else history.push(address);
    },
    [history],
  );
}

/**
 * The query of the page that is shown, and how to change it: what is undefined or empty goes, what is not named stays. Not of the address:
 * on the way to another page that is the other's already, and this one would ask the server for something else once more.
 */
export function useSearchState() {
  const { history } = useRouter();
  const search = useSearch({ strict: false, select: (search) => search as Search, structuralSharing: true });
  const change = useCallback(
    (patch: Query, { replace = false }: { replace?: boolean } = {}) => {
      const { pathname, search: now, href } = history.location;
      const address = withQuery(pathname, { ...parseSearch(now), ...patch });
      if (address === href) return;
      if (replace) history.replace(address);
      else history.push(address);
    },
    [history],
  );
  return { search, change };
}

/** A comma-joined list in a query. */
export const listIn = (text: string | undefined): string[] => (text ? text.split(',').filter((item) => item !== '') : []);
/** A whole number from 1 in a query; `otherwise` for anything else. */
export const numberIn = (text: string | undefined, otherwise: number): number =>
  text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : otherwise;
/** One of a list of words in a query. */
export const oneIn = <T extends string>(text: string | undefined, words: readonly T[], otherwise: T): T =>
  (words as readonly (string | undefined)[]).includes(text) ? (text as T) : otherwise;
