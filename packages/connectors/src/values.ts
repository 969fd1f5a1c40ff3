/** Reading of values that come from vendors, from forms or from stored cursors. */

export type Json = Record<string, unknown>;

export const objectOf = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Milliseconds since 1970 of an ISO time or of a number; undefined for anything else. */
export function timeOf(value: unknown): number | undefined {
  const at = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(at) ? at : undefined;
}

/** A stored cursor; undefined for one that is not of this form, so that reading starts again. */
export function readCursor(cursor: string | undefined): Json | undefined {
  if (cursor === undefined) return undefined;
  try {
    return objectOf(JSON.parse(cursor));
  } catch {
    return undefined;
  }
}

/** `acme.okta.com` or `https://acme.okta.com/` → `https://acme.okta.com`. */
export const originOf = (value: string): string => new URL(/^https?:\/\//.test(value) ? value : `https://${value}`).origin;

/** Latest of some times; undefined without one. */
export const latest = (...times: (number | undefined)[]): number | undefined => {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
};

/** Host name with an optional port, as an address or alone. */
export const hostPattern = /^(?:https?:\/\/)?[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?(?::\d{1,5})?\/?$/i;
