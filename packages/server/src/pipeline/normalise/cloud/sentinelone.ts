/** Threats of SentinelOne (API 2.1). The record stays unchanged; ECS fields are added. */
import type { Document } from '../../event.ts';
import { baseName, categorise, fill, ip, kind, known, object, section } from '../doc.ts';
import type { Reading } from '../syslog.ts';
import { fillFile, fillHost, fillPerson, fillProcess, fillThreat } from './evidence.ts';

/** True for a threat. */
export const isSentinelone = (document: Document): boolean =>
  object(document.threatInfo) !== undefined && object(document.agentRealtimeInfo) !== undefined;

/** Fills ECS from a threat. */
export function fillSentinelone(document: Document): Reading {
  const info = object(document.threatInfo) ?? {};
  const agent = object(document.agentRealtimeInfo) ?? {};
  const event = section(document, 'event');
  fill(event, 'kind', 'alert');
  fill(event, 'module', 'sentinel_one');
  fill(event, 'dataset', 'sentinel_one.threat');
  fill(event, 'provider', 'SentinelOne');
  fill(event, 'id', known(document.id) ?? known(info.threatId));
  categorise(document, kind('malware', 'indicator', known(info.classification) ?? 'threat'));
  const name = known(agent.agentComputerName);
  fillHost(document, known(agent.agentId), name, known(agent.agentOsName));
  const detected = object(document.agentDetectionInfo);
  fillPerson(document, known(info.processUser) ?? known(detected?.agentLastLoggedInUserName), known(agent.agentDomain));
  const path = known(info.filePath);
  const hashes = { sha256: known(info.sha256), sha1: known(info.sha1), md5: known(info.md5) };
  if (path !== undefined) fillFile(document, { path, name: baseName(path), ...hashes });
  const commandLine = known(info.maliciousProcessArguments);
  const originator = known(info.originatorProcess);
  if (commandLine !== undefined) fillProcess(section(document, 'process'), { path, commandLine, ...hashes });
  if (originator !== undefined) fillProcess(section(section(document, 'process'), 'parent'), { name: originator });
  const address = ip(detected?.agentIpV4);
  if (address !== undefined) fill(section(document, 'host'), 'ip', [address]);
  fillThreat(document, known(info.classification), []);
  fill(section(document, 'rule'), 'name', known(info.threatName));
  return { times: [info.identifiedAt, info.createdAt, document['@timestamp']], line: lineOf(info, name) };
}

function lineOf(info: Document, device: string | undefined): string {
  const [name, type] = [known(info.threatName) ?? 'Threat', known(info.classification)];
  const status = known(info.mitigationStatus)?.replaceAll('_', ' ');
  return `${name}${type === undefined ? '' : ` (${type})`}${device === undefined ? '' : ` on ${device}`}${status === undefined ? '' : `, ${status}`}`;
}
