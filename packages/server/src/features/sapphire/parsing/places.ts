/** Industries, cities and states of clients as values: "clients in healthcare", "alerts of Springfield". */
import type { Item, Option } from './items.ts';
import type { Lexicon } from './lexicon.ts';

export interface NamedClient {
  id: number;
  name: string;
  isPartner: boolean;
  industry?: string;
  city?: string;
  state?: string;
}

export interface Place {
  field: 'industry' | 'city' | 'state';
  value: string;
  /** Names of the clients there. */
  clients: string[];
}

/** Common names of industries, by a word of the name that is kept. */
const industryWords: Readonly<Record<string, string>> = {
  health: 'healthcare, health care, medical, hospital, clinic',
  financ: 'finance, financial, bank, banking',
  bank: 'finance, financial, bank, banking',
  educat: 'education, educational, school, university, college',
  manufactur: 'manufacturing, manufacturer, factory, industrial',
  logist: 'logistics, transport, transportation, shipping',
  pharma: 'pharma, pharmaceutical, biotech, life science',
  bio: 'biotech, biotechnology, life science',
  retail: 'retail, retailer, shop',
  energy: 'energy, utility, power',
  critical: 'critical infrastructure',
  government: 'government, public sector, public',
};
const nouns = ['industry', 'sector', 'branch', 'vertical', 'business', 'company'];
const maxClients = 50;

/** Names of places in lower case, each with its place. */
export function placesOf(clients: readonly NamedClient[]): [name: string, place: Place][] {
  const places = new Map<string, Place>();
  const put = (field: Place['field'], value: string | undefined, name: string) => {
    if (!value?.trim()) return;
    const key = `${field} ${value.trim().toLowerCase()}`;
    const known = places.get(key) ?? { field, value: value.trim(), clients: [] };
    known.clients.push(name);
    places.set(key, known);
  };
  for (const { name, isPartner, industry, city, state } of clients) {
    if (isPartner) continue;
    put('industry', industry, name);
    put('city', city, name);
    put('state', state, name);
  }
  return [...places.values()]
    .filter((place) => place.clients.length <= maxClients)
    .flatMap((place) => saidOf(place).map((name): [string, Place] => [name, place]));
}

function saidOf({ field, value }: Place): string[] {
  const own = value.toLowerCase();
  if (field === 'city') return [own];
  // "ME", "OR" and "IN" are words.
  if (field === 'state') return own.length > 2 ? [own] : [`state ${own}`, `the state of ${own}`];
  const words = Object.entries(industryWords).flatMap(([part, words]) => (own.includes(part) ? words.split(', ') : []));
  const all = [...new Set([own, ...words])];
  return all.flatMap((word) => [
    word,
    ...nouns.flatMap((noun) => [`${word} ${noun}`, `${word} ${noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`}`]),
  ]);
}

/** A filter by the attribute of a client, and by the names of the clients there for everything of theirs. */
export function placeItem({ schemas }: Lexicon, { field, value, clients }: Place): Item {
  const options = Object.values(schemas).flatMap(({ entity, attributes }): Option[] =>
    entity === 'client'
      ? [{ entity, field, filter: { field, in: [value] } }]
      : attributes.client?.type === 'name'
        ? [{ entity, field: 'client', filter: { field: 'client', in: clients } }]
        : [],
  );
  return { kind: 'value', options, isName: true, label: value };
}
