/** The first calls of a start, which `public/scheme.js` sends while the base is still downloaded: the token's check and the brand. */

/** Responses by method, address and body. */
type Sent = Map<string, Promise<Response>>;
const { early } = globalThis as { early?: Sent };

/** `fetch` that takes the response of the same request sent early, once each; where that failed, the request is sent again. */
export const createFetch =
  (fetch: typeof globalThis.fetch, sent: Sent | undefined): typeof globalThis.fetch =>
  (input, init) => {
    const key = `${init?.method} ${input} ${init?.body ?? ''}`;
    const response = sent?.get(key);
    sent?.delete(key);
    return response ? response.catch(() => fetch(input, init)) : fetch(input, init);
  };

export const earlyFetch = createFetch((input, init) => globalThis.fetch(input, init), early);
