/** Sysmon's events as Winlogbeat posts them. Each function is one event id; field names and texts are Sysmon's own. */
import { type Random, randomFor } from '../random.ts';
import type { Emitted } from '../types.ts';
import { requirePerson, type Scene } from './scene.ts';
import { windowsEvent } from './winlogbeat.ts';

/** Running process, for reference by child processes. */
export interface Process {
  image: string;
  commandLine: string;
  guid: string;
  pid: number;
}

export interface ProcessStart {
  image: string;
  commandLine: string;
  parentImage?: string;
  parentCommandLine?: string;
  /** Created by `newProcess` if later events refer to it. */
  self?: Process;
  parent?: Process;
  /** `DOMAIN\name`; defaults to the person's. */
  user?: string;
  integrity?: 'Low' | 'Medium' | 'High' | 'System';
  originalFileName?: string;
  company?: string;
  description?: string;
  directory?: string;
  sha256?: string;
}

export const system32 = 'C:\\Windows\\System32\\';
export const systemUser = 'NT AUTHORITY\\SYSTEM';

const processGuid = (random: Random) =>
  `{${random.hex(8)}-${random.hex(4)}-${random.hex(4)}-${random.hex(4)}-${random.hex(12)}}`.toUpperCase();

export const newProcess = (random: Random, image: string, commandLine: string): Process => ({
  image,
  commandLine,
  guid: processGuid(random),
  pid: random.int(300, 4_000) * 4,
});

const originalNames: Record<string, string> = {
  'powershell.exe': 'PowerShell.EXE',
  'cmd.exe': 'Cmd.Exe',
  'certutil.exe': 'CertUtil.exe',
  'rundll32.exe': 'RUNDLL32.EXE',
  'regsvr32.exe': 'REGSVR32.EXE',
  'mshta.exe': 'MSHTA.EXE',
  'wmic.exe': 'wmic.exe',
  'schtasks.exe': 'schtasks.exe',
  'vssadmin.exe': 'VSSADMIN.EXE',
  'bcdedit.exe': 'bcdedit.exe',
  'wevtutil.exe': 'wevtutil.exe',
  'bitsadmin.exe': 'bitsadmin.exe',
  'net.exe': 'net.exe',
  'net1.exe': 'net1.exe',
  'whoami.exe': 'whoami.exe',
  'nltest.exe': 'nltestrk.exe',
  'ntdsutil.exe': 'ntdsutil.exe',
  'reg.exe': 'reg.exe',
  'wscript.exe': 'wscript.exe',
  'cscript.exe': 'cscript.exe',
  'msbuild.exe': 'MSBuild.exe',
  'psexec.exe': 'psexec.c',
};

export const fileName = (path: string) => path.slice(path.lastIndexOf('\\') + 1);

const sha256Cache = new Map<string, string>();

/** The same file has the same hash on every device. */
export function sha256Of(path: string): string {
  const key = fileName(path).toLowerCase();
  let hash = sha256Cache.get(key);
  if (!hash) {
    hash = randomFor('sha256', key).hex(64).toUpperCase();
    sha256Cache.set(key, hash);
  }
  return hash;
}

const utcTime = (at: number) => new Date(at).toISOString().replace('T', ' ').replace('Z', '');

function sysmon(scene: Scene, eventId: number, title: string, rule: string, data: Record<string, string>): Emitted {
  return windowsEvent(scene, {
    provider: 'Microsoft-Windows-Sysmon',
    providerGuid: '{5770385F-C22A-43E0-BF4C-06F5698FFBD9}',
    channel: 'Microsoft-Windows-Sysmon/Operational',
    eventId,
    task: `${title} (rule: ${rule})`,
    title,
    data: { RuleName: '-', UtcTime: utcTime(scene.at), ...data },
    winlogUser: { domain: 'NT AUTHORITY', identifier: 'S-1-5-18', name: 'SYSTEM', type: 'User' },
    version: 5,
  });
}

