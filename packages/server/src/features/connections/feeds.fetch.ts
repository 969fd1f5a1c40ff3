/** Files of the feeds: fetched over a few redirects, each of which is checked as the first address is, and unpacked. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Http } from '@parapet/connectors/connector.ts';
import { UnavailableError } from '@parapet/connectors/errors.ts';
import { requestBytes } from '@parapet/connectors/requests.ts';
import { type FeedKind, feedTitles } from '@parapet/contract/advisoryFeeds.ts';

export interface FeedAbout {
  title: string;
  publisher: string;
  documentation: string;
  url: string;
}

/** Addresses as published in November 2026. */
export const feedsAbout: Readonly<Record<FeedKind, FeedAbout>> = {
  epss: {
    title: feedTitles.epss,
    publisher: 'FIRST',
    documentation: 'https://www.first.org/epss/data_stats',
    url: 'https://epss.empiricalsecurity.com/epss_scores-current.csv.gz',
  },
  kev: {
    title: feedTitles.kev,
    publisher: 'CISA',
    documentation: 'https://www.cisa.gov/known-exploited-vulnerabilities-catalog',
    url: 'https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json',
  },
};

/** The scores of today stand behind a redirect. */
const maxRedirects = 3;
const maxUnpackedBytes = 200 * 1024 * 1024;

const following =
  (http: Http): Http =>
  async (url, init) => {
    let at = url;
    for (let hops = 0; ; hops++) {
      const response = await http(at, init);
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || location === null) return response;
      await response.body?.cancel();
      if (hops === maxRedirects) throw new UnavailableError(`${new URL(url).host} redirects more than ${maxRedirects} times.`);
      if (!URL.canParse(location, at)) throw new UnavailableError(`${new URL(at).host} redirects to no address.`);
      at = new URL(location, at).href;
    }
  };

export interface FeedFile {
  /** SHA-256 of the file as it was sent. */
  digest: Buffer;
  /** Of the unpacked file. Throws an `UnavailableError` where it can't be unpacked. */
  stream(): AsyncGenerator<Uint8Array>;
}

/** Throws an `errors.ts` error of connectors. */
export async function fetchFeed(http: Http, publisher: string, url: string): Promise<FeedFile> {
  const { bytes } = await requestBytes(following(http), publisher, url, { headers: { accept: '*/*' } });
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return {
    digest: createHash('sha256').update(bytes).digest(),
    async *stream() {
      if (!isPacked) return yield bytes;
      const unpacked = Readable.from([bytes]).pipe(createGunzip());
      let length = 0;
      try {
        for await (const chunk of unpacked as AsyncIterable<Buffer>) {
          length += chunk.length;
          if (length > maxUnpackedBytes) throw new UnavailableError(`The file of ${publisher} is too large.`);
          yield chunk;
        }
      } catch (error) {
        throw error instanceof UnavailableError
          ? error
          : new UnavailableError(`The file of ${publisher} is damaged or incomplete.`);
      } finally {
        unpacked.destroy();
      }
    },
  };
}
