/**
 * Microsoft 365 audit records: from the Management Activity API, and as reshaped by Filebeat’s o365 module. The record stays
 * unchanged (Sigma rules use its own fields); ECS fields are added.
 */
import type { Document } from '../event.ts';
import {
  categorise,
  fill,
  ip,
  isObject,
  type Kind,
  kind,
  known,
  type Outcome,
  object,
  portOfAddress,
  read,
  section,
  text,
} from './doc.ts';
import type { Reading } from './syslog.ts';

/** True for a record of the Management Activity API, or of Filebeat's o365 module. */
export function isM365(document: Document): boolean {
  if (typeof document.Operation === 'string') {
    if (typeof document.Workload === 'string') return true;
    return document.UserId !== undefined && (document.RecordType !== undefined || document.CreationTime !== undefined);
  }
  return isObject(document.o365) && isObject(document.o365.audit);
}

const logon = kind('authentication', 'start', 'UserLoggedIn');

/** Fills ECS from a record. */
export function fillM365(document: Document): Reading {
  const wrapped = object(read(document, 'o365.audit'));
  const record = typeof document.Operation === 'string' || wrapped === undefined ? document : wrapped;
  const event = section(document, 'event');
  const operation = known(record.Operation) ?? known(event.action);
  const workload = known(record.Workload) ?? known(event.provider);
  fill(event, 'kind', 'event');
  fill(event, 'module', 'o365');
  fill(event, 'dataset', 'o365.audit');
  fill(event, 'action', operation);
  fill(event, 'provider', workload);
  fill(event, 'id', known(record.Id));
  fill(event, 'code', known(record.RecordType));
  categorise(document, kindOf(operation ?? '', workload ?? '', outcomeOf(record, operation ?? '')));
  fillUser(document, record);
  fillSource(document, record);
  const organisation = known(record.OrganizationId);
  if (organisation !== undefined) fill(section(document, 'organization'), 'id', organisation);
  fill(section(document, 'cloud'), 'provider', 'azure');
  const agent = known(record.UserAgent) ?? named(record.ExtendedProperties, 'UserAgent') ?? known(record.ClientInfoString);
  if (agent !== undefined) fill(section(document, 'user_agent'), 'original', agent);
  fillObject(document, record);
  return {
    times: [record.CreationTime, document['@timestamp'], document.TimeGenerated],
    line: sentenceOf(document, record, operation, workload),
  };
}

/** Reads a value of a `[{ Name, Value }]` list, which Filebeat turns into an object. */
function named(list: unknown, name: string): string | undefined {
  if (isObject(list)) return known(list[name]);
  if (!Array.isArray(list)) return undefined;
  for (const item of list.slice(0, 200)) if (isObject(item) && item.Name === name) return known(item.Value);
  return undefined;
}

function outcomeOf(record: Document, operation: string): Outcome | undefined {
  if (operation === 'UserLoginFailed') return 'failure';
  const status = text(record.ResultStatus)?.toLowerCase();
  if (status === undefined) return operation === 'UserLoggedIn' ? 'success' : undefined;
  if (status === 'succeeded' || status === 'success' || status === 'true' || status === 'partiallysucceeded') return 'success';
  return status === 'failed' || status === 'failure' || status === 'false' ? 'failure' : 'unknown';
}

function typeOf(operation: string): string {
  if (/^(?:New|Add|Create|Invite)|Created$|Added$|Uploaded$/i.test(operation)) return 'creation';
  if (/^(?:Remove|Delete|Disable)|(?:Soft|Hard)Delete|Deleted$|Recycled$/i.test(operation)) return 'deletion';
  if (/^(?:Set|Update|Change|Reset|Enable|Modify|Consent)|Modified$|Changed$|Updated$/i.test(operation)) return 'change';
  return 'access';
}