const userOf = (scene: Scene, user: string | undefined) => user ?? requirePerson(scene).windowsName;

/** Event 1. */
export function processCreate(scene: Scene, start: ProcessStart): Emitted {
  const { random } = scene;
  const self = start.self ?? newProcess(random, start.image, start.commandLine);
  const parentImage = start.parent?.image ?? start.parentImage ?? 'C:\\Windows\\explorer.exe';
  const user = userOf(scene, start.user);
  const isMicrosoft = /^C:\\(Windows|Program Files\\(Microsoft|Common Files\\Microsoft|Windows))/i.test(start.image);
  const integrity = start.integrity ?? (user.startsWith('NT AUTHORITY') ? 'System' : 'Medium');
  const account = user.slice(user.indexOf('\\') + 1);
  return sysmon(scene, 1, 'Process Create', 'ProcessCreate', {
    ProcessGuid: self.guid,
    ProcessId: String(self.pid),
    Image: start.image,
    FileVersion: isMicrosoft ? `${scene.device.kernel} (WinBuild.160101.0800)` : '-',
    Description: start.description ?? (isMicrosoft ? fileName(start.image).replace(/\.exe$/i, '') : '-'),
    Product: isMicrosoft ? 'Microsoft® Windows® Operating System' : '-',
    Company: start.company ?? (isMicrosoft ? 'Microsoft Corporation' : '-'),
    OriginalFileName: start.originalFileName ?? originalNames[fileName(start.image).toLowerCase()] ?? fileName(start.image),
    CommandLine: start.commandLine,
    CurrentDirectory: start.directory ?? (integrity === 'System' ? system32 : `C:\\Users\\${account}\\`),
    User: user,
    LogonGuid: processGuid(random),
    LogonId: `0x${random.hex(6)}`,
    TerminalSessionId: integrity === 'System' ? '0' : '1',
    IntegrityLevel: integrity,
    Hashes: `SHA256=${start.sha256 ?? sha256Of(start.image)}`,
    ParentProcessGuid: start.parent?.guid ?? processGuid(random),
    ParentProcessId: String(start.parent?.pid ?? random.int(300, 4_000) * 4),
    ParentImage: parentImage,
    ParentCommandLine: start.parent?.commandLine ?? start.parentCommandLine ?? parentImage,
    ParentUser: integrity === 'System' ? systemUser : user,
  });
}

const actor = (random: Random, process: Process | undefined, image: string) => {
  const self = process ?? newProcess(random, image, image);
  return { ProcessGuid: self.guid, ProcessId: String(self.pid), Image: self.image };
};

export interface By {
  /** Path of the acting program, when no process is given. */
  image?: string;
  process?: Process | undefined;
  user?: string | undefined;
}

const by = (scene: Scene, who: By) => actor(scene.random, who.process, who.image ?? `${system32}svchost.exe`);

/** Event 3. */
export function networkConnect(
  scene: Scene,
  who: By & { to: string; port: number; host?: string; protocol?: 'tcp' | 'udp' },
): Emitted {
  const isIpv6 = who.to.includes(':');
  return sysmon(scene, 3, 'Network connection detected', 'NetworkConnect', {
    ...by(scene, who),
    User: userOf(scene, who.user),
    Protocol: who.protocol ?? 'tcp',
    Initiated: 'true',
    SourceIsIpv6: 'false',
    SourceIp: scene.device.ip,
    SourceHostname: `${scene.device.name}.${scene.device.site.domain}`,
    SourcePort: String(scene.random.int(49_152, 65_000)),
    SourcePortName: '-',
    DestinationIsIpv6: String(isIpv6),
    DestinationIp: who.to,
    DestinationHostname: who.host ?? '-',
    DestinationPort: String(who.port),
    DestinationPortName: who.port === 443 ? 'https' : who.port === 80 ? 'http' : '-',
  });
}

