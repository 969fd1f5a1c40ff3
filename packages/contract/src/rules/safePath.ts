const authServices = /^\/(login|logout|register|passwordReset|sso-auth|churnzeroauth|auth)(?:\/|$)/i;

/**
 * Returns a post-sign-in path if it is safe on this origin: one leading slash, no backslash, no control characters, also after the
 * browser has resolved its dots (`/..//evil.example`), and not a sign-in page. Undefined otherwise.
 */
export function safePath(path: unknown): string | undefined {
  if (typeof path !== 'string' || path.length > 2000) return undefined;
  if (!path.startsWith('/') || path.startsWith('//') || /[\\\u0000-\u001f\u007f]/.test(path)) return undefined;
  const { pathname } = new URL(path, 'https://portal.invalid');
  return pathname.startsWith('//') || authServices.test(pathname) ? undefined : path;
}
