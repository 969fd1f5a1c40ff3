/** Objects of a collection by TAXII 2.1 (OASIS standard of 10 June 2021, §5.4): `added_after`, pages by `next`, indicators only. */
import { UnavailableError } from '../errors.ts';
import { requestJson } from '../requests.ts';
import { objectOf, textOf } from '../values.ts';
import { addressOf, type FeedValues, feedPageSize, type ReadFeedPage } from './feed.ts';

const vendor = 'The TAXII server';
const maxNext = 2_000;

function authorisationOf({ user, secret }: FeedValues): Record<string, string> {
  if (user !== '') return { authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` };
  return secret === '' ? {} : { authorization: `Bearer ${secret}` };
}

export const readTaxii: ReadFeedPage = async (http, values, { since, next, newest }) => {
  const address = addressOf(values.url, `collections/${encodeURIComponent(values.collection)}/objects/`);
  address.searchParams.set('limit', String(feedPageSize));
  address.searchParams.set('match[type]', 'indicator');
  if (since !== undefined) address.searchParams.set('added_after', since);
  if (next !== undefined) address.searchParams.set('next', next);
  const headers = { accept: 'application/taxii+json;version=2.1', ...authorisationOf(values) };
  const { body, headers: answered } = await requestJson(http, vendor, address.href, { headers });
  const envelope = objectOf(body);
  const objects = envelope?.objects ?? [];
  if (!envelope || !Array.isArray(objects)) throw new UnavailableError(`${vendor} returned something that is not an envelope.`);
  const last = answered.get('x-taxii-date-added-last');
  const page = { objects, newest: last !== null && Number.isFinite(Date.parse(last)) ? last : (newest ?? since) };
  if (envelope.more !== true) return page;
  const following = textOf(envelope.next);
  if (following === undefined || following.length > maxNext || following === next || objects.length === 0)
    throw new UnavailableError(`${vendor} announced another page without a way to read it.`);
  return { ...page, next: following };
};
