/** Seeded events shaped like Winlogbeat's. */
import { between, pick, type Random } from '../detections/testing/benign/random.ts';
import { BINARIES, FOLDERS, hex, rare, word } from './detect.words.ts';

export type Event = Record<string, unknown>;

const USERS = ['CORP\\alice', 'CORP\\bob', 'NT AUTHORITY\\SYSTEM', 'NT AUTHORITY\\LOCAL SERVICE', 'CORP\\svc-backup'];
const HOSTS = ['WS-0142.corp.example', 'SRV-DC01.corp.example', 'SRV-FILE02.corp.example', 'WS-0077.corp.example'];
const EVERYDAY = [
  'svchost',
  'explorer',
  'chrome',
  'msedge',
  'conhost',
  'taskhostw',
  'backgroundtaskhost',
  'searchindexer',
  'onedrive',
  'teams',
  'code',
  'git',
  'runtimebroker',
];

const path = (random: Random): string =>
  `${pick(random, FOLDERS)}${random() < 0.35 ? pick(random, BINARIES) : pick(random, EVERYDAY)}.exe`;
const guid = (random: Random): string =>
  `{${hex(random, 8)}-${hex(random, 4)}-${hex(random, 4)}-${hex(random, 4)}-${hex(random, 12)}}`;

function commandLine(random: Random, image: string): string {
  const parts = [`"${image}"`];
  for (let i = between(random, 1, 7); i > 0; i--) {
    const kind = random();
    if (kind < 0.4) parts.push(`${pick(random, ['-', '/', '--'])}${word(random)}`);
    else if (kind < 0.6) parts.push(`${pick(random, FOLDERS)}${word(random)}.${pick(random, ['dll', 'txt', 'log', 'ps1'])}`);
    else if (kind < 0.8) parts.push(`${word(random)}=${hex(random, between(random, 4, 20))}`);
    else parts.push(random() < 0.9 ? word(random) : rare(random));
  }
  return parts.join(' ');
}

function frame(random: Random, channel: string, provider: string, id: number, rest: Event): Event {
  const host = pick(random, HOSTS);
  return {
    '@timestamp': `2026-03-0${between(random, 1, 9)}T1${between(random, 0, 9)}:2${between(random, 0, 9)}:31.${between(random, 100, 999)}Z`,
    agent: { type: 'winlogbeat', version: '8.17.0' },
    ecs: { version: '8.0.0' },
    event: { code: String(id), kind: 'event', provider },
    host: { name: host, os: { type: 'windows' } },
    log: { level: 'information' },
    ...rest,
    winlog: {
      api: 'wineventlog',
      channel,
      computer_name: host,
      event_id: String(id),
      provider_name: provider,
      opcode: 'Info',
      record_id: between(random, 100_000, 999_999),
      process: { pid: between(random, 400, 9000), thread: { id: between(random, 400, 9000) } },
      version: 5,
      ...(rest.winlog as Event | undefined),
    },
  };
}

const SYSMON = 'Microsoft-Windows-Sysmon/Operational';
const sysmon = (random: Random, id: number, rest: Event): Event => frame(random, SYSMON, 'Microsoft-Windows-Sysmon', id, rest);

/** Process creation: Sysmon 1 and Security 4688. */
export function processEvent(random: Random): Event {
  const image = path(random);
  const parent = path(random);
  if (random() < 0.25)
    return frame(random, 'Security', 'Microsoft-Windows-Security-Auditing', 4688, {
      winlog: {
        event_data: {
          SubjectUserSid: 'S-1-5-18',
          SubjectUserName: 'WS-0142$',
          SubjectDomainName: 'CORP',
          SubjectLogonId: '0x3e7',
          NewProcessId: `0x${hex(random, 4)}`,
          NewProcessName: image,
          TokenElevationType: '%%1936',
          ProcessId: `0x${hex(random, 4)}`,
          CommandLine: commandLine(random, image),
          TargetUserSid: 'S-1-0-0',
          TargetUserName: '-',
          ParentProcessName: parent,
          MandatoryLabel: 'S-1-16-16384',
        },
      },
    });
  const [domain, name] = pick(random, USERS).split('\\');
  return sysmon(random, 1, {
    process: {
      executable: image,
      name: image.split('\\').at(-1),
      pid: between(random, 400, 20_000),
      entity_id: guid(random),
      command_line: commandLine(random, image),
      working_directory: 'C:\\Windows\\System32\\',
      hash: { md5: hex(random, 32) },
      pe: {
        imphash: hex(random, 32),
        original_file_name: image.split('\\').at(-1),
        company: 'Microsoft Corporation',
        file_version: '10.0.19041.1',
        product: 'Microsoft® Windows® Operating System',
        description: 'Host Process',
      },
      parent: {
        executable: parent,
        command_line: commandLine(random, parent),
        pid: between(random, 400, 20_000),
        entity_id: guid(random),
      },
    },
    user: { name, domain },
    winlog: { event_data: { IntegrityLevel: 'High', LogonId: '0x3e7', TerminalSessionId: '1', LogonGuid: guid(random) } },
  });
}

