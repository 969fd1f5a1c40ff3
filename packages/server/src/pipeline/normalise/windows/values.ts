/**
 * Names of the values of events by position, for converters that write values without names (`Properties` of `Get-WinEvent`, `StringInserts`
 * of Fluent Bit). Orders: Microsoft, Windows security auditing events, and the manifests of the providers. `_` stands for a space.
 */
import type { Document } from '../../event.ts';
import { isObject, setOwn } from '../doc.ts';
import { namedInMessage } from './message.ts';

const subject = 'SubjectUserSid SubjectUserName SubjectDomainName SubjectLogonId';
const target = 'TargetUserSid TargetUserName TargetDomainName';
const account = `TargetUserName TargetDomainName TargetSid ${subject}`;
const attributes =
  'SamAccountName DisplayName UserPrincipalName HomeDirectory HomePath ScriptPath ProfilePath UserWorkstations PasswordLastSet AccountExpires PrimaryGroupId AllowedToDelegateTo OldUacValue NewUacValue UserAccountControl UserParameters SidHistory LogonHours';
const member = `MemberName MemberSid ${account} PrivilegeList`;
const object = `${subject} ObjectServer ObjectType ObjectName HandleId`;
const task = 'ClientProcessStartKey ClientProcessId ParentProcessId RpcCallClientLocality FQDN';
const directory = `OpCorrelationID AppCorrelationID ${subject} DSName DSType ObjectDN ObjectGUID ObjectClass`;
const filtered = 'Application Direction SourceAddress SourcePort DestAddress DestPort Protocol FilterRTID LayerName LayerRTID';
const threat =
  'Product_Name Product_Version Detection_ID Detection_Time Unused Unused2 Threat_ID Threat_Name Severity_ID Severity_Name Category_ID Category_Name FWLink Status_Code Status_Description State Source_ID Source_Name Process_Name Detection_User Unused3 Path';

const security: Readonly<Record<number, string>> = {
  4624: `${subject} ${target} TargetLogonId LogonType LogonProcessName AuthenticationPackageName WorkstationName LogonGuid TransmittedServices LmPackageName KeyLength ProcessId ProcessName IpAddress IpPort ImpersonationLevel RestrictedAdminMode TargetOutboundUserName TargetOutboundDomainName VirtualAccount TargetLinkedLogonId ElevatedToken`,
  4625: `${subject} ${target} Status FailureReason SubStatus LogonType LogonProcessName AuthenticationPackageName WorkstationName TransmittedServices LmPackageName KeyLength ProcessId ProcessName IpAddress IpPort`,
  4634: `${target} TargetLogonId LogonType`,
  4648: `${subject} LogonGuid TargetUserName TargetDomainName TargetLogonGuid TargetServerName TargetInfo ProcessId ProcessName IpAddress IpPort`,
  4656: `${object} TransactionId AccessList AccessReason AccessMask PrivilegeList RestrictedSidCount ProcessId ProcessName ResourceAttributes`,
  4657: `${subject} ObjectName ObjectValueName HandleId OperationType OldValueType OldValue NewValueType NewValue ProcessId ProcessName`,
  4661: `${object} TransactionId AccessList AccessMask PrivilegeList Properties RestrictedSidCount ProcessId ProcessName`,
  4662: `${subject} ObjectServer ObjectType ObjectName OperationType HandleId AccessList AccessMask Properties AdditionalInfo AdditionalInfo2`,
  4663: `${object} AccessList AccessMask ProcessId ProcessName ResourceAttributes`,
  4670: `${object} OldSd NewSd ProcessId ProcessName`,
  4672: `${subject} PrivilegeList`,
  4673: `${subject} ObjectServer Service PrivilegeList ProcessId ProcessName`,
  4674: `${object} AccessMask PrivilegeList ProcessId ProcessName`,
  4688: `${subject} NewProcessId NewProcessName TokenElevationType ProcessId CommandLine ${target} TargetLogonId ParentProcessName MandatoryLabel`,
  4697: `${subject} ServiceName ServiceFileName ServiceType ServiceStartType ServiceAccount ClientProcessStartKey ClientProcessId ParentProcessId`,
  4698: `${subject} TaskName TaskContent ${task}`,
  4699: `${subject} TaskName TaskContent ${task}`,
  4700: `${subject} TaskName TaskContent ${task}`,
  4701: `${subject} TaskName TaskContent ${task}`,
  4702: `${subject} TaskName TaskContentNew ${task}`,
  4703: `${subject} ${target} TargetLogonId ProcessName ProcessId EnabledPrivilegeList DisabledPrivilegeList`,
  4719: `${subject} CategoryId SubcategoryId SubcategoryGuid AuditPolicyChanges`,
  4720: `${account} PrivilegeList ${attributes}`,
  4722: account,
  4723: `${account} PrivilegeList`,
  4724: account,
  4725: account,
  4726: `${account} PrivilegeList`,
  4728: member,
  4732: member,
  4738: `Dummy ${account} PrivilegeList ${attributes}`,
  4740: account,
  4741: `${account} PrivilegeList ${attributes} DnsHostName ServicePrincipalNames`,
  4742: `ComputerAccountChange ${account} PrivilegeList ${attributes} DnsHostName ServicePrincipalNames`,
  4756: member,
  4765: `SourceUserName SourceSid ${account} PrivilegeList SidList`,
  4768: 'TargetUserName TargetDomainName TargetSid ServiceName ServiceSid TicketOptions Status TicketEncryptionType PreAuthType IpAddress IpPort CertIssuerName CertSerialNumber CertThumbprint',
  4769: 'TargetUserName TargetDomainName ServiceName ServiceSid TicketOptions TicketEncryptionType IpAddress IpPort Status LogonGuid TransmittedServices',
  4770: 'TargetUserName TargetDomainName ServiceName ServiceSid TicketOptions TicketEncryptionType IpAddress IpPort',
  4771: 'TargetUserName TargetSid ServiceName TicketOptions Status PreAuthType IpAddress IpPort CertIssuerName CertSerialNumber CertThumbprint',
  4776: 'PackageName TargetUserName Workstation Status',
  4778: 'AccountName AccountDomain LogonID SessionName ClientName ClientAddress',
  4781: `OldTargetUserName NewTargetUserName TargetDomainName TargetSid ${subject} PrivilegeList`,
  4794: `${subject} Workstation Status`,
  4798: `${account} CallerProcessId CallerProcessName`,
  4799: `${account} CallerProcessId CallerProcessName`,
  4886: 'RequestId Requester Attributes',
  4887: 'RequestId Requester Attributes Disposition SubjectKeyIdentifier Subject',
  4929: 'DestinationDRA SourceDRA SourceAddr NamingContext Options StatusCode',
  4950: 'ProfileChanged SettingType SettingValue',
  4964: `${subject} LogonGuid TargetUserName TargetDomainName TargetLogonId TargetLogonGuid SidList`,
  5136: `${directory} AttributeLDAPDisplayName AttributeSyntaxOID AttributeValue OperationType`,
  5137: directory,
  5140: `${subject} ObjectType IpAddress IpPort ShareName ShareLocalPath AccessMask AccessList`,
  5141: `${directory} TreeDelete`,
  5142: `${subject} ShareName ShareLocalPath`,
  5145: `${subject} ObjectType IpAddress IpPort ShareName ShareLocalPath RelativeTargetName AccessMask AccessList AccessReason`,
  5156: `ProcessID ${filtered} RemoteUserID RemoteMachineID`,
  5157: `ProcessID ${filtered} RemoteUserID RemoteMachineID`,
  5379: `${subject} TargetName Type CountOfCredentialsReturned ReadOperation ReturnCode ProcessCreationTime ClientProcessId`,
};

