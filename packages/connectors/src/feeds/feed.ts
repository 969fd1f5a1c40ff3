/** Feeds of indicators by page: objects as the server returned them, and the position of the next page. */
import type { Http } from '../connector.ts';

export interface FeedValues {
  url: string;
  collection: string;
  user: string;
  secret: string;
  /** Separated by commas. */
  tags: string;
  isPublishedOnly: boolean;
}

export interface FeedPosition {
  /** Start of the reading; absent for a complete one. */
  since?: string | undefined;
  /** Next page of the reading; absent for its first. */
  next?: string | undefined;
  /** Start of the reading after this one, as known so far. */
  newest?: string | undefined;
}

export interface FeedPage {
  objects: unknown[];
  /** Absent after the last page. */
  next?: string | undefined;
  newest?: string | undefined;
}

/** Throws an error of `errors.ts`. */
export type ReadFeedPage = (http: Http, values: FeedValues, position: FeedPosition) => Promise<FeedPage>;

export const feedPageSize = 1_000;
export const addressOf = (url: string, path: string): URL => new URL(`${url.replace(/\/+$/, '')}/${path}`);
