/** Windows' own channels as Winlogbeat posts them: Security, System, PowerShell, Defender. */
import type { Device } from '../fleet.ts';
import type { Person } from '../people.ts';
import type { Emitted } from '../types.ts';
import { requirePerson, type Scene } from './scene.ts';
import { windowsEvent } from './winlogbeat.ts';

const securityGuid = '{54849625-5478-4994-A5BA-3E3B0328C30D}';

interface SecurityEvent {
  eventId: number;
  task: string;
  title: string;
  data: Record<string, string>;
  outcome?: 'success' | 'failure';
}

/** Any event of the Security channel. */
export function securityEvent(scene: Scene, event: SecurityEvent): Emitted {
  return windowsEvent(scene, {
    provider: 'Microsoft-Windows-Security-Auditing',
    providerGuid: securityGuid,
    channel: 'Security',
    outcome: 'success',
    ...event,
  });
}

/** `Subject…` of most security events: the acting user. */
export function subject(scene: Scene, person: Person = requirePerson(scene)): Record<string, string> {
  return {
    SubjectUserSid: person.sid,
    SubjectUserName: person.account,
    SubjectDomainName: scene.device.site.windowsDomain,
    SubjectLogonId: `0x${scene.random.hex(6)}`,
  };
}

/** The machine's own account as subject. */
export function machineSubject(device: Device): Record<string, string> {
  return {
    SubjectUserSid: 'S-1-5-18',
    SubjectUserName: `${device.name}$`,
    SubjectDomainName: device.site.windowsDomain,
    SubjectLogonId: '0x3e7',
  };
}

export interface Logon {
  /** 2 interactive, 3 network, 4 batch, 5 service, 7 unlock, 9 new credentials, 10 remote desktop. */
  type?: 2 | 3 | 4 | 5 | 7 | 9 | 10;
  from?: string;
  workstation?: string;
  authentication?: 'Kerberos' | 'NTLM' | 'Negotiate';
  /** Account name, if not the person's. */
  account?: string;
}

/** 4624. */
export function logon(scene: Scene, how: Logon = {}): Emitted {
  const person = requirePerson(scene);
  const authentication = how.authentication ?? 'Kerberos';
  return securityEvent(scene, {
    eventId: 4624,
    task: 'Logon',
    title: 'An account was successfully logged on.',
    data: {
      ...machineSubject(scene.device),
      TargetUserSid: person.sid,
      TargetUserName: how.account ?? person.account,
      TargetDomainName: scene.device.site.windowsDomain,
      TargetLogonId: `0x${scene.random.hex(6)}`,
      LogonType: String(how.type ?? 3),
      LogonProcessName: authentication === 'NTLM' ? 'NtLmSsp ' : 'Kerberos',
      AuthenticationPackageName: authentication,
      WorkstationName: how.workstation ?? '-',
      LogonGuid: `{${scene.random.uuid().toUpperCase()}}`,
      TransmittedServices: '-',
      LmPackageName: authentication === 'NTLM' ? 'NTLM V2' : '-',
      KeyLength: authentication === 'NTLM' ? '128' : '0',
      ProcessId: '0x0',
      ProcessName: '-',
      IpAddress: how.from ?? scene.device.ip,
      IpPort: String(scene.random.int(49_152, 65_000)),
      ImpersonationLevel: '%%1833',
      ElevatedToken: person.isAdministrator ? '%%1842' : '%%1843',
    },
  });
}

/** 4625. Sub-status 0xC000006A is a wrong password, 0xC0000064 an unknown name, 0xC0000234 a locked account. */
export function logonFailure(scene: Scene, how: Logon & { subStatus?: string } = {}): Emitted {
  const person = scene.person ?? scene.device.owner;
  return securityEvent(scene, {
    eventId: 4625,
    task: 'Logon',
    title: 'An account failed to log on.',
    outcome: 'failure',
    data: {
      SubjectUserSid: 'S-1-0-0',
      SubjectUserName: '-',
      SubjectDomainName: '-',
      SubjectLogonId: '0x0',
      TargetUserSid: 'S-1-0-0',
      TargetUserName: how.account ?? person?.account ?? 'administrator',
      TargetDomainName: scene.device.site.windowsDomain,
      Status: '0xc000006d',
      FailureReason: '%%2313',
      SubStatus: how.subStatus ?? '0xc000006a',
      LogonType: String(how.type ?? 3),
      LogonProcessName: 'NtLmSsp ',
      AuthenticationPackageName: how.authentication ?? 'NTLM',
      WorkstationName: how.workstation ?? scene.device.name,
      TransmittedServices: '-',
      LmPackageName: '-',
      KeyLength: '0',
      ProcessId: '0x0',
      ProcessName: '-',
      IpAddress: how.from ?? scene.device.ip,
      IpPort: String(scene.random.int(49_152, 65_000)),
    },
  });
}

