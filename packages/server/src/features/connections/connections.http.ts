/** Requests of connectors: through `core/outbound` only, with addresses of this network refused in words. */
import type { Http } from '@parapet/connectors/connector.ts';
import { RefusedError } from '@parapet/connectors/errors.ts';
import { NotPublic, type Outbound } from '../../core/outbound.ts';

export const createVendorHttp =
  (outbound: Pick<Outbound, 'fetch'>): Http =>
  async (url, init) => {
    try {
      return await outbound.fetch(url, init);
    } catch (error) {
      if (error instanceof NotPublic || (error as Error).cause instanceof NotPublic)
        throw new RefusedError(`${new URL(url).host} isn’t a public https address, so the portal doesn’t connect to it.`);
      throw error;
    }
  };
