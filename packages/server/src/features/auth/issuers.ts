/** Identity providers as OpenID Connect shows them: found by their issuer, remembered for a while, asked only at public addresses. */
import * as oidc from 'openid-client';
import type { Clock } from '../../core/clock.ts';
import type { Outbound } from '../../core/outbound.ts';

export interface Provider {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

const maxRemembered = 100;
const rememberedMs = 60 * 60_000;
const timeoutSeconds = 5;

export type Issuers = ReturnType<typeof createIssuers>;

export function createIssuers({
  outbound,
  clock,
  allowsInsecure,
}: {
  outbound: Outbound;
  clock: Clock;
  /** For tests on one machine: issuers over http. */
  allowsInsecure: boolean;
}) {
  const remembered = new Map<string, { until: number; config: Promise<oidc.Configuration> }>();

  const discover = async ({ issuer, clientId, clientSecret }: Provider): Promise<oidc.Configuration> => {
    const config = await oidc.discovery(
      new URL(issuer),
      clientId,
      clientSecret === '' ? {} : { client_secret: clientSecret },
      clientSecret === '' ? oidc.None() : undefined,
      {
        [oidc.customFetch]: outbound.fetch,
        timeout: timeoutSeconds,
        // The provider's signature counts, not only the connection that its token came through.
        execute: [oidc.enableNonRepudiationChecks, ...(allowsInsecure ? [oidc.allowInsecureRequests] : [])],
      },
    );
    config.timeout = timeoutSeconds;
    return config;
  };

  return {
    find(provider: Provider): Promise<oidc.Configuration> {
      const key = JSON.stringify(provider);
      const known = remembered.get(key);
      if (known && known.until > clock.now()) return known.config;
      const config = discover(provider);
      remembered.delete(key);
      remembered.set(key, { until: clock.now() + rememberedMs, config });
      if (remembered.size > maxRemembered) remembered.delete(remembered.keys().next().value as string);
      // What failed is asked again.
      config.catch(() => remembered.get(key)?.config === config && remembered.delete(key));
      return config;
    },
  };
}
