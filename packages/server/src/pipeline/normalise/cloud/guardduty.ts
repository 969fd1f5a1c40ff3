/** Findings of AWS GuardDuty as it exports them. The record stays unchanged (rules use its `type`); ECS fields are added. */
import type { Document } from '../../event.ts';
import { categorise, fill, first, ip, isObject, kind, known, number, object, port, read, section, text } from '../doc.ts';
import type { Reading } from '../syslog.ts';
import { fillPrincipal } from './principal.ts';

/** True for a finding. */
export const isGuardduty = (document: Document): boolean =>
  document.schemaVersion !== undefined &&
  typeof document.type === 'string' &&
  read(document, 'service.serviceName') === 'guardduty';

/** Fills ECS from a finding. */
export function fillGuardduty(document: Document): Reading {
  const type = text(document.type) ?? '';
  const event = section(document, 'event');
  fill(event, 'kind', 'alert');
  fill(event, 'module', 'aws');
  fill(event, 'dataset', 'aws.guardduty');
  fill(event, 'provider', 'guardduty');
  fill(event, 'id', known(document.id));
  fill(event, 'severity', number(document.severity));
  const isMalware = /Malicious|Malware|Trojan|CryptoCurrency|Backdoor/.test(type);
  categorise(document, kind(isMalware ? 'malware' : 'threat', 'indicator', type));
  const cloud = section(document, 'cloud');
  fill(cloud, 'provider', 'aws');
  fill(cloud, 'region', known(document.region));
  const account = known(document.accountId);
  if (account !== undefined) fill(section(cloud, 'account'), 'id', account);
  fillResource(document, cloud);
  fillAction(document);
  fill(section(document, 'rule'), 'name', known(document.title));
  // GuardDuty exports a finding again at each update: by a time that moves, the store would take each for a new event.
  return {
    times: [
      document.createdAt,
      read(document, 'service.eventFirstSeen'),
      read(document, 'service.eventLastSeen'),
      document.updatedAt,
      document['@timestamp'],
    ],
    line: lineOf(document, type),
  };
}

function fillResource(document: Document, cloud: Document): void {
  const resource = object(document.resource);
  const machine = object(resource?.instanceDetails);
  const id = known(machine?.instanceId);
  if (id !== undefined) {
    fill(section(cloud, 'instance'), 'id', id);
    const tags = Array.isArray(machine?.tags) ? machine.tags.filter(isObject) : [];
    const name = known(tags.find((tag) => tag.key === 'Name')?.value);
    if (name !== undefined) fill(section(cloud, 'instance'), 'name', name);
  }
  const key = object(resource?.accessKeyDetails);
  const person = known(key?.userName);
  if (person !== undefined) fillPrincipal(section(document, 'user'), person, known(key?.principalId));
}

function fillAction(document: Document): void {
  const action = object(read(document, 'service.action'));
  const call = object(action?.awsApiCallAction) ?? object(action?.kubernetesApiCallAction);
  if (call) {
    fillRemote(document, 'source', call);
    const name = known(call.api);
    if (name !== undefined) fill(section(document, 'event'), 'reason', name);
  }
  const connection = object(action?.networkConnectionAction);
  if (connection) {
    const isInbound = connection.connectionDirection === 'INBOUND';
    fillRemote(document, isInbound ? 'source' : 'destination', connection);
    fill(section(document, isInbound ? 'destination' : 'source'), 'port', port(read(connection, 'localPortDetails.port')));
  }
  const probes = object(action?.portProbeAction)?.portProbeDetails;
  const probe = object(Array.isArray(probes) ? first(probes) : undefined);
  if (probe) fillRemote(document, 'source', probe);
  const domain = known(object(action?.dnsRequestAction)?.domain);
  if (domain !== undefined) fill(section(section(document, 'dns'), 'question'), 'name', domain);
}

function fillRemote(document: Document, end: 'source' | 'destination', action: Document): void {
  const details = object(action.remoteIpDetails);
  const address = ip(details?.ipAddressV4) ?? ip(details?.ipAddressV6);
  if (address === undefined) return;
  const place = section(document, end);
  fill(place, 'ip', address);
  fill(place, 'port', port(read(action, 'remotePortDetails.port')));
  const country = known(read(details, 'country.countryName'));
  if (country !== undefined) fill(section(place, 'geo'), 'country_name', country);
  const asn = number(read(details, 'organization.asn'));
  const organisation = known(read(details, 'organization.asnOrg'));
  if (asn !== undefined && place.as === undefined)
    place.as = { number: asn, ...(organisation !== undefined && { organization: { name: organisation } }) };
}

function lineOf(document: Document, type: string): string {
  const title = known(document.title) ?? type;
  const severity = number(document.severity);
  return severity === undefined ? title : `${title} (${severity})`;
}
