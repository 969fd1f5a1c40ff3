/** Access tokens by the client credentials of an application (RFC 6749, section 4.4), kept until they expire. */
import type { Http } from './connector.ts';
import { RefusedError, RequestError } from './errors.ts';
import { requestJson } from './requests.ts';
import { objectOf, textOf } from './values.ts';

const expiryMarginMs = 60_000;

export interface Tokens {
  /** Runs with a token; once more with a new one where a kept one is refused. */
  run<T>(work: (token: string) => Promise<T>): Promise<T>;
}

/** @param form builds the body of a request for a token */
export function createTokens(http: Http, vendor: string, url: string, form: () => Promise<Record<string, string>>): Tokens {
  let kept: { token: string; until: number } | undefined;

  const renew = async (): Promise<string> => {
    const body = new URLSearchParams(await form());
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    try {
      const answer = objectOf((await requestJson(http, vendor, url, { method: 'POST', headers, body: body.toString() })).body);
      const token = textOf(answer?.access_token);
      if (token === undefined) throw new RefusedError(`${vendor} returned no access token.`);
      const seconds = Number(answer?.expires_in);
      kept = { token, until: Date.now() + (Number.isFinite(seconds) ? seconds * 1_000 : 300_000) - expiryMarginMs };
      return token;
    } catch (error) {
      // Faulty credentials are a bad request here.
      throw error instanceof RequestError ? new RefusedError(error.message) : error;
    }
  };

  return {
    async run(work) {
      const isKept = kept !== undefined && kept.until > Date.now();
      try {
        return await work(isKept ? kept!.token : await renew());
      } catch (error) {
        if (!isKept || !(error instanceof RefusedError)) throw error;
        return work(await renew());
      }
    },
  };
}