/** 7045: a new service in the System channel. */
export function serviceInstalled(
  scene: Scene,
  service: { name: string; path: string; start?: string; account?: string },
): Emitted {
  return windowsEvent(scene, {
    provider: 'Service Control Manager',
    providerGuid: '{555908d1-a6d7-4695-8e1e-26931d2012f4}',
    channel: 'System',
    eventId: 7045,
    task: 'None',
    title: 'A service was installed in the system.',
    data: {
      ServiceName: service.name,
      ImagePath: service.path,
      ServiceType: 'user mode service',
      StartType: service.start ?? 'demand start',
      AccountName: service.account ?? 'LocalSystem',
    },
    winlogUser: {
      domain: scene.device.site.windowsDomain,
      identifier: scene.person?.sid ?? 'S-1-5-18',
      name: scene.person?.account ?? 'SYSTEM',
      type: 'User',
    },
  });
}

/** 1102: the Security log was cleared. */
export function securityLogCleared(scene: Scene): Emitted {
  const who = subject(scene);
  return windowsEvent(scene, {
    provider: 'Microsoft-Windows-Eventlog',
    providerGuid: '{fc65ddd8-d6ef-4962-83d5-6e5cfe9ce148}',
    channel: 'Security',
    eventId: 1102,
    task: 'Log clear',
    title: 'The audit log was cleared.',
    outcome: 'success',
    data: who,
    userData: { xml_name: 'LogFileCleared', ...who },
  });
}

/** 104: another log was cleared. */
export function systemLogCleared(scene: Scene, channel: string): Emitted {
  const who = subject(scene);
  return windowsEvent(scene, {
    provider: 'Microsoft-Windows-Eventlog',
    providerGuid: '{fc65ddd8-d6ef-4962-83d5-6e5cfe9ce148}',
    channel: 'System',
    eventId: 104,
    task: 'Log clear',
    title: `The ${channel} log file was cleared.`,
    data: { ...who, Channel: channel, BackupPath: '' },
    userData: {
      xml_name: 'LogFileCleared',
      SubjectUserName: who.SubjectUserName!,
      SubjectDomainName: who.SubjectDomainName!,
      Channel: channel,
    },
  });
}

/** 4104: a script block as PowerShell saw it after decoding. */
export function scriptBlock(scene: Scene, text: string, path = ''): Emitted {
  const person = requirePerson(scene);
  return windowsEvent(scene, {
    provider: 'Microsoft-Windows-PowerShell',
    providerGuid: '{a0c1853b-5c40-4b15-8766-3cf1c58f985a}',
    channel: 'Microsoft-Windows-PowerShell/Operational',
    eventId: 4104,
    task: 'Execute a Remote Command',
    title: `Creating Scriptblock text (1 of 1):\n${text}`,
    data: { MessageNumber: '1', MessageTotal: '1', ScriptBlockText: text, ScriptBlockId: scene.random.uuid(), Path: path },
    level: 'warning',
    winlogUser: { domain: scene.device.site.windowsDomain, identifier: person.sid, name: person.account, type: 'User' },
  });
}

interface DefenderEvent {
  eventId: number;
  title: string;
  data: Record<string, string>;
  level?: 'information' | 'warning' | 'error';
}

/** Any event of Microsoft Defender Antivirus. */
export function defender(scene: Scene, event: DefenderEvent): Emitted {
  return windowsEvent(scene, {
    provider: 'Microsoft-Windows-Windows Defender',
    providerGuid: '{11cd958a-c507-4ef3-b3f2-5fd9dfbd2c78}',
    channel: 'Microsoft-Windows-Windows Defender/Operational',
    task: 'None',
    level: 'warning',
    winlogUser: { domain: 'NT AUTHORITY', identifier: 'S-1-5-18', name: 'SYSTEM', type: 'User' },
    ...event,
    data: { 'Product Name': 'Microsoft Defender Antivirus', 'Product Version': '4.18.24090.11', ...event.data },
  });
}

/** 1116 found, 1117 remediated. */
export function malwareFound(
  scene: Scene,
  threat: { name: string; severity: string; category: string; path: string; isRemoved?: boolean },
): Emitted {
  const person = requirePerson(scene);
  return defender(scene, {
    eventId: threat.isRemoved ? 1117 : 1116,
    title: threat.isRemoved
      ? 'Microsoft Defender Antivirus has taken action to protect this machine from malware or other potentially unwanted software.'
      : 'Microsoft Defender Antivirus has detected malware or other potentially unwanted software.',
    data: {
      'Detection ID': `{${scene.random.uuid().toUpperCase()}}`,
      'Detection Time': new Date(scene.at).toISOString(),
      'Threat ID': String(scene.random.int(2_147_000_000, 2_147_900_000)),
      'Threat Name': threat.name,
      'Severity ID': threat.severity === 'Severe' ? '5' : '4',
      'Severity Name': threat.severity,
      'Category Name': threat.category,
      'Source Name': 'Real-Time Protection',
      'Process Name': 'C:\\Windows\\explorer.exe',
      'Detection User': person.windowsName,
      Path: `file:_${threat.path}`,
      'Origin Name': 'Local machine',
      'Action Name': threat.isRemoved ? 'Quarantine' : 'Not Applicable',
      'Error Code': '0x00000000',
      'Error Description': 'The operation completed successfully. ',
    },
  });
}
