/**
 * Windows events as text, as Splunk’s inputs without XML write them: lines `LogName=…`, then `Message=` with the rendered message to the
 * end. Values come out of the message by its English labels. Labels: Microsoft, Windows security auditing events.
 */
import type { Document } from '../../event.ts';
import { setOwn } from '../doc.ts';
import { namedInMessage, valuesInMessage } from './message.ts';

const longestHead = 4_000;
const maxLines = 400;

/** Label → name of the value, where no section decides. */
const labels: Readonly<Record<string, string>> = {
  'Logon Type': 'LogonType',
  'Logon Process': 'LogonProcessName',
  'Authentication Package': 'AuthenticationPackageName',
  'Package Name (NTLM only)': 'LmPackageName',
  'Transited Services': 'TransmittedServices',
  'Key Length': 'KeyLength',
  'Workstation Name': 'WorkstationName',
  'Source Workstation': 'Workstation',
  'Source Network Address': 'IpAddress',
  'Client Address': 'IpAddress',
  'Source Port': 'IpPort',
  'Client Port': 'IpPort',
  'Failure Reason': 'FailureReason',
  Status: 'Status',
  'Sub Status': 'SubStatus',
  'Failure Code': 'Status',
  'Result Code': 'Status',
  'Error Code': 'Status',
  'Ticket Options': 'TicketOptions',
  'Ticket Encryption Type': 'TicketEncryptionType',
  'Pre-Authentication Type': 'PreAuthType',
  'Service ID': 'ServiceSid',
  'Service Name': 'ServiceName',
  'Service File Name': 'ServiceFileName',
  'Service Type': 'ServiceType',
  'Service Start Type': 'ServiceStartType',
  'Service Account': 'ServiceAccount',
  'Process ID': 'ProcessId',
  'Caller Process ID': 'ProcessId',
  'Process Name': 'ProcessName',
  'Caller Process Name': 'ProcessName',
  'New Process ID': 'NewProcessId',
  'New Process Name': 'NewProcessName',
  'Creator Process ID': 'ProcessId',
  'Creator Process Name': 'ParentProcessName',
  'Process Command Line': 'CommandLine',
  'Token Elevation Type': 'TokenElevationType',
  'Mandatory Label': 'MandatoryLabel',
  'Object Server': 'ObjectServer',
  'Object Type': 'ObjectType',
  'Object Name': 'ObjectName',
  'Handle ID': 'HandleId',
  Accesses: 'AccessList',
  'Access Mask': 'AccessMask',
  Properties: 'Properties',
  'Share Name': 'ShareName',
  'Share Path': 'ShareLocalPath',
  'Relative Target Name': 'RelativeTargetName',
  'Task Name': 'TaskName',
  'Task Content': 'TaskContent',
  Privileges: 'PrivilegeList',
  DN: 'ObjectDN',
  Class: 'ObjectClass',
  'LDAP Display Name': 'AttributeLDAPDisplayName',
  Value: 'AttributeValue',
  'Application Name': 'Application',
  'Destination Address': 'DestAddress',
  'Destination Port': 'DestPort',
  'Target Server Name': 'TargetServerName',
  'Old Account Name': 'OldTargetUserName',
  'New Account Name': 'NewTargetUserName',
  'SAM Account Name': 'SamAccountName',
  'Logon Account': 'TargetUserName',
  'Subcategory GUID': 'SubcategoryGuid',
  Changes: 'AuditPolicyChanges',
};

/** Labels of an account, after `Subject`, `Target` or `Member`. */
const ofAccount: Readonly<Record<string, string>> = {
  'Security ID': 'UserSid',
  'Account Name': 'UserName',
  'Group Name': 'UserName',
  'Account Domain': 'DomainName',
  'Group Domain': 'DomainName',
  'Supplied Realm Name': 'DomainName',
  'User ID': 'Sid',
  'Logon ID': 'LogonId',
};

function nameOf(section: string, label: string, id: number): string | undefined {
  const account = ofAccount[label];
  if (account !== undefined) {
    if (section === 'Member') return account === 'UserSid' ? 'MemberSid' : `Member${account.replace('User', '')}`;
    const isSubject = section === 'Subject' || section === 'Creator Subject';
    // Events of logons and processes call the target's identifier otherwise than those of accounts.
    const isSid = account === 'UserSid' && !isSubject && id >= 4700;
    return (isSubject ? 'Subject' : 'Target') + (isSid ? 'Sid' : account);
  }
  if (label === 'Source Address') return id === 5140 || id === 5145 ? 'IpAddress' : 'SourceAddress';
  if (label === 'Source Port' && id >= 5150) return 'SourcePort';
  if (label === 'Operation Type' || (section === 'Operation' && label === 'Type')) return 'OperationType';
  return labels[label];
}

