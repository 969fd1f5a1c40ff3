/** Link of an answer if it targets a page of this portal; undefined otherwise. Answers are untrusted. */
import { safePath } from '@parapet/contract/rules/safePath.ts';

export function ownPath(path: string | undefined): string | undefined {
  const safe = safePath(path);
  if (!safe || !/^\/(apps|pages)\//.test(safe)) return undefined;
  // Browsers resolve dot segments: the resolved path must still be a page of the portal.
  return /^\/(apps|pages)\//.test(new URL(safe, 'https://portal.invalid').pathname) ? safe : undefined;
}
