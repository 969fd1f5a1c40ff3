/**
 * Windows events as text, as Splunk’s inputs without XML write them: lines `LogName=…`, then `Message=` with the rendered message to the
 * end. Values come out of the message by its English labels. Labels: Microsoft, Windows security auditing events.
 */
import type { Document } from '../../event.ts';
import { setOwn } from '../doc.ts';
import { namedInMessage, valuesInMessage } from './message.ts';

const longestHead = 4_000;

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
  'Task New Content': 'TaskContentNew',
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

/** Sections in the order in which events have them. Labels: Microsoft, Windows security auditing events. */
const sections = [
  'Subject',
  'Creator Subject',
  'Logon Information',
  'Account Information',
  'Application Information',
  'Service Information',
  'Task Information',
  'Directory Service',
  'Member',
  'Group',
  'New Logon',
  'User',
  'New Account',
  'Target Account',
  'New Computer Account',
  'Computer Account That Was Changed',
  'Account That Was Locked Out',
  'Account For Which Logon Failed',
  'Account Whose Credentials Were Used',
  'Target Subject',
  'Target Server',
  'Session',
  'Object',
  'Attribute',
  'Attributes',
  'Changed Attributes',
  'Failure Information',
  'Operation',
  'Process Information',
  'Network Information',
  'Share Information',
  'Access Request Information',
  'Change Information',
  'Filter Information',
  'Audit Policy Change',
  'Detailed Authentication Information',
  'Additional Information',
  'Certificate Information',
  'Other Information',
];
const placesOf = (names: readonly string[]): ReadonlyMap<string, number> => new Map(names.map((name, place) => [name, place]));
const places = placesOf(sections);

/** Sections of the events that carry names from the network; a section of another event is none there. */
const account = [
  'Account Information',
  'Service Information',
  'Network Information',
  'Additional Information',
  'Certificate Information',
];
const share = ['Subject', 'Network Information', 'Share Information', 'Access Request Information'];
const logonEnd = ['Process Information', 'Network Information', 'Detailed Authentication Information'];
const placesOfEvent = new Map<number, ReadonlyMap<string, number>>([
  [4624, placesOf(['Subject', 'Logon Information', 'New Logon', ...logonEnd])],
  [4625, placesOf(['Subject', 'Account For Which Logon Failed', 'Failure Information', ...logonEnd])],
  [4768, placesOf(account)],
  [4769, placesOf(account)],
  [4771, placesOf(account)],
  [5140, placesOf(share)],
  [5145, placesOf(share)],
]);

/** Labels of events without sections, in their order. */
const placeOfLabel = new Map(
  ['Authentication Package', 'Logon Account', 'Source Workstation', 'Error Code'].map((name, at) => [name, at]),
);

const detailed: readonly string[] = ['Detailed Authentication Information', 'Additional Information', ''];
const network: readonly string[] = ['Network Information', 'Additional Information'];

/** Label → sections that have it, for those that events have in these alone. */
const bound: Readonly<Record<string, readonly string[]>> = {
  'Workstation Name': network,
  'Source Network Address': network,
  'Client Address': network,
  'Source Address': network,
  'Source Port': network,
  'Client Port': network,
  'Logon Type': ['', 'Subject', 'Logon Information'],
  'Failure Reason': ['Failure Information'],
  'Sub Status': ['Failure Information'],
  'Logon Process': detailed,
  'Authentication Package': detailed,
  'Package Name (NTLM only)': detailed,
  'Transited Services': detailed,
  'Key Length': detailed,
  'New Process Name': ['Process Information'],
  'Service File Name': ['Service Information'],
  'Relative Target Name': ['Share Information'],
};

/** Labels whose values hold any text to the end of the message, or to the next text of the event’s own. */
const freeLabels: Readonly<Record<string, string>> = {
  'Process Command Line': '\n\nToken Elevation Type indicates',
  'Task Content': '\n\nOther Information:',
  'Task New Content': '\n\nOther Information:',
};

interface Line {
  label: string;
  value: string;
  isIndented: boolean;
}

