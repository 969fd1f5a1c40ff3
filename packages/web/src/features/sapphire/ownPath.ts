/** Where an answer leads: only to pages of this portal, whoever worded it. */
import { safePath } from '@parapet/contract/rules/safePath.ts';

export function ownPath(path: string | undefined): string | undefined {
  const safe = safePath(path);
  if (!safe || !/^\/(apps|pages)\//.test(safe)) return undefined;
  // The browser resolves dots: what is left must still be one of our pages.
  return /^\/(apps|pages)\//.test(new URL(safe, 'https://portal.invalid').pathname) ? safe : undefined;
}
