/** Discovery of OpenID Connect providers by issuer: cached for an hour, fetched only from public addresses. */
import * as oidc from 'openid-client';
import type { Clock } from '../../core/clock.ts';
import type { Outbound } from '../../core/outbound.ts';

export interface Provider {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

const maxCached = 100;
const cacheMs = 60 * 60_000;
const timeoutSeconds = 5;

export type Issuers = ReturnType<typeof createIssuers>;

export function createIssuers({
  outbound,
  clock,
  allowsInsecure,
}: {
  outbound: Outbound;
  clock: Clock;
  /** Allows issuers over plain HTTP, for tests. */
  allowsInsecure: boolean;
}) {
  const cache = new Map<string, { until: number; config: Promise<oidc.Configuration> }>();

  const discover = async ({ issuer, clientId, clientSecret }: Provider): Promise<oidc.Configuration> => {
    const config = await oidc.discovery(
      new URL(issuer),
      clientId,
      clientSecret === '' ? {} : { client_secret: clientSecret },
      clientSecret === '' ? oidc.None() : undefined,
      {
        [oidc.customFetch]: outbound.fetch,
        timeout: timeoutSeconds,
        // Verifies the token’s signature, not only the TLS connection.
        execute: [oidc.enableNonRepudiationChecks, ...(allowsInsecure ? [oidc.allowInsecureRequests] : [])],
      },
    );
    config.timeout = timeoutSeconds;
    return config;
  };

  return {
    find(provider: Provider): Promise<oidc.Configuration> {
      const key = JSON.stringify(provider);
      const cached = cache.get(key);
      if (cached && cached.until > clock.now()) return cached.config;
      const config = discover(provider);
      cache.delete(key);
      cache.set(key, { until: clock.now() + cacheMs, config });
      if (cache.size > maxCached) cache.delete(cache.keys().next().value as string);
      // A failed discovery is not cached.
      config.catch(() => cache.get(key)?.config === config && cache.delete(key));
      return config;
    },
  };
}