/** A line with its label, if it begins with one. */
function lineOf(line: string): Line {
  const all = line.trim();
  const cut = all.indexOf(':');
  const next = all.charCodeAt(cut + 1);
  const isLabel = cut > 1 && cut <= 41 && (cut + 1 === all.length || next === 9 || next === 32);
  const label = isLabel && /^[A-Z][A-Za-z()\- ]+$/.test(all.slice(0, cut)) ? all.slice(0, cut) : '';
  return { label, value: label === '' ? all : all.slice(cut + 1).trim(), isIndented: /^\s/.test(line) };
}

/**
 * Lines of the places that stand in order, each place the last one before the place behind it: a value with a line break that passes for
 * a section before or behind its own is none.
 */
function inOrder(lines: readonly Line[], placeOfLine: (line: Line) => number | undefined): ReadonlySet<number> {
  const found = new Map<number, number[]>();
  for (const [at, line] of lines.entries()) {
    const place = placeOfLine(line);
    if (place !== undefined)
      found
        .set(place, found.get(place) ?? [])
        .get(place)!
        .push(at);
  }
  const taken = new Set<number>();
  let before = lines.length;
  for (const place of [...found.keys()].sort((one, other) => other - one)) {
    const at = found.get(place)!.findLast((each) => each < before);
    if (at === undefined) continue;
    taken.add(at);
    before = at;
  }
  return taken;
}

/** Cuts off the value that holds any text; its first label counts. */
function cutFree(message: string): { text: string; label: string | undefined; value: string } {
  for (const [label, end] of Object.entries(freeLabels)) {
    const at = message.indexOf(`\n\t${label}:`);
    if (at < 0) continue;
    const from = at + label.length + 3;
    const to = message.lastIndexOf(end);
    return { text: message.slice(0, at), label, value: message.slice(from, to < from ? undefined : to).trim() };
  }
  return { text: message, label: undefined, value: '' };
}

interface Value {
  parts: string[];
  section: string;
}

/** Values of labels under their names; of equal ones the last in the first section counts. Lines without a label belong to the value before. */
function valuesOfLines(lines: readonly Line[], id: number): Map<string, Value> {
  const inEvent = placesOfEvent.get(id) ?? places;
  const heads = inOrder(lines, ({ label, value, isIndented }) => (isIndented || value !== '' ? undefined : inEvent.get(label)));
  const loose = id === 4776 ? inOrder(lines, ({ label }) => placeOfLabel.get(label)) : undefined;
  const isOwn = (label: string, section: string, at: number) =>
    label !== '' && (bound[label]?.includes(section) ?? true) && (loose?.has(at) ?? true);
  const values = new Map<string, Value>();
  let section = '';
  let open: string[] | undefined;
  for (const [at, { label, value, isIndented }] of lines.entries()) {
    const isHead = heads.has(at);
    if (isHead) section = label;
    const name = !isHead && isOwn(label, section, at) ? nameOf(section, label, id) : undefined;
    if (name !== undefined) {
      open = [value];
      if ((values.get(name)?.section ?? section) === section) values.set(name, { parts: open, section });
    } else if (isHead || (label !== '' && isIndented) || (label === '' && value === '')) open = undefined;
    else open?.push(label === '' ? value : `${label}: ${value}`);
  }
  return values;
}

/** Values of an event of the Security log; those of several lines have all of them. */
function securityValues(message: string, id: number): Document {
  const data: Document = {};
  const { text, label, value } = cutFree(message);
  for (const [name, { parts }] of valuesOfLines(text.split('\n').map(lineOf), id))
    setOwn(data, name, parts.filter((part) => part !== '').join('\n'));
  const name = label === undefined ? undefined : nameOf('', label, id);
  if (name !== undefined) setOwn(data, name, value);
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

/** Values of an event out of its rendered message. */
export function valuesOf({ Channel, SourceName, EventID }: Document, message: string): Document {
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
  // The name and the file may have line breaks; what the service manager writes comes behind them.
  for (const line of message.split('\n')) {
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
