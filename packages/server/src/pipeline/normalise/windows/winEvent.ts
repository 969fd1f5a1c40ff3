/**
 * Windows events as PowerShell writes them: `Get-WinEvent … | ConvertTo-Json`. Values of the event have no names there
 * (`Properties`), so they are named by position for the events below, and from “Name: value” lines of Sysmon’s messages. Orders of
 * values: Microsoft, Windows security auditing events, and the manifests of the providers.
 */
import type { Document } from '../../event.ts';
import { fill, isObject, known, section, setOwn, text } from '../doc.ts';
import { eventId } from './evtx.ts';

const subject = 'SubjectUserSid SubjectUserName SubjectDomainName SubjectLogonId';
const target = 'TargetUserSid TargetUserName TargetDomainName';
const account = `TargetUserName TargetDomainName TargetSid ${subject}`;
const member = `MemberName MemberSid ${account}`;

/** Names of the values by provider and event, in order. */
const names: Readonly<Record<string, string>> = {
  'Microsoft-Windows-Security-Auditing 4624': `${subject} ${target} TargetLogonId LogonType LogonProcessName AuthenticationPackageName WorkstationName LogonGuid TransmittedServices LmPackageName KeyLength ProcessId ProcessName IpAddress IpPort`,
  'Microsoft-Windows-Security-Auditing 4625': `${subject} ${target} Status FailureReason SubStatus LogonType LogonProcessName AuthenticationPackageName WorkstationName TransmittedServices LmPackageName KeyLength ProcessId ProcessName IpAddress IpPort`,
  'Microsoft-Windows-Security-Auditing 4634': `${target} TargetLogonId LogonType`,
  'Microsoft-Windows-Security-Auditing 4648': `${subject} LogonGuid TargetUserName TargetDomainName TargetLogonGuid TargetServerName TargetInfo ProcessId ProcessName IpAddress IpPort`,
  'Microsoft-Windows-Security-Auditing 4672': `${subject} PrivilegeList`,
  'Microsoft-Windows-Security-Auditing 4688': `${subject} NewProcessId NewProcessName TokenElevationType ProcessId CommandLine ${target} TargetLogonId ParentProcessName MandatoryLabel`,
  'Microsoft-Windows-Security-Auditing 4697': `${subject} ServiceName ServiceFileName ServiceType ServiceStartType ServiceAccount`,
  'Microsoft-Windows-Security-Auditing 4698': `${subject} TaskName TaskContent`,
  'Microsoft-Windows-Security-Auditing 4720': account,
  'Microsoft-Windows-Security-Auditing 4722': account,
  'Microsoft-Windows-Security-Auditing 4724': account,
  'Microsoft-Windows-Security-Auditing 4725': account,
  'Microsoft-Windows-Security-Auditing 4726': account,
  'Microsoft-Windows-Security-Auditing 4728': member,
  'Microsoft-Windows-Security-Auditing 4732': member,
  'Microsoft-Windows-Security-Auditing 4756': member,
  'Microsoft-Windows-Security-Auditing 4768':
    'TargetUserName TargetDomainName TargetSid ServiceName ServiceSid TicketOptions Status TicketEncryptionType PreAuthType IpAddress IpPort',
  'Microsoft-Windows-Security-Auditing 4769':
    'TargetUserName TargetDomainName ServiceName ServiceSid TicketOptions TicketEncryptionType IpAddress IpPort Status LogonGuid',
  'Microsoft-Windows-Security-Auditing 4776': 'PackageName TargetUserName Workstation Status',
  'Microsoft-Windows-Eventlog 1102': subject,
  'Service Control Manager 7045': 'ServiceName ImagePath ServiceType StartType AccountName',
  'Microsoft-Windows-PowerShell 4104': 'MessageNumber MessageTotal ScriptBlockText ScriptBlockId Path',
};

/** True for an event of `Get-WinEvent`, whose `Id` and `LogName` no other converter has together. */
export const isWinEvent = (document: Document): boolean =>
  typeof document.LogName === 'string' && document.Id !== undefined && typeof document.ProviderName === 'string';

/** Builds `winlog` and returns the event’s own time, unparsed. */
export function fillFromWinEvent(document: Document): unknown {
  const winlog = section(document, 'winlog');
  const provider = known(document.ProviderName);
  const id = eventId(document.Id);
  fill(winlog, 'channel', known(document.LogName));
  fill(winlog, 'event_id', id);
  fill(winlog, 'provider_name', provider);
  fill(winlog, 'computer_name', known(document.MachineName));
  fill(winlog, 'record_id', text(document.RecordId));
  const data = provider?.startsWith('Microsoft-Windows-Sysmon')
    ? namedInMessage(document.Message)
    : namedByOrder(document.Properties, names[`${provider} ${id}`]);
  fill(winlog, 'event_data', data);
  if (typeof document.Message === 'string') fill(document, 'message', document.Message);
  const time = document.TimeCreated;
  return isObject(time) ? (time.value ?? time.DateTime) : time;
}

function namedByOrder(properties: unknown, order: string | undefined): Document {
  const data: Document = {};
  if (!Array.isArray(properties)) return data;
  const known = order?.split(' ') ?? [];
  for (const [at, property] of properties.slice(0, 200).entries()) {
    const value = isObject(property) ? property.Value : property;
    const shown = isObject(value) ? (value.Value ?? JSON.stringify(value)) : value;
    if (shown !== undefined && shown !== null) setOwn(data, known[at] ?? `param${at + 1}`, shown);
  }
  return data;
}

const longestLine = 32_000;

/** `Process Create:\nImage: C:\…\nUser: …` */
function namedInMessage(message: unknown): Document {
  const data: Document = {};
  if (typeof message !== 'string') return data;
  for (const line of message.split('\n', 100)) {
    const [, name, value] = /^([A-Z][A-Za-z]{1,40}): (.*)$/.exec(line.slice(0, longestLine).trim()) ?? [];
    if (name !== undefined && value) setOwn(data, name, value);
  }
  return data;
}
