/** Values of documents as PostgreSQL’s `->` and `->>` read them. */

/** Undefined where a step is missing; null is a value. */
export const valueAt = (document: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined,
    document,
  );

/** Text of a value; undefined for null and what is missing. */
export function textAt(document: unknown, ...keys: readonly string[]): string | undefined {
  const value = valueAt(document, ...keys);
  if (value === undefined || value === null) return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
