/** Alerts of Microsoft Defender for Endpoint as its API returns them, with evidence. The record stays unchanged; ECS fields are added. */
import type { Document } from '../../event.ts';
import { categorise, fill, ip, isObject, kind, known, number, object, section, text } from '../doc.ts';
import type { Reading } from '../syslog.ts';
import { fillFile, fillHost, fillPerson, fillProcess, fillThreat, type Program } from './evidence.ts';

/** True for an alert resource. */
export const isDefender = (document: Document): boolean =>
  document.machineId !== undefined && document.alertCreationTime !== undefined && document.detectionSource !== undefined;

const severities = new Map([
  ['Informational', 1],
  ['Low', 21],
  ['Medium', 47],
  ['High', 73],
]);

/** Fills ECS from an alert. */
export function fillDefender(document: Document): Reading {
  const event = section(document, 'event');
  fill(event, 'kind', 'alert');
  fill(event, 'module', 'microsoft_defender_endpoint');
  fill(event, 'dataset', 'microsoft_defender_endpoint.log');
  fill(event, 'provider', known(document.detectionSource));
  fill(event, 'id', known(document.id));
  fill(event, 'severity', severities.get(text(document.severity) ?? ''));
  const category = known(document.category);
  categorise(document, kind(isMalware(category) ? 'malware' : 'threat', 'indicator', category ?? 'alert'));
  fillHost(document, known(document.machineId), known(document.computerDnsName), undefined);
  const evidence = Array.isArray(document.evidence) ? document.evidence.slice(0, 50).filter(isObject) : [];
  fillEvidence(document, evidence);
  const related = object(document.relatedUser);
  fillPerson(document, known(related?.userName), known(related?.domainName));
  const techniques = Array.isArray(document.mitreTechniques) ? document.mitreTechniques.filter(isText) : [];
  fillThreat(document, category, techniques);
  fill(section(document, 'rule'), 'name', known(document.title));
  return { times: [document.lastEventTime, document.alertCreationTime, document['@timestamp']], line: lineOf(document) };
}

const isMalware = (category: string | undefined): boolean => /malware|ransomware|unwantedsoftware/i.test(category ?? '');
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function fillEvidence(document: Document, evidence: readonly Document[]): void {
  const of = (type: string) => evidence.find((entry) => entry.entityType === type);
  const started = of('Process');
  if (started) {
    const target = section(document, 'process');
    fillProcess(target, programOf(started));
    const parent = { name: known(started.parentProcessFileName), pid: number(started.parentProcessId) };
    if (parent.name !== undefined) fillProcess(section(target, 'parent'), parent);
  }
  const file = of('File');
  if (file) fillFile(document, programOf(file));
  const person = evidence.find((entry) => known(entry.userPrincipalName) ?? known(entry.accountName));
  if (person)
    fillPerson(
      document,
      known(person.userPrincipalName) ?? known(person.accountName),
      known(person.domainName),
      known(person.aadUserId),
    );
  const address = ip(of('Ip')?.ipAddress);
  if (address !== undefined) fill(section(document, 'destination'), 'ip', address);
  const url = known(of('Url')?.url);
  if (url !== undefined) fill(section(document, 'url'), 'original', url);
}

function programOf(entry: Document): Program {
  const [folder, name] = [known(entry.filePath), known(entry.fileName)];
  const separator = folder?.includes('/') ? '/' : '\\';
  return {
    name,
    path: folder !== undefined && name !== undefined ? `${folder}${separator}${name}` : undefined,
    commandLine: known(entry.processCommandLine),
    pid: number(entry.processId),
    sha256: known(entry.sha256),
    sha1: known(entry.sha1),
  };
}

function lineOf(document: Document): string {
  const [title, device] = [known(document.title) ?? 'Alert', known(document.computerDnsName)];
  const severity = known(document.severity)?.toLowerCase();
  return `${title}${device === undefined ? '' : ` on ${device}`}${severity === undefined ? '' : ` (${severity})`}`;
}
