/** Alerts of CrowdStrike Falcon (alerts v2) as its API returns them. The record stays unchanged; ECS fields are added. */
import type { Document } from '../../event.ts';
import { categorise, fill, ip, kind, known, number, object, read, section } from '../doc.ts';
import type { Reading } from '../syslog.ts';
import { fillFile, fillHost, fillPerson, fillProcess, fillThreat, type Program } from './evidence.ts';

/** True for an alert. */
export const isCrowdstrike = (document: Document): boolean =>
  document.composite_id !== undefined && document.created_timestamp !== undefined && document.cid !== undefined;

/** Fills ECS from an alert. */
export function fillCrowdstrike(document: Document): Reading {
  const event = section(document, 'event');
  fill(event, 'kind', 'alert');
  fill(event, 'module', 'crowdstrike');
  fill(event, 'dataset', 'crowdstrike.alert');
  fill(event, 'provider', known(document.product));
  fill(event, 'id', known(document.composite_id));
  fill(event, 'severity', number(document.severity));
  const tactic = known(document.tactic);
  const isMalware = /malware|ransom|machine learning/i.test(`${tactic} ${known(document.technique)}`);
  categorise(document, kind(isMalware ? 'malware' : 'threat', 'indicator', known(document.name) ?? 'alert'));
  const device = object(document.device);
  const name = known(device?.hostname) ?? known(document.source_endpoint_host_name);
  fillHost(document, known(device?.device_id), name, known(device?.os_version) ?? known(device?.platform_name));
  fillPerson(
    document,
    known(document.user_principal) ?? known(document.user_name),
    known(device?.machine_domain),
    known(document.user_id),
  );
  const program = programOf(document);
  if (program.path !== undefined || program.name !== undefined || program.commandLine !== undefined) {
    fillFile(document, { ...program, commandLine: undefined, pid: undefined });
    const started = section(document, 'process');
    fillProcess(started, program);
    const parent = object(document.parent_details);
    if (parent) fillProcess(section(started, 'parent'), programOf(parent));
  }
  const address = ip(document.source_endpoint_address_ip4);
  if (address !== undefined) fill(section(document, 'source'), 'ip', address);
  const technique = known(document.technique_id);
  fillThreat(document, tactic, technique === undefined ? [] : [technique]);
  fill(section(document, 'rule'), 'name', known(document.display_name) ?? known(document.name));
  return { times: [document.timestamp, document.created_timestamp, document['@timestamp']], line: lineOf(document, name) };
}

const programOf = (entry: Document): Program => ({
  name: known(entry.filename),
  path: known(entry.filepath),
  commandLine: known(entry.cmdline),
  pid: number(entry.local_process_id),
  sha256: known(entry.sha256),
  md5: known(entry.md5),
});

function lineOf(document: Document, device: string | undefined): string {
  const title = known(document.display_name) ?? known(document.name) ?? 'Alert';
  const severity = known(document.severity_name)?.toLowerCase();
  const by = known(read(document, 'user.name'));
  return `${title}${device === undefined ? '' : ` on ${device}`}${by === undefined ? '' : ` by ${by}`}${severity === undefined ? '' : ` (${severity})`}`;
}
