/** Bearer tokens: signed by us, one hour, and worth nothing without the session row that they name. */
import { errors, jwtVerify, SignJWT } from 'jose';

const issuer = 'portal';
const audience = 'portal';
const type = 'at+jwt';
const lifetimeSeconds = 3600;

export interface TokenClaims {
  userId: number;
  sessionId: string;
  /** Seconds since 1970. */
  expiresAt: number;
}

export function createTokens(secret: Uint8Array) {
  // Once: jose would take the bytes in anew at each token.
  const imported = crypto.subtle.importKey('raw', Uint8Array.from(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);
  return {
    async issue(userId: number, sessionId: string): Promise<string> {
      return new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: 'HS256', typ: type })
        .setSubject(String(userId))
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime(`${lifetimeSeconds}s`)
        .sign(await imported);
    },

    /** Undefined for a token that is not ours, was tampered with or has expired. */
    async read(token: string): Promise<TokenClaims | undefined> {
      try {
        const { payload } = await jwtVerify(token, await imported, { algorithms: ['HS256'], issuer, audience, typ: type });
        const userId = Number(payload.sub);
        if (!Number.isSafeInteger(userId) || typeof payload.sid !== 'string' || typeof payload.exp !== 'number') return undefined;
        return { userId, sessionId: payload.sid, expiresAt: payload.exp };
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}

export type Tokens = ReturnType<typeof createTokens>;