const others: Readonly<Record<string, string>> = {
  'Microsoft-Windows-Eventlog 104': 'SubjectUserName SubjectDomainName Channel BackupPath',
  'Microsoft-Windows-Eventlog 1102': subject,
  'Service Control Manager 7045': 'ServiceName ImagePath ServiceType StartType AccountName',
  'Microsoft-Windows-PowerShell 4103': 'ContextInfo UserData Payload',
  'Microsoft-Windows-PowerShell 4104': 'MessageNumber MessageTotal ScriptBlockText ScriptBlockId Path',
  'Microsoft-Windows-TaskScheduler 106': 'TaskName UserContext',
  'Microsoft-Windows-TaskScheduler 140': 'TaskName UserName',
  'Microsoft-Windows-TaskScheduler 141': 'TaskName UserName',
  'Microsoft-Windows-TaskScheduler 129': 'TaskName Path ProcessID Priority',
  'Microsoft-Windows-TaskScheduler 200': 'TaskName ActionName TaskInstanceId EnginePID',
  'Microsoft-Windows-WMI-Activity 5857': 'ProviderName Code HostProcess ProcessID ProviderPath',
  'Microsoft-Windows-WMI-Activity 5858': 'Id ClientMachine User ClientProcessId Component Operation ResultCode PossibleCause',
  'Microsoft-Windows-WMI-Activity 5860': 'NamespaceName Query User Processid MachineName PossibleCause',
  'Microsoft-Windows-WMI-Activity 5861': 'Namespace ESS CONSUMER PossibleCause',
  'Microsoft-Windows-TerminalServices-LocalSessionManager 21': 'User SessionID Address',
  'Microsoft-Windows-TerminalServices-LocalSessionManager 24': 'User SessionID Address',
  'Microsoft-Windows-TerminalServices-LocalSessionManager 25': 'User SessionID Address',
  'Microsoft-Windows-TerminalServices-RemoteConnectionManager 1149': 'Param1 Param2 Param3',
  'Microsoft-Windows-Windows Defender 1116': threat,
  'Microsoft-Windows-Windows Defender 1117': threat,
  'Microsoft-Windows-Windows Defender 5007': 'Product_Name Product_Version Old_Value New_Value',
  'Microsoft-Windows-Bits-Client 3': 'jobTitle jobId jobOwner processPath processId ClientProcessStartKey',
  'Microsoft-Windows-Bits-Client 59': 'transferId name Id url peer hr fileTime fileLength bytesTotal bytesTransferred',
};

const maxValues = 200;

/** Values of an event under their names; `param1` and so on where the event is in no table. Those of Sysmon change their places with its versions, so its message is read. */
export function namedValues(provider: string | undefined, id: string | undefined, values: unknown, message: unknown): Document {
  if (provider?.startsWith('Microsoft-Windows-Sysmon')) return namedInMessage(message);
  const data: Document = {};
  if (!Array.isArray(values)) return data;
  const order = provider === 'Microsoft-Windows-Security-Auditing' ? security[Number(id)] : others[`${provider} ${id}`];
  const names = order?.split(' ') ?? [];
  for (const [at, property] of values.slice(0, maxValues).entries()) {
    const value = isObject(property) ? property.Value : property;
    const shown = isObject(value) ? (value.Value ?? JSON.stringify(value)) : value;
    if (shown !== undefined && shown !== null) setOwn(data, names[at]?.replaceAll('_', ' ') ?? `param${at + 1}`, shown);
  }
  return data;
}