const accountless = new Set(['Process Information', 'Network Information']);

/** Values of an event of the Security log; those of several lines have all of them. */
function securityValues(message: string, id: number): Document {
  const data: Document = {};
  let section = '';
  let open: string | undefined;
  for (const line of message.split('\n', maxLines)) {
    const [, indent = '', label = '', rest = ''] = /^(\s*)([A-Z][A-Za-z()\- ]{1,40}?):(?:\s+(.*))?$/.exec(line.trimEnd()) ?? [];
    const value = rest.trim();
    const isSection = indent === '' && value === '' && nameOf(section, label, id) === undefined;
    const name = label === '' || accountless.has(label) ? undefined : nameOf(section, label, id);
    if (label !== '' && isSection) [section, open] = [label, undefined];
    else if (name !== undefined && data[name] === undefined) {
      setOwn(data, name, value);
      open = name;
    } else if (label === '' && open !== undefined && line.trim() !== '' && indent === '') {
      const before = data[open] as string;
      setOwn(data, open, before === '' ? line.trim() : `${before}\n${line.trim()}`);
    } else open = undefined;
  }
  return data;
}

const heads: Readonly<Record<string, string>> = {
  LogName: 'Channel',
  SourceName: 'SourceName',
  EventCode: 'EventID',
  ComputerName: 'Computer',
  RecordNumber: 'RecordNumber',
};

const startsAsText = /^\d{1,2}\/\d{1,2}\/\d{4} \d{1,2}:\d{2}:\d{2}(?:\.\d+)? [AP]M\r?\nLogName=/;

/** Short name of a provider in these texts → its name. */
const providers: Readonly<Record<string, string>> = {
  'Microsoft Windows security auditing.': 'Microsoft-Windows-Security-Auditing',
  'Microsoft-Windows-Service Control Manager': 'Service Control Manager',
};

/** A flat document of an event in this form; undefined for any other text. The time has no zone, so the shipper’s is used. */
export function readRendered(value: string): Document | undefined {
  if (!startsAsText.test(value.slice(0, 60))) return undefined;
  const text = value.replaceAll('\r\n', '\n');
  const at = text.indexOf('\nMessage=');
  if (at < 0 || at > longestHead) return undefined;
  const message = text.slice(at + '\nMessage='.length);
  const flat: Document = { Message: message };
  for (const line of text.slice(0, at).split('\n')) {
    const cut = line.indexOf('=');
    const name = heads[line.slice(0, Math.max(cut, 0))];
    if (name !== undefined) flat[name] = line.slice(cut + 1);
  }
  flat.SourceName = providers[String(flat.SourceName)] ?? flat.SourceName;
  flat.EventData = valuesOf(flat, message);
  return flat;
}

function valuesOf({ Channel, SourceName, EventID }: Document, message: string): Document {
  const id = Number(EventID);
  if (Channel === 'Security') return securityValues(message, id);
  if (Channel === 'System' && id === 7045) return serviceValues(message);
  if (SourceName === 'Microsoft-Windows-PowerShell' && id === 4104) return { ScriptBlockText: scriptIn(message) };
  return valuesInMessage(String(SourceName), String(EventID), message) ?? namedInMessage(message);
}

const serviceLabels: Readonly<Record<string, string>> = {
  'Service Name': 'ServiceName',
  'Service File Name': 'ImagePath',
  'Service Type': 'ServiceType',
  'Service Start Type': 'StartType',
  'Service Account': 'AccountName',
};

function serviceValues(message: string): Document {
  const data: Document = {};
  for (const line of message.split('\n', 20)) {
    const cut = line.indexOf(':');
    const name = cut > 0 ? serviceLabels[line.slice(0, cut).trim()] : undefined;
    if (name !== undefined) data[name] = line.slice(cut + 1).trim();
  }
  return data;
}

/** The script between the first line and the identifier of its block. */
function scriptIn(message: string): string {
  const end = message.lastIndexOf('\nScriptBlock ID:');
  return message.slice(message.indexOf('\n') + 1, end < 0 ? undefined : end).trim();
}
