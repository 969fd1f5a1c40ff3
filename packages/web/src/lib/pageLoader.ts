/**
 * First queries of a page, which its route’s loader sends while the page’s code loads: one small `<feature>.loader.ts` beside the page.
 *
 *     export const list: PageLoader = ({ scope, search }) => [tagsQuery(scope.client)];
 *
 * Exactly those that the page itself sends first, with the same options, and none that the user may not read.
 */
import { maxId } from '@parapet/contract/rules/values.ts';
import type { QueryKey } from '@tanstack/react-query';
import type { Search } from './address.ts';
import type { Scope } from './scope.ts';

export interface PageAddress {
  /** Pattern of the route, as `pageAt` reads it. */
  fullPath: string;
  pathname: string;
  search: Search;
  params: Readonly<Record<string, string | undefined>>;
}

export type PageLoader = (page: PageAddress & { scope: Scope }) => readonly { queryKey: QueryKey }[];

/** The id of an object in an address. */
export const objectIdIn = (text = ''): number | undefined =>
  /^\d{1,10}$/.test(text) && Number(text) >= 1 && Number(text) <= maxId ? Number(text) : undefined;
