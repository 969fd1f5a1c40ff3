/**
 * Attributes of a MISP instance by `POST /attributes/restSearch` (https://www.misp-project.org/openapi/, read in November 2026). Deleted attributes and
 * those not for detection are requested as well, because they end what was read before.
 */
import { UnavailableError } from '../errors.ts';
import { requestJson } from '../requests.ts';
import { objectOf } from '../values.ts';
import { addressOf, feedPageSize, type ReadFeedPage } from './feed.ts';

const vendor = 'MISP';
const hashes = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'];
const types = [
  ...['ip-src', 'ip-dst', 'ip-src|port', 'ip-dst|port', 'domain', 'hostname', 'hostname|port', 'domain|ip'],
  ...hashes,
  ...hashes.map((hash) => `filename|${hash}`),
];

/** Seconds since 1970, as MISP has them in text. */
const secondsOf = (value: unknown): number => {
  const at = typeof value === 'string' || typeof value === 'number' ? Number(value) : 0;
  return Number.isSafeInteger(at) ? at : 0;
};

export const readMisp: ReadFeedPage = async (http, values, { since, next, newest }) => {
  const page = next === undefined ? 1 : Number(next);
  const tags = values.tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  const search = {
    returnFormat: 'json',
    page,
    limit: feedPageSize,
    type: types,
    deleted: [0, 1],
    ...(since !== undefined && { timestamp: since }),
    ...(tags.length > 0 && { tags }),
    ...(values.isPublishedOnly && { published: true }),
  };
  const { body } = await requestJson(http, vendor, addressOf(values.url, 'attributes/restSearch').href, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', authorization: values.secret },
    body: JSON.stringify(search),
  });
  const objects = objectOf(objectOf(body)?.response)?.Attribute;
  if (!Array.isArray(objects)) throw new UnavailableError(`${vendor} returned something that is not a list of attributes.`);
  let latest = secondsOf(newest ?? since);
  for (const each of objects) latest = Math.max(latest, secondsOf(objectOf(each)?.timestamp));
  return {
    objects,
    newest: latest > 0 ? String(latest) : undefined,
    ...(objects.length >= feedPageSize && { next: String(page + 1) }),
  };
};
