/**
 * Simulated sources of indicators: a collection by TAXII 2.1 (OASIS standard of 10 June 2021), and the search for attributes of MISP
 * (https://www.misp-project.org/openapi/, read in November 2026).
 */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { type Disturbance, serveVendor, type VendorAnswer, type VendorRequest } from './vendor.ts';

export interface IntelligenceSource {
  url: string;
  /** Objects or attributes, in the order of their addition. Changes show at the next request. */
  objects: Record<string, unknown>[];
  disturb(...list: Disturbance[]): void;
  refuse(isRefused: boolean): void;
  /** Announces one page after the other, without an end. */
  neverEnd(isEndless: boolean): void;
  /** Requests so far, as their query or body. */
  requests: Record<string, unknown>[];
  close(): Promise<void>;
}

interface Switches {
  isRefused: boolean;
  isEndless: boolean;
}
type Answer = (
  request: VendorRequest,
  source: Pick<IntelligenceSource, 'objects' | 'requests'>,
  switches: Switches,
) => VendorAnswer;

async function start(answer: Answer, port?: number): Promise<IntelligenceSource> {
  const switches: Switches = { isRefused: false, isEndless: false };
  const source = { objects: [] as Record<string, unknown>[], requests: [] as Record<string, unknown>[] };
  const { url, disturb, close } = await serveVendor((request) => answer(request, source, switches), port);
  return {
    ...source,
    url,
    disturb,
    close,
    refuse: (isRefused) => {
      switches.isRefused = isRefused;
    },
    neverEnd: (isEndless) => {
      switches.isEndless = isEndless;
    },
  };
}

export const taxiiCredentials = { user: 'feed', secret: 'taxii-password' };
export const taxiiCollection = '91a7b528-80eb-42ed-a74d-c6fbd5a26116';
const taxiiPage = 3;

/** Each object is added at `date_added`, a field that is not sent. */
const answerTaxii: Answer = ({ url, headers }, { objects, requests }, { isRefused, isEndless }) => {
  const query = Object.fromEntries(url.searchParams);
  requests.push(query);
  const expected = `Basic ${Buffer.from(`${taxiiCredentials.user}:${taxiiCredentials.secret}`).toString('base64')}`;
  if (isRefused || headers.authorization !== expected)
    return { status: 401, body: { title: 'Unauthorized', http_status: '401' } };
  if (url.pathname !== `/api/collections/${taxiiCollection}/objects/`)
    return { status: 404, body: { title: 'No collection', http_status: '404' } };
  const since = Date.parse(query.added_after ?? '') || 0;
  const wanted = objects.filter(({ date_added }) => Date.parse(String(date_added)) > since);
  const from = Number(query.next ?? 0);
  const page = isEndless ? wanted.slice(0, 1) : wanted.slice(from, from + taxiiPage);
  const more = isEndless || from + taxiiPage < wanted.length;
  const dates = page.map(({ date_added }) => String(date_added));
  return {
    headers: {
      'content-type': 'application/taxii+json;version=2.1',
      ...(dates.length > 0 && { 'x-taxii-date-added-first': dates[0]!, 'x-taxii-date-added-last': dates.at(-1)! }),
    },
    body: {
      ...(more && { more, next: String(isEndless ? from + 1 : from + taxiiPage) }),
      ...(page.length > 0 && { objects: page.map(({ date_added, ...object }) => object) }),
    },
  };
};

export const mispKey = 'misp-key';

/** Each attribute is of a published event unless `isUnpublished`, a field that is not sent, is set. */
const answerMisp: Answer = ({ method, url, headers, body }, { objects, requests }, { isRefused, isEndless }) => {
  if (isRefused || headers.authorization !== mispKey)
    return { status: 403, body: { name: 'Authentication failed.', message: 'Authentication failed.', url: url.pathname } };
  if (method !== 'POST' || url.pathname !== '/attributes/restSearch') return { status: 404, body: { message: 'Not found' } };
  const search = JSON.parse(body);
  requests.push(search);
  const { page, limit, type, deleted, published, timestamp = 0 } = search;
  const wanted = objects.filter(
    (each) =>
      type.includes(each.type) &&
      deleted.includes(Number(each.deleted ?? 0)) &&
      !(published && each.isUnpublished) &&
      Number(each.timestamp) >= Number(timestamp),
  );
  const from = isEndless ? 0 : (page - 1) * limit;
  const Attribute = wanted.slice(from, from + limit).map(({ isUnpublished, ...attribute }) => attribute);
  return { body: { response: { Attribute } } };
};

export const startTaxii = (port?: number) => start(answerTaxii, port);
export const startMisp = (port?: number) => start(answerMisp, port);

/** Values of the demo's feeds, by kind, as its form takes them. */
export type FeedExamples = Record<'taxii' | 'misp', { url: string; collection: string; user: string; secret: string }>;

/**
 * Starts both for the demo with invented indicators that no story uses: those of one campaign, of which a pattern cannot be read, and attributes.
 * @param port of the first; the other follows
 */
export async function startDemoIntelligence(
  port: number,
): Promise<{ origins: string[]; examples: FeedExamples; close(): Promise<void> }> {
  const [taxii, misp] = [await startTaxii(port), await startMisp(port === 0 ? 0 : port + 1)];
  const now = Date.now();
  const domains = ['mail', 'login', 'files', 'status', 'cdn', 'vpn'].map((name) => `${name}.courier-notice.example`);
  const patterns = [
    ...domains.map((domain) => `[domain-name:value = '${domain}']`),
    `[file:hashes.'SHA-256' = '${'5c0f1e7a9b3d2468'.repeat(4)}']`,
    "[process:command_line MATCHES 'rundll32']",
  ];
  for (const [at, pattern] of patterns.entries()) {
    const added = new Date(now - (patterns.length - at) * hourMs).toISOString();
    const id = `indicator--5f0d6c1e-2b7a-4c93-9e41-0000000000${at + 10}`;
    const dates = { created: added, modified: added, valid_from: added, date_added: added };
    const name = `Courier notice ${at + 1}`;
    taxii.objects.push({ type: 'indicator', spec_version: '2.1', id, name, pattern, pattern_type: 'stix', ...dates });
  }
  const attributes = ['sync.parcel-office.example', 'cdn.parcel-counter.example', 'id.parcel-counter.example'];
  for (const [at, value] of attributes.entries()) {
    const uuid = `7d3b9a40-61ce-4f28-8a15-0000000000${at + 10}`;
    const timestamp = String(Math.floor((now - (attributes.length - at) * hourMs) / 1_000));
    misp.objects.push({ uuid, type: 'domain', value, to_ids: true, deleted: false, timestamp });
  }
  return {
    origins: [taxii.url, misp.url],
    examples: {
      taxii: { url: `${taxii.url}/api/`, collection: taxiiCollection, ...taxiiCredentials },
      misp: { url: misp.url, collection: '', user: '', secret: mispKey },
    },
    close: async () => void (await Promise.all([taxii.close(), misp.close()])),
  };
}