/** Event mix of a Windows fleet: few process starts, many loads, registry and file events, logons. */
export function mixedEvent(random: Random): Event {
  const kind = random();
  if (kind < 0.12) return processEvent(random);
  const image = path(random);
  const common = {
    UtcTime: '2026-03-02 10:21:31.101',
    RuleName: '-',
    ProcessGuid: guid(random),
    ProcessId: String(between(random, 400, 9000)),
    Image: image,
    User: pick(random, USERS),
  };
  if (kind < 0.27)
    return sysmon(random, 13, {
      registry: { hive: 'HKLM', path: `HKLM\\Software\\Microsoft\\${word(random)}\\${word(random)}` },
      winlog: {
        event_data: {
          ...common,
          EventType: 'SetValue',
          TargetObject: `HKLM\\System\\CurrentControlSet\\${word(random)}\\${word(random)}\\${rare(random)}`,
          Details: `DWORD (0x0000000${between(random, 0, 9)})`,
        },
      },
    });
  if (kind < 0.42)
    return sysmon(random, 7, {
      winlog: {
        event_data: {
          ...common,
          ImageLoaded: `${pick(random, FOLDERS)}${word(random)}.dll`,
          FileVersion: '10.0.19041.1',
          Description: 'Windows Library',
          Product: 'Windows',
          Company: 'Microsoft',
          OriginalFileName: `${word(random)}.dll`,
          Hashes: `MD5=${hex(random, 32)},SHA256=${hex(random, 64)},IMPHASH=${hex(random, 32)}`,
          Signed: 'true',
          Signature: 'Microsoft Windows',
          SignatureStatus: 'Valid',
        },
      },
    });
  if (kind < 0.55)
    return sysmon(random, 11, {
      file: { path: `${pick(random, FOLDERS)}${rare(random)}.tmp` },
      winlog: {
        event_data: {
          ...common,
          TargetFilename: `${pick(random, FOLDERS)}${word(random)}\\${rare(random)}.${pick(random, ['tmp', 'log', 'exe', 'dll', 'txt'])}`,
          CreationUtcTime: '2026-03-02 10:21:31.101',
        },
      },
    });
  if (kind < 0.65)
    return sysmon(random, 3, {
      winlog: {
        event_data: {
          ...common,
          Protocol: 'tcp',
          Initiated: 'true',
          SourceIp: `10.1.${between(random, 0, 255)}.${between(random, 1, 254)}`,
          SourcePort: String(between(random, 49152, 65535)),
          SourceHostname: pick(random, HOSTS),
          DestinationIp: `${between(random, 1, 223)}.4.5.${between(random, 1, 254)}`,
          DestinationPort: '443',
          DestinationHostname: `${word(random)}.example.com`,
        },
      },
    });
  if (kind < 0.72)
    return sysmon(random, 10, {
      winlog: {
        event_data: {
          ...common,
          SourceImage: image,
          TargetImage: path(random),
          GrantedAccess: `0x${hex(random, 4)}`,
          CallTrace: `C:\\Windows\\SYSTEM32\\ntdll.dll+${hex(random, 5)}|C:\\Windows\\System32\\KERNELBASE.dll+${hex(random, 5)}|C:\\Windows\\System32\\${word(random)}.dll+${hex(random, 5)}`,
        },
      },
    });
  if (kind < 0.76)
    return sysmon(random, 22, {
      winlog: {
        event_data: {
          ...common,
          QueryName: `${word(random)}.${word(random)}.example.com`,
          QueryStatus: '0',
          QueryResults: '::ffff:10.1.2.3;',
        },
      },
    });
  if (kind < 0.8)
    return frame(random, 'Microsoft-Windows-PowerShell/Operational', 'Microsoft-Windows-PowerShell', 4104, {
      winlog: {
        event_data: {
          MessageNumber: '1',
          MessageTotal: '1',
          ScriptBlockId: guid(random),
          Path: '',
          ScriptBlockText: Array.from({ length: between(random, 20, 90) }, () =>
            random() < 0.2 ? `$${rare(random)} =` : word(random),
          ).join(' '),
        },
      },
    });
  const id = pick(random, [4624, 4624, 4634, 4672, 4663, 4663, 5156, 5145, 4768, 4769, 4776]);
  return frame(random, 'Security', 'Microsoft-Windows-Security-Auditing', id, {
    winlog: {
      keywords: ['Audit Success'],
      event_data: {
        SubjectUserSid: 'S-1-5-18',
        SubjectUserName: 'WS-0142$',
        SubjectDomainName: 'CORP',
        SubjectLogonId: '0x3e7',
        TargetUserSid: 'S-1-5-21-1',
        TargetUserName: pick(random, ['alice', 'bob', 'svc-backup']),
        TargetDomainName: 'CORP',
        TargetLogonId: `0x${hex(random, 6)}`,
        LogonType: '3',
        LogonProcessName: 'Kerberos',
        AuthenticationPackageName: 'Kerberos',
        WorkstationName: '-',
        LogonGuid: guid(random),
        ProcessId: '0x0',
        ProcessName: path(random),
        IpAddress: '10.1.2.3',
        IpPort: '53112',
        ObjectName: `${pick(random, FOLDERS)}${word(random)}`,
      },
    },
  });
}
