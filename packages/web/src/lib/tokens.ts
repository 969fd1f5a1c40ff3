/**
 * The bearer token: one in memory for this tab’s calls, one stored under `jwt_access_token` for all tabs and the next visit. Without
 * storage (private windows, policies) this tab works on and the next visit starts as a guest.
 */
export const tokenKey = 'jwt_access_token';

export interface Tokens {
  /** The token of this tab’s calls. */
  current: () => string | undefined;
  /** The stored token, perhaps of another tab. */
  stored: () => string | undefined;
  /** Sets it in memory and in storage. */
  keep: (token: string) => void;
  /** Sets it in memory only, after another tab stored it. */
  adopt: (token: string) => void;
  /** Removes both. */
  clear: () => void;
}

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem'>;

export function createTokens(storage: () => Storage): Tokens {
  let token: string | undefined;
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      console.warn('The browser refused to store the token.', error);
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

/** The claims of a token, unverified: only the server can verify them. undefined for malformed tokens and those without expiry. */
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
