/**
 * A case as a STIX 2.1 bundle (OASIS standard of 10 June 2021, docs.oasis-open.org/cti/stix/v2.1/os): what was observed, indicators with a bad
 * reputation, techniques, and a report that refers to all. Facts of events only: no note, no narrative and no name of an analyst.
 */
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { Artifact, CaseDetail } from '@parapet/contract/caseDetail.ts';
import { statusLabel } from '@parapet/contract/rules/cases.ts';
import { judgementOfDetail, verdictText } from '@parapet/contract/rules/judgement.ts';
import type { Tlp } from '@parapet/contract/rules/stix.ts';
import { attackMatrix } from '../../domain/facts.ts';
import {
  addressOf,
  hashNames,
  indicatorTypes,
  markings,
  markingsSince,
  patternOf,
  type StixObject,
  type StixSource,
  stableId,
  uuidOf,
} from '../../domain/stix.ts';

/** Creation of identities, the same in the bundles of all cases: the date of the standard. */
const identitiesSince = '2021-06-10T00:00:00.000Z';

/** Namespace of ids of observables (§2.9). */
const observables = Buffer.from('00abedb4aa42466c9c01fed23315a9b7', 'hex');

/** Id of an observable by the properties that identify it, in canonical order: the same in every bundle of every producer. */
const observableId = (type: string, contributing: Record<string, unknown>): string => {
  const sorted = JSON.stringify(contributing, (_key, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return `${type}--${uuidOf(createHash('sha1').update(observables).update(sorted).digest(), 5)}`;
};

const sco = (type: string, contributing: Record<string, unknown>): StixObject => ({
  type,
  spec_version: '2.1',
  id: observableId(type, contributing),
  ...contributing,
});

/** A file with its folder, the file first. */
function filesOf(path: string): StixObject[] {
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  const [folder, file] = [path.slice(0, Math.max(at, 0)), path.slice(at + 1)];
  if (folder === '' || file === '') return [sco('file', { name: path })];
  const directory = sco('directory', { path: folder });
  return [sco('file', { name: file, parent_directory_ref: directory.id }), directory];
}

/** Observables of an artifact, the artifact itself first; none for a device, which is an identity, and for unreadable values. */
function observablesOf({ kind, value }: Artifact, seed: string): StixObject[] {
  switch (kind) {
    case 'sourceIp':
    case 'destinationIp': {
      const address = addressOf(value);
      return address === undefined ? [] : [sco(isIP(address) === 4 ? 'ipv4-addr' : 'ipv6-addr', { value: address })];
    }
    case 'domain':
      return [sco('domain-name', { value: value.toLowerCase() })];
    case 'hash': {
      const name = hashNames[value.length];
      return name === undefined || !/^[0-9a-f]+$/i.test(value) ? [] : [sco('file', { hashes: { [name]: value.toLowerCase() } })];
    }
    case 'file':
      return filesOf(value);
    case 'process': {
      const [file, ...folder] = filesOf(value);
      const id = stableId('process', seed, value);
      return [{ type: 'process', spec_version: '2.1', id, image_ref: file!.id }, file!, ...folder];
    }
    case 'user':
      return [sco('user-account', { account_login: value })];
    case 'device':
      return [];
  }
}

const techniqueNames = new Map(
  attackMatrix.flatMap(({ techniques }) =>
    techniques.flatMap(({ id, name, subtechniques }) =>
      [{ id, name }, ...subtechniques].map((each) => [each.id, each.name] as const),
    ),
  ),
);

interface Making {
  detail: CaseDetail;
  source: StixSource;
  /** Address of the case: its objects differ from those of other cases and installations. */
  seed: string;
  /** Newest time of the facts. */
  modified: string;
  /** Time of the export: the change of what has no time of its own, such as a reputation or a name. */
  exported: string;
}

const producerOf = ({ origin, name }: StixSource): string => stableId('identity', origin, name);

function sdo({ detail, source, seed, modified }: Making, type: string, key: string[], rest: Record<string, unknown>): StixObject {
  const id = stableId(type, seed, ...key);
  const created = detail.caseGeneralInfo.createdTime;
  return { type, spec_version: '2.1', id, created_by_ref: producerOf(source), created, modified, ...rest };
}

/** @param modified later than the creation where the name may change under the same id */
const identity = (id: string, name: string, identity_class: string, modified = identitiesSince): StixObject => ({
  ...{ type: 'identity', spec_version: '2.1', id, created: identitiesSince, modified, name, identity_class },
});

/** Objects of one artifact: what was observed and, for one with a bad reputation, an indicator based on it. */
function artifactObjects(making: Making, artifact: Artifact): StixObject[] {
  const { kind, value, reputation, count, firstTime, lastTime } = artifact;
  if (kind === 'device') {
    const { id: client } = making.detail.clientOrganizationDetails.clientOrganization;
    return [identity(stableId('identity', making.source.origin, client, value), value, 'system')];
  }
  const [main, ...more] = observablesOf(artifact, making.seed);
  if (!main) return [];
  const observed = sdo(making, 'observed-data', [kind, value], {
    first_observed: firstTime,
    last_observed: lastTime,
    number_observed: Math.min(Math.max(count, 1), 999_999_999),
    object_refs: [main, ...more].map(({ id }) => id),
  });
  const pattern = reputation === 'Malicious' || reputation === 'Suspicious' ? patternOf(main) : undefined;
  if (pattern === undefined) return [main, ...more, observed];
  const indicator = sdo(making, 'indicator', [main.id], {
    modified: making.exported,
    name: value,
    indicator_types: [indicatorTypes[reputation as keyof typeof indicatorTypes]],
    pattern,
    pattern_type: 'stix',
    pattern_version: '2.1',
    valid_from: firstTime,
  });
  const link = { relationship_type: 'based-on', source_ref: indicator.id, target_ref: observed.id };
  return [main, ...more, observed, indicator, sdo(making, 'relationship', [indicator.id, observed.id], link)];
}

/** A case as its client may see it. Objects of one case keep their ids in every bundle of an installation; the bundle itself is one export. */
export function stixBundle(
  detail: CaseDetail,
  source: StixSource,
  tlp: Tlp,
  now: number,
): { type: 'bundle'; id: string; objects: StixObject[] } {
  const { caseGeneralInfo: info, decisioning } = detail;
  const { clientOrganization: client } = detail.clientOrganizationDetails;
  const modified = modifiedOf(detail);
  const exported = new Date(Math.max(now, Date.parse(modified))).toISOString();
  const making = { detail, source, seed: `${source.origin}/apps/case/${info.id}`, modified, exported };
  const { id: marking, tlp: color } = markings[tlp];
  const content = [
    identity(stableId('identity', source.origin, client.id), client.name, 'organization', exported),
    ...detail.autonomousResponseData.caseArtifacts.flatMap((artifact) => artifactObjects(making, artifact)),
    ...techniquesOf(detail).map((id) =>
      sdo(making, 'attack-pattern', [id], {
        name: techniqueNames.get(id) ?? id,
        external_references: [{ source_name: 'mitre-attack', external_id: id }],
      }),
    ),
  ];
  const about = {
    modified: exported,
    name: `Case ${info.incidentID}: ${info.title}`,
    description: descriptionOf(detail),
    external_references: [{ source_name: source.name, external_id: String(info.incidentID), url: making.seed }],
    ...(typeof decisioning?.confidenceScore === 'number' && { confidence: decisioning.confidenceScore }),
  };
  content.push(sdo(making, 'incident', [], about));
  const objects = [...new Map(content.map((object) => [object.id, object])).values()];
  const types = ['observed-data', ...(objects.some(({ type }) => type === 'indicator') ? ['indicator'] : [])];
  const refs = { report_types: types, published: info.createdTime, object_refs: objects.map(({ id }) => id) };
  const report = sdo(making, 'report', [], { ...about, ...refs });
  const producer = identity(producerOf(source), source.name, 'organization');
  const definition = { definition_type: 'tlp', name: `TLP:${color.toUpperCase()}`, definition: { tlp: color } };
  return {
    type: 'bundle',
    id: stableId('bundle', making.seed, tlp, exported),
    objects: [
      { type: 'marking-definition', spec_version: '2.1', id: marking, created: markingsSince, ...definition },
      ...[producer, ...objects, report].map((object) => ({ ...object, object_marking_refs: [marking] })),
    ],
  };
}

function modifiedOf({ caseGeneralInfo: info, autonomousResponseData, alerts, decisioning }: CaseDetail): string {
  const times = [
    info.createdTime,
    info.closedTime ?? info.createdTime,
    decisioning?.decidedAt ?? info.createdTime,
    ...autonomousResponseData.caseArtifacts.map(({ lastTime }) => lastTime),
    ...autonomousResponseData.caseArtifactsTimeline.map(({ time }) => time),
    ...alerts.map(({ lastSeenTime }) => lastSeenTime),
  ];
  return times.reduce((newest, time) => (time > newest ? time : newest));
}

/** Of the alerts in the detail. */
const techniquesOf = ({ alerts }: Pick<CaseDetail, 'alerts'>): string[] =>
  [...new Set(alerts.flatMap(({ mitreTechnique }) => mitreTechnique ?? []))].filter((id) => /^T\d{4}(\.\d{3})?$/.test(id)).sort();

function descriptionOf(detail: CaseDetail): string {
  const { caseGeneralInfo: info } = detail;
  const verdict = verdictText(judgementOfDetail(detail));
  return `Severity: ${info.criticality}. Status: ${statusLabel(info.status)}. Alerts: ${info.alertCount}. Verdict: ${verdict}.`;
}
