/** Bearer tokens: signed by the portal, valid for an hour and only together with their live session row. */
import { errors, jwtVerify, SignJWT } from 'jose';

const issuer = 'portal';
const audience = 'portal';
const type = 'at+jwt';
const lifetimeSeconds = 3600;

export interface TokenClaims {
  userId: number;
  sessionId: string;
  /** Seconds since 1970, UTC. */
  expiresAt: number;
}

export function createTokens(secret: Uint8Array) {
  // Imported once: jose would import raw bytes for each token.
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

    /** Claims of a valid token; undefined for one that is foreign, altered or expired. */
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