/** Event 7. */
export function imageLoad(scene: Scene, who: By & { library: string; isSigned?: boolean }): Emitted {
  const isSigned = who.isSigned ?? false;
  return sysmon(scene, 7, 'Image loaded', 'ImageLoad', {
    ...by(scene, who),
    ImageLoaded: who.library,
    FileVersion: '-',
    Description: '-',
    Product: '-',
    Company: '-',
    OriginalFileName: '-',
    Hashes: `SHA256=${sha256Of(who.library)}`,
    Signed: String(isSigned),
    Signature: isSigned ? 'Microsoft Windows' : '-',
    SignatureStatus: isSigned ? 'Valid' : 'Unavailable',
    User: userOf(scene, who.user),
  });
}

/** Event 8. */
export function createRemoteThread(scene: Scene, who: By & { target: string }): Emitted {
  const source = who.process ?? newProcess(scene.random, who.image!, who.image!);
  const target = newProcess(scene.random, who.target, who.target);
  return sysmon(scene, 8, 'CreateRemoteThread detected', 'CreateRemoteThread', {
    SourceProcessGuid: source.guid,
    SourceProcessId: String(source.pid),
    SourceImage: source.image,
    TargetProcessGuid: target.guid,
    TargetProcessId: String(target.pid),
    TargetImage: target.image,
    NewThreadId: String(scene.random.int(1_000, 9_999)),
    StartAddress: `0x0000${scene.random.hex(12).toUpperCase()}`,
    StartModule: '-',
    StartFunction: '-',
    SourceUser: userOf(scene, who.user),
    TargetUser: userOf(scene, who.user),
  });
}

/** Event 10. */
export function processAccess(scene: Scene, who: By & { target: string; access: string; trace?: string }): Emitted {
  const source = who.process ?? newProcess(scene.random, who.image!, who.image!);
  const target = newProcess(scene.random, who.target, who.target);
  return sysmon(scene, 10, 'Process accessed', 'ProcessAccess', {
    SourceProcessGUID: source.guid,
    SourceProcessId: String(source.pid),
    SourceThreadId: String(scene.random.int(1_000, 9_999)),
    SourceImage: source.image,
    TargetProcessGUID: target.guid,
    TargetProcessId: String(target.pid),
    TargetImage: target.image,
    GrantedAccess: who.access,
    CallTrace:
      who.trace ?? 'C:\\Windows\\SYSTEM32\\ntdll.dll+9d4c4|C:\\Windows\\System32\\KERNELBASE.dll+2c13e|UNKNOWN(00000191F0F80CEF)',
    SourceUser: userOf(scene, who.user),
    TargetUser: systemUser,
  });
}

/** Event 11. */
export function fileCreate(scene: Scene, who: By & { file: string }): Emitted {
  return sysmon(scene, 11, 'File created', 'FileCreate', {
    ...by(scene, who),
    TargetFilename: who.file,
    CreationUtcTime: utcTime(scene.at),
    User: userOf(scene, who.user),
  });
}

/** Event 13. */
export function registrySet(scene: Scene, who: By & { key: string; value: string }): Emitted {
  return sysmon(scene, 13, 'Registry value set', 'RegistryEvent', {
    EventType: 'SetValue',
    ...by(scene, who),
    TargetObject: who.key,
    Details: who.value,
    User: userOf(scene, who.user),
  });
}

/** Event 17. */
export function pipeCreated(scene: Scene, who: By & { pipe: string }): Emitted {
  return sysmon(scene, 17, 'Pipe Created', 'PipeEvent', {
    EventType: 'CreatePipe',
    ...by(scene, who),
    PipeName: who.pipe,
    User: userOf(scene, who.user),
  });
}

/** Event 22. */
export function dnsQuery(scene: Scene, who: By & { name: string; answer: string }): Emitted {
  return sysmon(scene, 22, 'Dns query', 'DnsQuery', {
    ...by(scene, who),
    QueryName: who.name,
    QueryStatus: '0',
    QueryResults: `::ffff:${who.answer};`,
    User: userOf(scene, who.user),
  });
}
