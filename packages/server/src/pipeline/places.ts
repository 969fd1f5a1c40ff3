/** Country and network of an event’s addresses, and registrable domains of its names, as ECS has them. Fields of the event itself stay. */
import { getDomain } from 'tldts';
import { networkOf } from '../domain/networks.ts';
import type { Document } from './event.ts';
import { fill, first, isObject, section } from './normalise/doc.ts';

const ends = ['source', 'destination', 'client', 'server'] as const;

export function fillPlaces(document: Document): void {
  for (const end of ends) {
    const place = document[end];
    if (!isObject(place)) continue;
    fillNetwork(place);
    fillDomain(place, place.domain);
  }
  const { url, dns } = document;
  if (isObject(url)) fillDomain(url, url.domain);
  if (isObject(dns) && isObject(dns.question)) fillDomain(dns.question, dns.question.name);
}

function fillNetwork(place: Document): void {
  const address = first(place.ip);
  const network = typeof address === 'string' ? networkOf(address) : undefined;
  if (!network) return;
  const { country, system } = network;
  if (country !== undefined && !(isObject(place.geo) && place.geo.country_name !== undefined))
    fill(section(place, 'geo'), 'country_iso_code', country);
  if (system === undefined || place.as !== undefined) return;
  place.as = { number: system.number, ...(system.organisation !== '' && { organization: { name: system.organisation } }) };
}

/** Names of events repeat: one look into the public suffix list for each. */
const domains = new Map<string, string | null>();
const maxDomains = 20_000;
const longestName = 253;

function fillDomain(place: Document, value: unknown): void {
  const name = first(value);
  if (typeof name !== 'string' || name === '' || name.length > longestName || place.registered_domain !== undefined) return;
  let domain = domains.get(name);
  if (domain === undefined) {
    domain = getDomain(name, { allowPrivateDomains: false, validateHostname: true });
    if (domains.size >= maxDomains) domains.clear();
    domains.set(name, domain);
  }
  if (domain !== null) place.registered_domain = domain;
}