function kindOf(operation: string, workload: string, outcome: Outcome | undefined): Kind {
  const made = (category: string, type: string): Kind => kind(category, type, operation, outcome);
  if (
    operation === logon.action ||
    operation === 'UserLoginFailed' ||
    operation === 'MailboxLogin' ||
    operation === 'TeamsSessionStarted'
  ) {
    return made('authentication', 'start');
  }
  const type = typeOf(operation);
  if (workload === 'AzureActiveDirectory') return made('iam', type === 'access' ? 'info' : type);
  if (
    /InboxRule|TransportRule|MailboxPermission|Set-Mailbox|AuditConfig|AuditLogConfig|CASMailbox|^(?:New|Set|Remove|Add|Enable|Disable)-/i.test(
      operation,
    )
  ) {
    return made('configuration', type);
  }
  if (/^(?:Send|SendAs|SendOnBehalf|MailItemsAccessed|MoveToDeletedItems|SoftDelete|HardDelete|Create)$/.test(operation))
    return made('email', type === 'creation' ? 'info' : type === 'access' ? 'info' : type);
  if (/^(?:File|Folder)|Sharing|Anonymous|SecureLink|CompanyLink/.test(operation)) return made('file', type);
  if (workload === 'SecurityComplianceCenter' || workload === 'ThreatIntelligence')
    return made(/alert/i.test(operation) ? 'threat' : 'configuration', type === 'access' ? 'info' : type);
  return made('web', type === 'access' ? 'info' : type);
}

function fillUser(document: Document, record: Document): void {
  const id = known(record.UserId) ?? known(record.MailboxOwnerUPN);
  if (id === undefined || id === 'Unknown' || id === 'Not Available') return;
  const user = section(document, 'user');
  fill(user, 'id', id);
  const at = id.lastIndexOf('@');
  if (at > 0 && at < id.length - 1 && !id.includes(' ')) {
    fill(user, 'email', id);
    fill(user, 'name', id.slice(0, at));
    fill(user, 'domain', id.slice(at + 1));
  } else fill(user, 'name', id);
  const target = known(record.TargetUserOrGroupName);
  if (target !== undefined) fill(section(user, 'target'), 'name', target);
}

function fillSource(document: Document, record: Document): void {
  const raw = known(record.ClientIPAddress) ?? known(record.ClientIP) ?? known(record.ActorIpAddress);
  const address = ip(raw) ?? ip(record.ActorIpAddress);
  if (address === undefined) return;
  const source = section(document, 'source');
  fill(source, 'ip', address);
  fill(source, 'address', raw);
  fill(source, 'port', portOfAddress(raw));
}

function fillObject(document: Document, record: Document): void {
  const id = known(record.ObjectId);
  const name = known(record.SourceFileName);
  if (name !== undefined) {
    const file = section(document, 'file');
    fill(file, 'name', name);
    fill(file, 'directory', known(record.SourceRelativeUrl));
    fill(file, 'extension', known(record.SourceFileExtension)?.toLowerCase());
  }
  if (id !== undefined && /^https?:\/\//.test(id)) fill(section(document, 'url'), 'original', id);
}

function sentenceOf(document: Document, record: Document, operation: string | undefined, workload: string | undefined): string {
  const user = known(record.UserId) ?? known(read(document, 'user.email')) ?? 'Unknown user';
  const from = text(read(document, 'source.ip'));
  const parameters = parameterLine(record.Parameters);
  const about = parameters ?? known(record.SourceFileName) ?? known(record.ObjectId);
  const reason = known(record.LogonError) ?? undefined;
  // Some operation names end with a full stop: "Add member to role."
  return `${(operation ?? 'Activity').replace(/\.$/, '')} by ${user}${workload === undefined ? '' : ` in ${workload}`}${from === undefined ? '' : ` from ${from}`}${reason === undefined ? '' : ` (${reason})`}${about === undefined ? '' : `: ${about}`}`;
}

function parameterLine(list: unknown): string | undefined {
  const parts: string[] = [];
  if (Array.isArray(list)) {
    for (const item of list.slice(0, 30))
      if (isObject(item) && known(item.Name)) parts.push(`${text(item.Name)}=${text(item.Value)?.slice(0, 200) ?? ''}`);
  } else if (isObject(list)) {
    for (const name of Object.keys(list).slice(0, 30)) parts.push(`${name}=${text(list[name])?.slice(0, 200) ?? ''}`);
  }
  return parts.length === 0 ? undefined : parts.join(', ');
}
