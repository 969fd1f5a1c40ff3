/** Records of AWS CloudTrail as its files hold them. The record stays unchanged (Sigma rules use its own fields); ECS fields are added. */
import type { Document } from '../../event.ts';
import { categorise, fill, ip, isObject, type Kind, kind, known, type Outcome, object, read, section, text } from '../doc.ts';
import type { Reading } from '../syslog.ts';
import { fillPrincipal } from './principal.ts';

/** True for a record. */
export const isCloudtrail = (document: Document): boolean =>
  document.eventVersion !== undefined &&
  typeof document.eventSource === 'string' &&
  typeof document.eventName === 'string' &&
  isObject(document.userIdentity);

/** Fills ECS from a record. */
export function fillCloudtrail(document: Document): Reading {
  const name = text(document.eventName) ?? '';
  const source = text(document.eventSource) ?? '';
  const event = section(document, 'event');
  fill(event, 'module', 'aws');
  fill(event, 'dataset', 'aws.cloudtrail');
  fill(event, 'provider', source);
  fill(event, 'id', known(document.eventID));
  fill(event, 'reason', known(document.errorMessage) ?? known(document.errorCode));
  categorise(document, kindOf(source, name, outcomeOf(document)));
  const cloud = section(document, 'cloud');
  fill(cloud, 'provider', 'aws');
  fill(cloud, 'region', known(document.awsRegion));
  const account = known(document.recipientAccountId) ?? known(read(document, 'userIdentity.accountId'));
  if (account !== undefined) fill(section(cloud, 'account'), 'id', account);
  fillIdentity(document);
  const address = ip(document.sourceIPAddress);
  if (address !== undefined) fill(section(document, 'source'), 'ip', address);
  // A service that acts for a user stands here by its name.
  else if (known(document.sourceIPAddress) !== undefined)
    fill(section(document, 'source'), 'address', known(document.sourceIPAddress));
  const agent = known(document.userAgent);
  if (agent !== undefined) fill(section(document, 'user_agent'), 'original', agent);
  return { times: [document.eventTime, document['@timestamp']], line: lineOf(document, source, name) };
}

function outcomeOf(document: Document): Outcome {
  const login = known(read(document, 'responseElements.ConsoleLogin'));
  if (login !== undefined) return login === 'Success' ? 'success' : 'failure';
  return known(document.errorCode) === undefined ? 'success' : 'failure';
}

function kindOf(source: string, name: string, outcome: Outcome): Kind {
  if (/^(?:ConsoleLogin|AssumeRole|GetSessionToken|SwitchRole)/.test(name)) return kind('authentication', 'start', name, outcome);
  const type = /^(?:Create|Add|Attach|Put|Run|Authorize|Import|Register|Enable|Start)/.test(name)
    ? 'creation'
    : /^(?:Delete|Remove|Detach|Terminate|Revoke|Disable|Deregister|Stop|Deactivate)/.test(name)
      ? 'deletion'
      : /^(?:Update|Modify|Set|Change|Reset|Replace|Tag|Untag)/.test(name)
        ? 'change'
        : 'info';
  if (source === 'iam.amazonaws.com') return kind('iam', type, name, outcome);
  if (source === 's3.amazonaws.com' && /Object$/.test(name))
    return kind('file', type === 'info' ? 'access' : type, name, outcome);
  return kind('configuration', type, name, outcome);
}

function fillIdentity(document: Document): void {
  const identity = object(document.userIdentity);
  const issuer = object(read(document, 'userIdentity.sessionContext.sessionIssuer'));
  const arn = known(identity?.arn);
  const name =
    known(identity?.userName) ??
    (identity?.type === 'Root' ? 'root' : undefined) ??
    arn?.slice(arn.lastIndexOf('/') + 1) ??
    known(issuer?.userName) ??
    known(identity?.invokedBy);
  const user = section(document, 'user');
  fillPrincipal(user, name, known(identity?.principalId));
  const target = known(read(document, 'requestParameters.userName'));
  if (target !== undefined && target !== name) fill(section(user, 'target'), 'name', target);
}

function lineOf(document: Document, source: string, name: string): string {
  const who = known(read(document, 'user.email')) ?? known(read(document, 'user.name')) ?? 'unknown';
  const from = known(document.sourceIPAddress);
  const fault = known(document.errorCode);
  const target = known(read(document, 'user.target.name')) ?? known(read(document, 'requestParameters.bucketName'));
  const service = source.replace(/\.amazonaws\.com$/, '');
  return `${name} by ${who} in ${service}${from ? ` from ${from}` : ''}${fault ? ` (${fault})` : ''}${target ? `: ${target}` : ''}`;
}
