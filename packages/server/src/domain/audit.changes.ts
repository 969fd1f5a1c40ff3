/** The forms of an entry's before and after. */

export type NothingMore = { before?: undefined; after?: undefined };
export type Added<T> = { before?: undefined; after: T };
export type Removed<T> = { before: T; after?: undefined };
export type Change<Before, After = Before> = { before: Before; after: After };
/** Those fields that differ; no `before` where nothing was there. */
export type Differing<T> = { before?: Partial<T> | undefined; after: Partial<T> };

/** A filter and what else was asked for, as the caller gave it. */
export type Asked = Readonly<Record<string, string | number | boolean | readonly (string | number)[] | undefined>>;

/** Stored as text of ISO 8601. */
export type Instant = Date | string;
