/**
 * Seeded rules shaped like SigmaHQ's and events shaped like Winlogbeat's. Generated texts with similar shares, lengths and
 * overlaps.
 */

export type Event = Record<string, unknown>;
export type Random = () => number;

/** Mulberry32 generator (T. Ettinger), sufficient for test data. */
export function seeded(seed: number): Random {
  let state = (seed * 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
const between = (random: Random, from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
const some = <T>(random: Random, list: readonly T[], count: number): T[] =>
  Array.from({ length: count }, () => pick(random, list));

const BINARIES = (
  'powershell cmd rundll32 regsvr32 mshta wscript cscript certutil bitsadmin schtasks net net1 reg sc wmic msiexec pwsh whoami nltest ' +
  'taskkill tasklist vssadmin wbadmin bcdedit wevtutil curl ftp robocopy esentutl ntdsutil netsh icacls takeown attrib cmstp installutil ' +
  'msbuild regasm regsvcs odbcconf forfiles hh pcalua control explorer svchost winword excel outlook mmc dllhost wmiprvse werfault ' +
  'bash wsl python ruby perl java node 7z rar winrar procdump psexec psexec64 adfind sharphound rubeus mimikatz nc ncat plink putty ssh scp rclone'
).split(' ');
const WORDS = (
  'invoke expression download string file net webclient iex bypass hidden noprofile encodedcommand frombase64 reflection assembly load ' +
  'delete shadows quiet export import create query start stop config add user localgroup administrators domain trusts enterprise admins ' +
  'lsass dump minidump comsvcs full ntds system sam security save hklm hkcu software microsoft currentversion run policies defender ' +
  'exclusionpath disablerealtime monitoring firewall rule allow dir in out program action remote desktop shadow session inject payload ' +
  'stager beacon tunnel proxy socks reverse connect listen port script block text transform object copy move hidden temp public downloads'
).split(' ');
const FOLDERS = [
  'C:\\Windows\\System32\\',
  'C:\\Windows\\SysWOW64\\',
  'C:\\Program Files\\',
  'C:\\Users\\Public\\',
  'C:\\ProgramData\\',
  'C:\\Windows\\Temp\\',
];

const word = (random: Random): string => pick(random, WORDS);
const rare = (random: Random): string =>
  `${word(random)}${pick(random, ['-', '.', '_', ''])}${word(random)}${between(random, 0, 99)}`;
const flag = (random: Random): string => ` ${pick(random, ['-', '/', '--'])}${word(random)}${pick(random, [' ', '', '='])}`;
const phrase = (random: Random): string =>
  pick(random, [
    flag,
    rare,
    rare,
    (r: Random) => `${word(r)} ${word(r)}`,
    (r: Random) => `.${word(r)}(`,
    (r: Random) => `\\${word(r)}\\${rare(r)}`,
  ])(random);
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const list = (texts: string[], indent: string): string => texts.map((text) => `\n${indent}- ${quoted(text)}`).join('');

interface Kind {
  weight: number;
  source: string;
  make: (random: Random) => string;
}

function values(random: Random, key: string, max: number, make: (random: Random) => string): string {
  const count = between(random, 1, max);
  return count === 1
    ? `        ${key}: ${quoted(make(random))}\n`
    : `        ${key}:${list(
        some(
          random,
          Array.from({ length: count }, () => make(random)),
          count,
        ),
        '            ',
      )}\n`;
}

function processRule(random: Random): string {
  const binary = pick(random, BINARIES);
  const shape = random();
  const image = `    selection_img:\n        - Image|endswith: ${quoted(`\\${binary}.exe`)}\n        - OriginalFileName: ${quoted(`${binary}.exe`)}\n`;
  const line = `    selection_cli:\n${values(random, 'CommandLine|contains', 6, phrase)}`;
  const all = `    selection_all:\n        CommandLine|contains|all:${list(some(random, [phrase(random), phrase(random), flag(random), word(random)], 3), '            ')}\n`;
  const filter = `    filter_main_known:\n        ParentImage|startswith: ${quoted(pick(random, FOLDERS))}\n        ParentImage|endswith: ${quoted(`\\${pick(random, BINARIES)}.exe`)}\n`;
  if (shape < 0.45) return `${image}${line}    condition: all of selection_*\n`;
  if (shape < 0.6) return `${image}${all}${filter}    condition: all of selection_* and not 1 of filter_main_*\n`;
  if (shape < 0.72) return `    selection:\n${values(random, 'CommandLine|contains', 12, rare)}    condition: selection\n`;
  if (shape < 0.82)
    return `    selection:\n${values(random, 'ParentImage|endswith', 5, (r) => `\\${pick(r, BINARIES)}.exe`)}${values(random, 'Image|endswith', 8, (r) => `\\${pick(r, BINARIES)}.exe`)}    filter_a:\n        CommandLine|contains: ${quoted(phrase(random))}\n    condition: selection and not filter_a\n`;
  if (shape < 0.88)
    return `    selection:\n${values(random, 'Image|endswith', 3, (r) => `\\${rare(r)}.exe`)}    condition: selection\n`;
  if (shape < 0.92)
    return `    selection:\n${values(random, 'Hashes|contains', 12, (r) => `IMPHASH=${hex(r, 32)}`)}    condition: selection\n`;
  if (shape < 0.96)
    return `    selection:\n${values(random, 'CommandLine|windash|contains', 3, flag)}${image.replace('selection_img', 'selection_img')}    condition: all of selection*\n`;
  return `${image}    selection_re:\n        CommandLine|re: ${quoted(`(?i)${word(random)}[^ ]{0,8}${word(random)}\\s+[a-z0-9+/=]{20,}`)}\n    condition: all of selection_*\n`;
}

const hex = (random: Random, length: number): string =>
  Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');

const KINDS: Kind[] = [
  { weight: 50, source: 'category: process_creation', make: processRule },
  {
    weight: 10,
    source: 'category: registry_set',
    make: (r) =>
      `    selection:\n${values(r, 'TargetObject|contains', 4, (q) => `\\${word(q)}\\${rare(q)}`)}${r() < 0.5 ? `        Details: 'DWORD (0x0000000${between(r, 0, 9)})'\n` : values(r, 'Details|contains', 4, rare)}    condition: selection\n`,
  },
  {
    weight: 9,
    source: 'category: ps_script',
    make: (r) =>
      `    selection:\n${values(r, r() < 0.4 ? 'ScriptBlockText|contains|all' : 'ScriptBlockText|contains', 6, rare).replace('|all: ', ': ')}    condition: selection\n`,
  },
  {
    weight: 8,
    source: 'category: file_event',
    make: (r) =>
      `    selection:\n${values(r, 'TargetFilename|endswith', 8, (q) => `\\${rare(q)}.${pick(q, ['exe', 'dll', 'ps1', 'bat'])}`)}    condition: selection\n`,
  },
  {
    weight: 5,
    source: 'category: image_load',
    make: (r) =>
      `    selection:\n${values(r, 'ImageLoaded|endswith', 5, (q) => `\\${rare(q)}.dll`)}    filter:\n${values(r, 'Image|startswith', 4, (q) => pick(q, FOLDERS))}    condition: selection and not filter\n`,
  },
  {
    weight: 3,
    source: 'category: network_connection',
    make: (r) =>
      `    selection:\n        Initiated: 'true'\n${values(r, 'Image|endswith', 4, (q) => `\\${pick(q, BINARIES)}.exe`)}${values(r, 'DestinationHostname|contains', 6, (q) => `${rare(q)}.com`)}    filter:\n        DestinationIp|cidr:\n            - '10.0.0.0/8'\n            - '127.0.0.0/8'\n    condition: selection and not filter\n`,
  },
  {
    weight: 2,
    source: 'category: dns_query',
    make: (r) => `    selection:\n${values(r, 'QueryName|endswith', 5, (q) => `${rare(q)}.net`)}    condition: selection\n`,
  },
  {
    weight: 1,
    source: 'category: process_access',
    make: (r) =>
      `    selection:\n        TargetImage|endswith: '\\lsass.exe'\n        GrantedAccess: '0x${hex(r, 4)}'\n    condition: selection\n`,
  },
  {
    weight: 1,
    source: 'category: pipe_created',
    make: (r) => `    selection:\n${values(r, 'PipeName|startswith', 4, (q) => `\\${rare(q)}`)}    condition: selection\n`,
  },
  {
    weight: 7,
    source: 'service: security',
    make: (r) =>
      `    selection:\n        EventID: ${pick(r, [4624, 4625, 4657, 4662, 4663, 4672, 4697, 4698, 4720, 4728, 4732, 4738, 4742, 4768, 4769, 4776, 5136, 5140, 5145])}\n${values(r, pick(r, ['ObjectName|contains', 'TargetUserName|endswith', 'ServiceName', 'RelativeTargetName|endswith', 'TicketOptions']), 4, rare)}    condition: selection\n`,
  },
  {
    weight: 4,
    source: 'service: system',
    make: (r) =>
      `    selection:\n        Provider_Name: 'Service Control Manager'\n        EventID: 7045\n${values(r, 'ImagePath|contains', 5, rare)}    condition: selection\n`,
  },
];

/** Returns `count` rules, one per file. */
export function* ruleFiles(count: number): Generator<{ file: string; text: string }> {
  const random = seeded(7);
  const total = KINDS.reduce((sum, { weight }) => sum + weight, 0);
  for (let i = 0; i < count; i++) {
    let at = random() * total;
    const kind =
      KINDS.find(({ weight }) => {
        at -= weight;
        return at < 0;
      }) ?? KINDS[0]!;
    yield {
      file: `rule-${i}.yml`,
      text: `title: Rule ${i}\nid: ${i}\nstatus: test\nlogsource:\n    product: windows\n    ${kind.source}\ndetection:\n${kind.make(random)}level: medium\n`,
    };
  }
}

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
