/**
 * Simulated publishers of EPSS scores and of known exploited vulnerabilities, as published (FIRST's data page, and CISA's catalogue, read in November
 * 2026): the current scores redirect to the packed file of their day.
 */
import { gzipSync } from 'node:zlib';
import { type Disturbance, serveVendor, type VendorAnswer } from './vendor.ts';

export interface FeedContent {
  /** CSV of a day, YYYY-MM-DD. */
  epss(day: string): string;
  /** JSON of the catalogue. */
  kev(): string;
}

export interface Feeds {
  urls: { epss: string; kev: string };
  /** Spoils the next responses, one each. */
  disturb(...list: Disturbance[]): void;
  requests(): number;
  close(): Promise<void>;
}

const missing: VendorAnswer = { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>Not Found</html>' };

export async function startFeeds(content: FeedContent, port?: number): Promise<Feeds> {
  const server = await serveVendor(({ url }) => {
    if (url.pathname === '/epss_scores-current.csv.gz') {
      const day = new Date().toISOString().slice(0, 10);
      return { status: 302, headers: { location: `/epss_scores-${day}.csv.gz` }, body: '' };
    }
    const day = /^\/epss_scores-(\d{4}-\d\d-\d\d)\.csv\.gz$/.exec(url.pathname)?.[1];
    if (day !== undefined) return { headers: { 'content-type': 'application/gzip' }, body: gzipSync(content.epss(day)) };
    return url.pathname === '/known_exploited_vulnerabilities.json' ? { body: content.kev() } : missing;
  }, port);
  return {
    ...server,
    urls: { epss: `${server.url}/epss_scores-current.csv.gz`, kev: `${server.url}/known_exploited_vulnerabilities.json` },
  };
}
