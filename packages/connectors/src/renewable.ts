/** Credentials that a vendor issues for a time: the latest one is used until it expires. */
import type { Clock } from '@parapet/contract/rules/clock.ts';
import { RefusedError } from './errors.ts';

export interface Renewable<Credential> {
  /** Runs with a credential; once more with a new one where the latest one is refused. */
  run<T>(work: (credential: Credential) => Promise<T>): Promise<T>;
}

/** @param renew returns a credential, and until when it is used, in milliseconds since 1970 */
export function createRenewable<Credential>(
  clock: Clock,
  renew: () => Promise<{ credential: Credential; until: number }>,
): Renewable<Credential> {
  let latest: { credential: Credential; until: number } | undefined;
  const renewed = async () => {
    latest = await renew();
    return latest.credential;
  };
  return {
    async run(work) {
      const known = latest && latest.until > clock.now() ? latest : undefined;
      try {
        return await work(known ? known.credential : await renewed());
      } catch (error) {
        if (!known || !(error instanceof RefusedError)) throw error;
        return work(await renewed());
      }
    },
  };
}
