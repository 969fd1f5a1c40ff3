/**
 * The address is the state of a page: client, timeframe, filters, sort, page and side panel stand in it as plain texts. These hooks read
 * and change it; whole addresses come from `paths.ts`.
 */
import { useRouter, useSearch } from '@tanstack/react-router';
import { createContext, useCallback, useContext } from 'react';
import { type Query, withQuery } from './paths.ts';

export type Search = Readonly<Record<string, string>>;

/** The router’s parser: values stay plain texts, not JSON. Of repeated names the first wins. */
export function parseSearch(text: string): Record<string, string> {
  const search: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) search[name] ??= value;
  return search;
}
export const stringifySearch = (search: Record<string, unknown>): string => withQuery('', search as Query);

/** Adds client and timeframe to an address of this portal that leaves them out. The shell provides it; for guests nothing is added. */
export const CompleteAddress = createContext((address: string) => address);
export const useCompleteAddress = () => useContext(CompleteAddress);

/** Navigates to an address of this portal. With `replace` the present one leaves no history entry. */
export function useGo() {
  const { history } = useRouter();
  const complete = useCompleteAddress();
  return useCallback(
    (to: string, { replace = false }: { replace?: boolean } = {}) => {
      const address = complete(to);
      if (replace || address === history.location.href) history.replace(address);
      else history.push(address);
    },
    [history, complete],
  );
}

/**
 * The query of the shown page, and a function that patches it: undefined and empty values are removed, unnamed ones stay. Read from the
 * matched route, not the history: during a navigation the history already has the next page’s query, which would cause a second request.
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
/** A whole number from 1 in a query, else `otherwise`. */
export const numberIn = (text: string | undefined, otherwise: number): number =>
  text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : otherwise;
/** One of the given words in a query, else `otherwise`. */
export const oneIn = <T extends string>(text: string | undefined, words: readonly T[], otherwise: T): T =>
  (words as readonly (string | undefined)[]).includes(text) ? (text as T) : otherwise;
/** The id of a client in an address, 0 for all. */
export const clientIdIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
