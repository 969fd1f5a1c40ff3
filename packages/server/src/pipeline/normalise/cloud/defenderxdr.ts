/**
 * Alerts and incidents of Microsoft Defender XDR as Microsoft Graph security returns them. The record stays unchanged (rules use its own fields); ECS fields
 * are added.
 */
import type { Document } from '../../event.ts';
import { categorise, fill, ip, isObject, kind, known, number, object, read, section, text } from '../doc.ts';
import type { Reading } from '../syslog.ts';
import { fillFile, fillHost, fillPerson, fillProcess, fillThreat, type Program } from './evidence.ts';

/** True for an alert or an incident. */
export const isDefenderXdr = (document: Document): boolean => isAlert(document) || isIncident(document);

const isAlert = (document: Document): boolean =>
  document.serviceSource !== undefined && document.providerAlertId !== undefined && document.createdDateTime !== undefined;

const isIncident = (document: Document): boolean =>
  document.incidentWebUrl !== undefined && document.determination !== undefined && document.createdDateTime !== undefined;

const severities = new Map([
  ['informational', 1],
  ['low', 21],
  ['medium', 47],
  ['high', 73],
]);

function fillEvent(document: Document, dataset: string): void {
  const event = section(document, 'event');
  fill(event, 'module', 'm365_defender');
  fill(event, 'dataset', dataset);
  fill(event, 'id', known(document.id));
  fill(event, 'severity', severities.get(text(document.severity) ?? ''));
}

/** Fills ECS from an alert or an incident. */
export const fillDefenderXdr = (document: Document): Reading =>
  isAlert(document) ? fillAlert(document) : fillIncident(document);

function fillAlert(document: Document): Reading {
  fill(section(document, 'event'), 'kind', 'alert');
  fillEvent(document, 'm365_defender.alert');
  fill(section(document, 'event'), 'provider', known(document.serviceSource));
  const category = known(document.category);
  categorise(document, kind(/malware|ransomware/i.test(category ?? '') ? 'malware' : 'threat', 'indicator', category ?? 'alert'));
  const evidence = Array.isArray(document.evidence) ? document.evidence.slice(0, 50).filter(isObject) : [];
  fillEvidence(document, evidence);
  const techniques = Array.isArray(document.mitreTechniques) ? document.mitreTechniques.filter(isText) : [];
  fillThreat(document, category, techniques);
  fill(section(document, 'rule'), 'name', known(document.title));
  return { times: [document.lastActivityDateTime, document.createdDateTime, document['@timestamp']], line: lineOf(document) };
}

function fillIncident(document: Document): Reading {
  fillEvent(document, 'm365_defender.incident');
  categorise(document, kind('threat', 'info', known(document.status) ?? 'incident'));
  const name = known(document.displayName) ?? 'Incident';
  const severity = known(document.severity);
  return {
    times: [document.createdDateTime, document['@timestamp']],
    line: `Incident: ${name}${severity === undefined ? '' : ` (${severity})`}`,
  };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function fillEvidence(document: Document, evidence: readonly Document[]): void {
  const of = (type: string) =>
    evidence.find((entry) => text(entry['@odata.type'])?.toLowerCase() === `#microsoft.graph.security.${type}`);
  const device = of('deviceevidence');
  if (device) fillHost(document, known(device.mdeDeviceId), known(device.deviceDnsName), known(device.osPlatform));
  const started = of('processevidence');
  if (started) {
    const target = section(document, 'process');
    fillProcess(target, programOf(started.imageFile, started.processCommandLine, started.processId));
    const parent = programOf(started.parentProcessImageFile, undefined, started.parentProcessId);
    if (parent.name !== undefined) fillProcess(section(target, 'parent'), parent);
  }
  const file = of('fileevidence');
  if (file) fillFile(document, programOf(file.fileDetails, undefined, undefined));
  const account = object(of('userevidence')?.userAccount) ?? object(of('mailboxevidence')?.userAccount);
  if (account)
    fillPerson(
      document,
      known(account.userPrincipalName) ?? known(account.accountName),
      known(account.domainName),
      known(account.azureAdUserId),
    );
  const address = ip(of('ipevidence')?.ipAddress);
  // Of a sign-in the address is where it came from.
  const isIdentity = /identity|cloudApps/i.test(text(document.serviceSource) ?? '');
  if (address !== undefined) fill(section(document, isIdentity ? 'source' : 'destination'), 'ip', address);
  const url = known(of('urlevidence')?.url);
  if (url !== undefined) fill(section(document, 'url'), 'original', url);
}

function programOf(image: unknown, commandLine: unknown, pid: unknown): Program {
  const file = object(image);
  const [folder, name] = [known(file?.filePath), known(file?.fileName)];
  const separator = folder?.includes('/') ? '/' : '\\';
  return {
    name,
    path: folder !== undefined && name !== undefined ? `${folder}${separator}${name}` : undefined,
    commandLine: known(commandLine),
    pid: number(pid),
    sha256: known(file?.sha256),
    sha1: known(file?.sha1),
  };
}

function lineOf(document: Document): string {
  const device = known(read(document, 'host.name')) ?? known(read(document, 'user.email'));
  const severity = known(document.severity);
  const title = known(document.title) ?? 'Alert';
  return `${title}${device === undefined ? '' : ` on ${device}`}${severity === undefined ? '' : ` (${severity})`}`;
}
