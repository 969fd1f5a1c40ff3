/** Shapes of an audit entry’s before and after. */

export type NoDetails = { before?: undefined; after?: undefined };
export type Added<T> = { before?: undefined; after: T };
export type Removed<T> = { before: T; after?: undefined };
export type Change<Before, After = Before> = { before: Before; after: After };
/** Fields that differ; no `before` for a new object. */
export type PartialChange<T> = { before?: Partial<T> | undefined; after: Partial<T> };

/** Filter and options of a request, as the caller sent them. */
export type QueryInput = Readonly<Record<string, string | number | boolean | readonly (string | number)[] | undefined>>;

/** Stored as ISO 8601 text. */
export type Instant = Date | string;
