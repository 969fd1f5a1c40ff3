/** Access tokens by the client credentials of an application (RFC 6749, section 4.4), kept until they expire. */
import type { Clock } from '@parapet/contract/rules/clock.ts';
import type { Http } from './connector.ts';
import { RefusedError, RequestError } from './errors.ts';
import { createRenewable, type Renewable } from './renewable.ts';
import { requestJson } from './requests.ts';
import { objectOf, textOf } from './values.ts';

const expiryMarginMs = 60_000;

export type Tokens = Renewable<string>;

/** @param form builds the body of a request for a token */
export function createTokens(
  http: Http,
  clock: Clock,
  vendor: string,
  url: string,
  form: () => Promise<Record<string, string>>,
): Tokens {
  return createRenewable(clock, async () => {
    const body = new URLSearchParams(await form());
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    try {
      const answer = objectOf((await requestJson(http, vendor, url, { method: 'POST', headers, body: body.toString() })).body);
      const token = textOf(answer?.access_token);
      if (token === undefined) throw new RefusedError(`${vendor} returned no access token.`);
      const seconds = Number(answer?.expires_in);
      return { credential: token, until: clock.now() + (Number.isFinite(seconds) ? seconds * 1_000 : 300_000) - expiryMarginMs };
    } catch (error) {
      // Faulty credentials are a bad request here.
      throw error instanceof RequestError ? new RefusedError(error.message) : error;
    }
  });
}
