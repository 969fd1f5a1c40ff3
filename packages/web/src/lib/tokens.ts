/**
 * The bearer token: one in memory for this tab's calls, one stored under `jwt_access_token` for all tabs and the next start. Storage
 * may be refused (private windows, policies); then this tab works on and the next start is a guest's.
 */
export const tokenKey = 'jwt_access_token';

export interface Tokens {
  /** What this tab's calls carry. */
  current: () => string | undefined;
  /** What is stored, perhaps by another tab. */
  stored: () => string | undefined;
  /** Keeps it in memory and in storage. */
  keep: (token: string) => void;
  /** Keeps it in memory only: another tab has stored it. */
  adopt: (token: string) => void;
  /** Forgets both. */
  clear: () => void;
}

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem'>;

export function createTokens(storage: () => Storage): Tokens {
  let token: string | undefined;
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      console.warn('The browser does not let the sign-in be stored.', error);
      return undefined;
    }
  };
  return {
    current: () => token,
    stored: () => attempt(() => storage().getItem(tokenKey)) || undefined,
    keep: (next) => {
      token = next;
      attempt(() => storage().setItem(tokenKey, next));
    },
    adopt: (next) => {
      token = next;
    },
    clear: () => {
      token = undefined;
      attempt(() => storage().removeItem(tokenKey));
    },
  };
}

export const tokens = createTokens(() => globalThis.localStorage);

export interface Claims {
  sub: string | undefined;
  /** Milliseconds since 1970. */
  issuedAt: number | undefined;
  expiresAt: number;
}

/** What a token says about itself, unproved: only the server can believe it. undefined for what is no token, or never expires. */
export function claimsOf(token: string): Claims | undefined {
  try {
    const part = token.split('.')[1] ?? '';
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
    const { sub, iat, exp } = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    if (typeof exp !== 'number') return undefined;
    return {
      sub: sub === undefined ? undefined : String(sub),
      issuedAt: typeof iat === 'number' ? iat * 1000 : undefined,
      expiresAt: exp * 1000,
    };
  } catch {
    return undefined;
  }
}
