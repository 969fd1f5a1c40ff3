/** Link of the invitation, for the way back from the vendor: of this tab alone, and gone with it. */
const key = 'connect-link';

export function rememberLink(token: string): void {
  try {
    sessionStorage.setItem(key, token);
  } catch {
    // Without storage the email has the link.
  }
}

export function recalledLink(): string | undefined {
  try {
    const token = sessionStorage.getItem(key);
    return token !== null && /^[\w-]{1,200}$/.test(token) ? `/connect/${token}` : undefined;
  } catch {
    return undefined;
  }
}
