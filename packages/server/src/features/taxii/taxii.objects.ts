/** Shared indicators as STIX 2.1 objects of a collection. */
import { isIP } from 'node:net';
import {
  addressOf,
  hashNames,
  indicatorTypes,
  markings,
  patternOf,
  type StixObject,
  type StixSource,
} from '../../domain/stix.ts';
import type { SharedIndicator } from './taxii.store.ts';

export const collectionTlps = ['green', 'amber'] as const;
export type CollectionTlp = (typeof collectionTlps)[number];

/** Ids are of the installation: RFC 4122 form, the same on every portal of it. */
export const collectionIds: Record<CollectionTlp, string> = {
  green: '6c1f4a52-9d0e-4b7a-8f35-2a9be6b0a001',
  amber: '6c1f4a52-9d0e-4b7a-8f35-2a9be6b0a002',
};

export const tlpOf = (id: string): CollectionTlp | undefined =>
  collectionTlps.find((tlp) => collectionIds[tlp] === id.toLowerCase());

function observableOf({ kind, value }: Pick<SharedIndicator, 'kind' | 'value'>): StixObject | undefined {
  if (kind === 'domain') return { type: 'domain-name', id: '', value };
  const hash = hashNames[value.length];
  if (kind === 'hash') return hash === undefined ? undefined : { type: 'file', id: '', hashes: { [hash]: value } };
  const address = addressOf(value);
  return address === undefined ? undefined : { type: isIP(address) === 4 ? 'ipv4-addr' : 'ipv6-addr', id: '', value: address };
}

/** Undefined for a hash that STIX does not name. TLP:GREEN names neither client nor case. */
export function indicatorOf(row: SharedIndicator, tlp: CollectionTlp, source: StixSource): StixObject | undefined {
  const observable = observableOf(row);
  const pattern = observable && patternOf(observable);
  if (pattern === undefined) return undefined;
  const created = row.addedAt.toISOString();
  const url = `${source.origin}/apps/case/${row.caseId}`;
  return {
    type: 'indicator',
    spec_version: '2.1',
    id: row.objectId,
    created,
    modified: created,
    name: row.value,
    indicator_types: [indicatorTypes[row.reputation]],
    pattern,
    pattern_type: 'stix',
    pattern_version: '2.1',
    valid_from: row.firstAt.toISOString(),
    object_marking_refs: [markings[tlp].id],
    ...(tlp === 'amber' && {
      description: `Seen at ${row.client}.`,
      external_references: [{ source_name: source.name, external_id: String(row.caseId), url }],
    }),
  };
}
